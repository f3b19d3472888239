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

// Full is the group that shows every member.
const Full = "full"

// Partials lists the named groups of members that can be asked for, Full last; none when every member is always shown.
func (m *Model) Partials() []string {
	var names []string
	for _, f := range m.Fields {
		if f.Partial != "" && f.Partial != Full && !slices.Contains(names, f.Partial) {
			names = append(names, f.Partial)
		}
	}
	if names != nil || slices.ContainsFunc(m.Fields, func(f *Field) bool { return f.Partial == Full }) {
		names = append(names, Full)
	}
	return names
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
