package jsondoc

// gauge estimates the size of a value and its levels, and stops when either is too much.
type gauge struct {
	total, limit int
	deep         bool
}

// walk tells whether v fits, with at most levels arrays and objects inside each other.
func (g *gauge) walk(v any, levels int) bool {
	const node = 16
	g.total += node
	switch v := v.(type) {
	case string:
		g.total += len(v)
	case Number:
		g.total += len(v)
	case []any:
		if g.deep = levels == 0; g.deep {
			return false
		}
		for i := range v {
			if !g.walk(v[i], levels-1) {
				return false
			}
		}
	case *Object:
		if g.deep = levels == 0; g.deep {
			return false
		}
		for i := range v.Members {
			g.total += len(v.Members[i].Name)
			if !g.walk(v.Members[i].Value, levels-1) {
				return false
			}
		}
	}
	return g.total <= g.limit
}
