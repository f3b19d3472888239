package field

import "slices"

// Filters lists the fields a list can be narrowed by, under the names that callers use.
func (m *Model) Filters() map[string]*Field {
	found := map[string]*Field{}
	for _, f := range slices.Concat(m.Fields, m.Links) {
		if f.Filter {
			found[f.Asked()] = f
		}
	}
	return found
}

// Sorts lists the members a list can be sorted by.
func (m *Model) Sorts() []string {
	var names []string
	for _, f := range m.Fields {
		if f.Sort {
			names = append(names, f.Name)
		}
	}
	return names
}
