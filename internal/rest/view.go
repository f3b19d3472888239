package rest

import (
	"reflect"
	"slices"
	"strings"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/jsondoc"
)

// view is which members of a resource an answer shows, and which related resources with it.
type view struct {
	c         *collection
	fields    []*field.Field
	links     bool
	includes  []*inclusion
	signature string // what was asked for, in one canonical form, for ETags
	sparse    bool
	inner     bool // what another resource includes: there are no partials to open it with, so fields does
}

// plainView shows everything and includes nothing.
func plainView(c *collection) *view {
	return &view{c: c, fields: c.model.Fields, links: len(c.model.Links) > 0}
}

// innerView shows of an included resource what a GET without parameters shows.
func innerView(c *collection) *view {
	return &view{c: c, fields: c.brief.fields, links: c.brief.links, sparse: c.brief.sparse, inner: true}
}

// newView reads the parameters fields and include, beginning with what base shows.
func newView(base *view, fields, include []string, bad *fault.List) *view {
	v := &view{c: base.c, fields: base.fields, links: base.links, sparse: base.sparse}
	for _, path := range include {
		v.include(strings.Split(path, "."), path, bad)
	}
	if len(fields) > 0 {
		v.restrict(fields, bad)
	}
	v.signature = v.describe()
	return v
}

// restrict keeps the fields named; a dotted name reaches into an included resource. The identifier always stays.
func (v *view) restrict(names []string, bad *fault.List) {
	keep := map[string]bool{v.c.model.ID.Name: true}
	inner, outer := map[string][]string{}, false
	for _, name := range names {
		head, rest, dotted := strings.Cut(name, ".")
		outer = outer || !dotted
		if dotted {
			inner[head] = append(inner[head], rest)
		} else if v.c.model.Named(name) != nil && !v.keepsOut(name) || name == v.c.linksName() && len(v.c.model.Links) > 0 || v.included(name) != nil {
			keep[name] = true
		} else {
			bad.Add(fault.New(fault.UnknownField, "There is no field %q here.", name).In("fields"))
		}
	}
	for _, head := range sortedKeys(inner) {
		rest := inner[head]
		if inc := v.included(head); inc != nil {
			inc.view.restrict(rest, bad)
		} else {
			bad.Add(fault.New(fault.UnknownField, "%q is not included, so its fields cannot be chosen.", head).In("fields"))
		}
	}
	if !outer {
		return // only included resources were restricted
	}
	all := v.fields
	if v.inner {
		all = v.c.model.Fields
	}
	v.fields, v.links, v.sparse = nil, keep[v.c.linksName()], true
	for _, f := range all {
		if keep[f.Name] {
			v.fields = append(v.fields, f)
		}
	}
}

// linksName is the member that says what a row is related to.
func (c *collection) linksName() string {
	if c.shape.Kind != "" {
		return "relationships"
	}
	return "links"
}

func (v *view) included(name string) *inclusion {
	for _, inc := range v.includes {
		if inc.relation.Name == name {
			return inc
		}
	}
	return nil
}

// describe is the canonical form: the order in which things were asked for does not matter.
func (v *view) describe() string {
	if !v.sparse && len(v.includes) == 0 {
		return ""
	}
	var b strings.Builder
	for _, f := range v.fields {
		b.WriteString(f.Name + ",")
	}
	if v.links {
		b.WriteString("links")
	}
	parts := make([]string, 0, len(v.includes))
	for _, inc := range v.includes {
		parts = append(parts, "+"+inc.relation.Name+"("+inc.view.describe()+")")
	}
	slices.Sort(parts)
	b.WriteString(strings.Join(parts, ""))
	return b.String()
}

// columns lists what has to be read to show the view; nil is all of it.
func (v *view) columns() []string {
	if !v.sparse {
		return nil
	}
	need := slices.Clone(v.c.always)
	for _, f := range v.fields {
		if f.Column == "" || f.Sees() {
			return nil // computed from others, or shown by their light
		}
		need = append(need, f.Column)
	}
	if v.links {
		for _, f := range v.c.model.Links {
			need = append(need, f.Column)
		}
	}
	for i := range v.c.relations {
		if r := &v.c.relations[i]; v.included(r.Name) != nil || v.links && v.c.shape.Kind != "" && v.c.isMember(r) {
			need = append(need, r.Via)
		}
	}
	slices.Sort(need)
	return slices.Compact(need)
}

// write appends one row as JSON.
func (v *view) write(dst []byte, row reflect.Value, by change.Actor) []byte {
	m := v.c.model
	private := !v.c.hasPrivate || v.c.seesPrivate(by, row)
	dst = append(dst, '{')
	start := len(dst)
	for _, f := range v.fields {
		if f.Private && !private {
			continue
		}
		dst = f.Write(dst, row)
		dst = append(dst, ',')
	}
	if v.links {
		dst = v.writeLinks(dst, row)
	}
	for _, inc := range v.includes {
		dst = inc.write(dst, row, m, by)
	}
	if len(dst) > start {
		dst = dst[:len(dst)-1] // the last comma
	}
	return append(dst, '}')
}

func (v *view) writeLinks(dst []byte, row reflect.Value) []byte {
	dst = append(dst, `"links":{`...)
	for i, f := range v.c.model.Links {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsondoc.AppendString(dst, f.Link), ':')
		dst = jsondoc.Append(dst, field.LinkValue(f.Of(row)))
	}
	return append(dst, "},"...)
}
