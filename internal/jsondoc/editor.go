package jsondoc

import "slices"

// editor changes a tree without touching what others hold: it copies an array or object before the first change, and
// remembers its copies so that the next change needs no other. Each of its methods gives what takes the place of parent.
type editor struct {
	own map[any]bool // by the address of the object, or of the first element of the array
}

func (e *editor) object(o *Object) *Object {
	if e.own[o] {
		return o
	}
	o = &Object{Members: slices.Clone(o.Members)}
	e.own[o] = true
	return o
}

func (e *editor) array(a []any) []any {
	if len(a) == 0 {
		return nil // an empty array may still share its room with another
	}
	if e.own[&a[0]] {
		return a
	}
	return e.owned(slices.Clone(a))
}

func (e *editor) owned(a []any) []any {
	if len(a) > 0 {
		e.own[&a[0]] = true
	}
	return a
}

// share is to be called before a value gets a second place in the tree: from then on nothing is the editor's alone.
func (e *editor) share() { clear(e.own) }

// along does change to the array or object that holds the last of tokens.
func (e *editor) along(parent any, tokens []string, change func(parent any, token string) (any, error)) (any, error) {
	if len(tokens) == 1 {
		return change(parent, tokens[0])
	}
	inner, err := child(parent, tokens[0])
	if err != nil {
		return nil, err
	}
	if inner, err = e.along(inner, tokens[1:], change); err != nil {
		return nil, err
	}
	return e.replace(parent, tokens[0], inner)
}

// replace sets token, which must exist, to v.
func (e *editor) replace(parent any, token string, v any) (any, error) {
	switch parent := parent.(type) {
	case *Object:
		i, err := parent.position(token)
		if err != nil {
			return nil, err
		}
		parent = e.object(parent)
		parent.Members[i].Value = v
		return parent, nil
	case []any:
		i, err := index(token, len(parent)-1, len(parent))
		if err != nil {
			return nil, err
		}
		parent = e.array(parent)
		parent[i] = v
		return parent, nil
	default:
		return nil, errScalar
	}
}

// insert sets member token to v, or puts v before index token or at the end ("-").
func (e *editor) insert(parent any, token string, v any) (any, error) {
	switch parent := parent.(type) {
	case *Object:
		parent = e.object(parent)
		parent.Set(token, v)
		return parent, nil
	case []any:
		i := len(parent)
		if token != "-" {
			var err error
			if i, err = index(token, len(parent), len(parent)); err != nil {
				return nil, err
			}
		}
		return e.owned(slices.Insert(e.array(parent), i, v)), nil
	default:
		return nil, errScalar
	}
}

// remove takes token, which must exist, away.
func (e *editor) remove(parent any, token string) (any, error) {
	switch parent := parent.(type) {
	case *Object:
		if _, err := parent.position(token); err != nil {
			return nil, err
		}
		parent = e.object(parent)
		parent.Delete(token)
		return parent, nil
	case []any:
		i, err := index(token, len(parent)-1, len(parent))
		if err != nil {
			return nil, err
		}
		return slices.Delete(e.array(parent), i, i+1), nil
	default:
		return nil, errScalar
	}
}
