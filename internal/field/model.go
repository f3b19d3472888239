// Package field is the table of members that everything else is read from: one Go type, with tags in JSON Schema's
// own words, is decoded, validated, shown, patched, filtered, sorted and described by the same entries.
//
// It knows nothing of HTTP or SQL. Tags that make no sense panic, at start-up.
package field

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// Field is one member of a resource: what it may be, who may write it, and what it can be asked by.
type Field struct {
	Name     string
	Column   string
	Doc      string
	ReadOnly bool
	Required bool
	Private  bool // shown to the owner and to admins alone
	Sort     bool
	Filter   bool
	Partial  string // the named group that shows the field; empty: it is always shown
	Link     string // the field is shown as links.<Link>, and filtered by that name
	sees     bool   // its type is a Seer
	kind     kind
	refers   bool // the type is a Reference
	index    []int
	quoted   string // `"name":`
	initial  any    // default, as a document
	examples []any
}

// Write appends the member and its value to a JSON object.
func (f *Field) Write(dst []byte, row reflect.Value) []byte {
	f.see(row)
	return f.kind.write(append(dst, f.quoted...), f.whole(row))
}

// see shows the row to a value that depends on it.
func (f *Field) see(row reflect.Value) {
	if f.sees {
		f.Of(row).Addr().Interface().(Seer).See(row.Addr().Interface())
	}
}

// Sees tells whether the value looks different depending on other members of its row.
func (f *Field) Sees() bool { return f.sees }

// Parse reads the text of a filter as the column holds it.
func (f *Field) Parse(text string) (any, error) { return f.kind.parse(text) }

// IsTime tells whether the member is a time.
func (f *Field) IsTime() bool { return f.kind.isTime }

// Asked is the name by which a filter asks for the field.
func (f *Field) Asked() string {
	if f.Link != "" {
		return f.Link
	}
	return f.Name
}

// Model is the table of fields of one type. Everything the API does with the type is read from it.
type Model struct {
	Name    string // of one, for schemas: article
	Fields  []*Field
	Links   []*Field
	Key     *Field   // db option key
	ID      *Field   // api word id: what stands in addresses; the key when no field has it
	Version *Field   // db option version: counts the changes of a row
	Owners  []*Field // api word owner: the users a row belongs to
	Parent  *Field   // api word parent: the resource a row lies under
	named   map[string]*Field
	column  map[string]*Field
	typ     reflect.Type
}

// NewModel reads the tags of a type. Wrong tags panic, at start-up.
func NewModel(name string, t reflect.Type) *Model {
	m := &Model{Name: name, typ: t, named: map[string]*Field{}, column: map[string]*Field{}}
	m.read(t, nil)
	if m.Key == nil {
		panic("field: " + t.String() + " has no db key")
	}
	if m.ID == nil {
		m.ID = m.Key
	}
	return m
}

// read takes the fields in their order.
func (m *Model) read(t reflect.Type, at []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		f.Index = append(append([]int{}, at...), i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			m.read(f.Type, f.Index)
		} else {
			m.add(f)
		}
	}
}

func (m *Model) add(f reflect.StructField) {
	tag := newWords(f)
	column, options, _ := strings.Cut(tag.text("db"), ",")
	field := &Field{Name: tag.text("json"), Column: column, Doc: tag.text("doc"), Link: tag.text("link"), Partial: tag.text("partial"), index: f.Index,
		ReadOnly: tag.flag("readOnly"), Required: tag.flag("required"), sees: reflect.PointerTo(f.Type).Implements(seerType)}
	api := tag.api()
	field.Private, field.Sort, field.Filter = api["private"], api["sort"], api["filter"]
	if column != "" {
		m.column[column] = field
	}
	for _, special := range []struct {
		is   bool
		slot **Field
	}{{strings.Contains(options, "key"), &m.Key}, {strings.Contains(options, "version"), &m.Version}, {api["parent"], &m.Parent}, {api["id"], &m.ID}} {
		if special.is {
			*special.slot = field
		}
	}
	if api["owner"] { // in place of an embedded one of the same column
		m.Owners = append(slices.DeleteFunc(m.Owners, func(o *Field) bool { return o.Column == column }), field)
	}
	field.refers = reflect.PointerTo(f.Type).Implements(referenceType)
	if field.Filter && (field.Column == "" || field.Private) {
		panic("field: " + f.Name + " has no column that everybody may filter by")
	}
	if field.Sort && f.Type.Kind() == reflect.Pointer {
		panic("field: " + f.Name + " may be null, so it cannot be sorted by")
	}
	switch {
	case field.Link != "":
		field.kind = kindOf(f.Type, tag)
		m.Links = append(m.Links, field)
	case field.Name == "" || field.Name == "-":
		field.kind = hiddenKind(f.Type, tag)
	default:
		field.kind = kindOf(f.Type, tag)
		field.initial = initial(tag, f.Type)
		field.check(f.Type, tag)
		if example := tag.text("examples"); example != "" {
			field.examples = []any{documentOf(example)}
		}
		m.show(field, field.Name)
		if also := tag.text("also"); also != "" { // the same value under a second name, to read
			second := *field
			second.ReadOnly, second.Filter, second.Sort = true, false, false
			m.show(&second, also)
		}
	}
}

// check panics on tags that contradict each other.
func (f *Field) check(t reflect.Type, tag words) {
	if f.Filter && f.kind.parse == nil {
		panic("field: " + f.Name + " cannot be filtered by")
	}
	if f.Sort && t.Kind() == reflect.Slice {
		panic("field: " + f.Name + " cannot be sorted by")
	}
	if _, given := tag.field.Tag.Lookup("default"); given && f.initial != "" {
		var bad fault.List
		if f.kind.set(reflect.New(t).Elem(), f.initial, "", &bad); bad.Len() > 0 {
			panic("field: the default of " + f.Name + " breaks its own rules")
		}
	}
}

// show makes the field a member. One that has the name of an embedded one takes its place.
func (m *Model) show(f *Field, name string) {
	f.Name, f.quoted = name, string(jsondoc.AppendString(nil, name))+":"
	if inner := slices.Index(m.Fields, m.named[name]); inner >= 0 {
		m.Fields[inner] = f
	} else {
		m.Fields = append(m.Fields, f)
	}
	m.named[name] = f
}

// hiddenKind is for fields that are stored but never shown; only their column value matters.
func hiddenKind(t reflect.Type, tag words) kind {
	switch t.Kind() {
	case reflect.String, reflect.Int64, reflect.Bool:
		return kindOf(t, tag)
	}
	return kind{}
}

// initial is what a member is when nobody says.
func initial(tag words, t reflect.Type) any {
	if text, ok := tag.field.Tag.Lookup("default"); ok && t.Kind() == reflect.String {
		return text
	} else if ok {
		return documentOf(text)
	}
	switch {
	case t.Kind() == reflect.Pointer:
		return nil
	case t == objectType:
		return jsondoc.NewObject()
	case t.Kind() == reflect.Slice:
		return []any{}
	case t.Kind() == reflect.Bool:
		return false
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int:
		return jsondoc.Number("0")
	}
	return ""
}

// documentOf reads a tag's text as JSON, or else as a plain string.
func documentOf(text string) any {
	if doc, err := jsondoc.Parse([]byte(text)); err == nil {
		return doc
	}
	return text
}

// Same tells whether both are the table of one type.
func (m *Model) Same(other *Model) bool { return m.typ == other.typ }

// New makes an empty row.
func (m *Model) New() reflect.Value { return reflect.New(m.typ).Elem() }

// Copy makes a row of its own that holds the same.
func (m *Model) Copy(row reflect.Value) reflect.Value {
	copied := m.New()
	copied.Set(row)
	return copied
}

// Named is the member of that name, nil when there is none.
func (m *Model) Named(name string) *Field { return m.named[name] }

// ByColumn is the field that the column holds, shown or not; nil when there is none.
func (m *Model) ByColumn(column string) *Field { return m.column[column] }

// Link is the field that links shows under the name, nil when there is none.
func (m *Model) Link(name string) *Field {
	for _, f := range m.Links {
		if f.Link == name {
			return f
		}
	}
	return nil
}

// Of is the field's value in a row; of a Reference its number.
func (f *Field) Of(row reflect.Value) reflect.Value {
	if f.refers {
		return reflect.ValueOf(f.whole(row).Addr().Interface().(Reference).Number()).Elem()
	}
	return f.whole(row)
}

func (f *Field) whole(row reflect.Value) reflect.Value { return row.FieldByIndex(f.index) }

// Text is a key's or a link's value as it stands in addresses.
func Text(v reflect.Value) string {
	if v.Kind() == reflect.Int64 {
		return strconv.FormatInt(v.Int(), 10)
	}
	return v.String()
}

// Tree is the whole document of a row, for patches.
func (m *Model) Tree(row reflect.Value, private bool) *jsondoc.Object {
	doc := jsondoc.NewObject()
	for _, f := range m.Fields {
		if private || !f.Private {
			f.see(row)
			doc.Members = append(doc.Members, jsondoc.Member{Name: f.Name, Value: f.kind.tree(f.whole(row))})
		}
	}
	if len(m.Links) > 0 {
		links := jsondoc.NewObject()
		for _, f := range m.Links {
			links.Members = append(links.Members, jsondoc.Member{Name: f.Link, Value: LinkValue(f.Of(row))})
		}
		doc.Set("links", links)
	}
	return doc
}

// LinkValue is what links shows for a value: its text, or nil.
func LinkValue(v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return Text(v)
}
