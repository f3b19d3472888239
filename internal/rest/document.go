package rest

import (
	"reflect"
	"slices"
	"strings"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/jsondoc"
	"verbless/internal/shape"
)

// Link is an address that a document shows beside its resource, in links.
type Link[T any] struct {
	Name   string
	Path   string        // below the resource's own address
	Method string        // set: the link is an object that says how it is used
	Type   string        // media type, with Method
	When   func(*T) bool // nil: always
	Doc    string
}

// docLink is a Link with its type erased.
type docLink struct {
	shape.Link
	when func(row reflect.Value) bool
}

func eraseLinks[T any](links []Link[T]) []docLink {
	erased := []docLink{{Link: shape.Link{Name: "self"}}}
	for _, l := range links {
		d := docLink{Link: shape.Link{Name: l.Name, Path: l.Path, Method: l.Method, Type: l.Type, Doc: l.Doc}}
		if l.When != nil {
			d.when = func(row reflect.Value) bool { return l.When(row.Addr().Interface().(*T)) }
		}
		erased = append(erased, d)
	}
	return erased
}

// address is where a row of the call's answer is found.
func (c *collection) address(call *Call, row reflect.Value) string {
	path := c.api.Base + call.Request.URL.EscapedPath()
	if !strings.HasSuffix(call.route.pattern, "}") { // that of the whole collection, under whichever of its paths
		path += "/" + field.Text(c.model.ID.Of(row))
	}
	return path
}

// writeOne appends one row in its shape.
func (c *collection) writeOne(dst []byte, call *Call, v *view, row reflect.Value, warnings []Warning) []byte {
	if c.shape.Kind == "" {
		return c.shape.End(appendWarnings(v.write(c.shape.Start(dst), row, call.By), `,"meta":{`, warnings, "}"))
	}
	dst = v.writeResource(append(dst, `{"data":`...), row, call.By)
	dst = append(dst, `,"links":{`...)
	self := c.address(call, row)
	for _, l := range c.links {
		if l.when == nil || l.when(row) {
			dst = append(l.Append(dst, self), ',')
		}
	}
	dst = append(dst[:len(dst)-1], `},"schema":`...)
	dst = jsondoc.AppendString(dst, c.api.Base+"/schemas/"+c.one+".json")
	return append(v.writeIncluded(dst, []reflect.Value{row}, call.By), '}')
}

// kind is what documents call one of the collection.
func (c *collection) kind() string {
	if c.shape.Kind != "" {
		return c.shape.Kind
	}
	return c.one
}

// writeResource appends one row as a resource of a document: type, id, attributes and relationships.
func (v *view) writeResource(dst []byte, row reflect.Value, by change.Actor) []byte {
	m := v.c.model
	dst = v.c.writeIdentifier(append(dst, `{"type":`...), row)
	dst = append(dst, `,"attributes":{`...)
	private := !v.c.hasPrivate || v.c.seesPrivate(by, row)
	for _, f := range v.fields {
		if f != m.ID && (private || !f.Private) {
			dst = append(f.Write(dst, row), ',')
		}
	}
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(v.writeRelationships(append(dst, '}'), row), '}')
}

// writeIdentifier appends the values of type and id.
func (c *collection) writeIdentifier(dst []byte, row reflect.Value) []byte {
	dst = append(jsondoc.AppendString(dst, c.kind()), `,"id":`...)
	return jsondoc.AppendString(dst, field.Text(c.model.ID.Of(row)))
}

// writeRelationships says what the row is related to: whatever its links name, and what was included.
func (v *view) writeRelationships(dst []byte, row reflect.Value) []byte {
	before := `,"relationships":{`
	name := func(text string) {
		dst = append(jsondoc.AppendString(append(dst, before...), text), `:{"data":`...)
		before = ","
	}
	for _, f := range v.c.model.Links {
		if !v.links && v.included(f.Link) == nil {
			continue
		}
		name(f.Link)
		dst = append(writeReference(dst, v.c.linkKind(f), f.Of(row)), '}')
	}
	for i := range v.c.relations {
		r := &v.c.relations[i]
		if inc := v.included(r.Name); v.c.model.Link(r.Name) != nil {
			continue
		} else if inc != nil {
			name(r.Name)
			dst = append(inc.writeIdentifiers(dst, row, v.c.model), '}')
		} else if v.links && v.c.isMember(r) {
			name(r.Name)
			dst = append(writeReference(dst, v.c.api.collections[r.To].kind(), v.c.model.ByColumn(r.Via).Of(row)), '}')
		}
	}
	if before == "," {
		dst = append(dst, '}')
	}
	return dst
}

// writeReference appends type and id of what a value names, or null.
func writeReference(dst []byte, kind string, value reflect.Value) []byte {
	id, ok := field.LinkValue(value).(string)
	if !ok {
		return append(dst, "null"...)
	}
	dst = append(jsondoc.AppendString(append(dst, `{"type":`...), kind), `,"id":`...)
	return append(jsondoc.AppendString(dst, id), '}')
}

// isMember tells whether a member of the row names the one that it is related to.
func (c *collection) isMember(r *Relation) bool {
	via := c.model.ByColumn(r.Via)
	return !r.Many && via != c.model.Key && c.model.Named(via.Name) == via && c.api.collections[r.To].model.Key.Column == r.At
}

// linkKind is the type of what a link leads to.
func (c *collection) linkKind(f *field.Field) string {
	for _, r := range c.relations {
		if r.Via == f.Column {
			return c.api.collections[r.To].kind()
		}
	}
	return f.Link
}

// related are the loaded rows that belong to row.
func (inc *inclusion) related(row reflect.Value, m *field.Model) []reflect.Value {
	if key := field.LinkValue(m.ByColumn(inc.relation.Via).Of(row)); key != nil {
		return inc.rows[key.(string)]
	}
	return nil
}

func (inc *inclusion) writeIdentifiers(dst []byte, row reflect.Value, m *field.Model) []byte {
	related := inc.related(row, m)
	if !inc.relation.Many && len(related) == 0 {
		return append(dst, "null"...)
	}
	if inc.relation.Many {
		dst = append(dst, '[')
	}
	for i, r := range related {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(inc.view.c.writeIdentifier(append(dst, `{"type":`...), r), '}')
	}
	if inc.relation.Many {
		dst = append(dst, ']')
	}
	return dst
}

// writeIncluded appends what include asked for, each resource once, whatever refers to it.
func (v *view) writeIncluded(dst []byte, rows []reflect.Value, by change.Actor) []byte {
	if len(v.includes) == 0 {
		return dst
	}
	dst = append(dst, `,"included":[`...)
	seen := map[string]bool{}
	var add func(v *view, rows []reflect.Value)
	add = func(v *view, rows []reflect.Value) {
		for _, inc := range v.includes {
			for _, row := range rows {
				related := inc.related(row, v.c.model)
				for _, r := range related {
					id := string(inc.view.c.writeIdentifier(nil, r))
					if seen[id] {
						continue
					}
					seen[id] = true
					dst = append(inc.view.writeResource(dst, r, by), ',')
				}
				add(inc.view, related)
			}
		}
	}
	add(v, rows)
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']')
}

// documentOf is the document that a GET returns; patches work on it.
func (c *collection) documentOf(call *Call, row reflect.Value) (*jsondoc.Object, error) {
	doc, err := jsondoc.Parse(c.writeOne(nil, call, c.plain, row, nil))
	if err != nil {
		return nil, err
	}
	return doc.(*jsondoc.Object), nil
}

// complete gives attributes the members that stand elsewhere in a document, as they were, so that they compare as unchanged.
func (c *collection) complete(inner any, flat *jsondoc.Object, at string, bad *fault.List) any {
	attributes, ok := inner.(*jsondoc.Object)
	if !ok {
		return inner
	}
	whole := jsondoc.NewObject(slices.Clone(attributes.Members)...)
	for _, name := range []string{c.model.ID.Name, "links"} {
		if whole.Delete(name) {
			bad.Add(fault.New(fault.UnknownField, "There is no member of this name.").At(jsondoc.AppendPointer(at, name)))
		}
		if flat != nil {
			if old, there := flat.Get(name); there {
				whole.Set(name, old)
			}
		}
	}
	return whole
}
