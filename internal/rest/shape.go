package rest

import (
	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// Shape is how one and many of a resource are wrapped in a body. Requests have the same shape as answers.
type Shape struct {
	one    string // member that holds a single one; empty: it stands bare
	many   string // member that holds the list
	kind   string // type of the resource in a document; empty: it is no document
	orBare bool   // a document may also be sent as its attributes alone
}

// Bare shows one as the object itself, and many under the plural.
func Bare(many string) Shape { return Shape{many: many} }

// Keyed shows one under the member one, and many under the member many.
func Keyed(one, many string) Shape { return Shape{one: one, many: many} }

// Document shows one as data with type, id and attributes beside links and schema, and many as an array data.
func Document(kind string) Shape { return Shape{one: "data", many: "data", kind: kind} }

// OrBare lets a request send the attributes alone, without the document around them.
func (s Shape) OrBare() Shape { s.orBare = true; return s }

// sentBare tells whether a request sent the attributes of a document alone.
func (s Shape) sentBare(doc any) bool {
	object, ok := doc.(*jsondoc.Object)
	if !ok || !s.orBare {
		return false
	}
	_, wrapped := object.Get("data")
	return !wrapped
}

// wrap puts a document into its shape.
func (s Shape) wrap(doc *jsondoc.Object) any {
	if s.one == "" {
		return doc
	}
	return jsondoc.NewObject(jsondoc.Member{Name: s.one, Value: doc})
}

// unwrap takes a document out of its shape, and tells the pointer to it.
func (s Shape) unwrap(doc any, bad *fault.List) (inner any, at string, ok bool) {
	if s.one == "" {
		return doc, "", true
	}
	outer, ok := doc.(*jsondoc.Object)
	if !ok {
		bad.Add(fault.New(fault.WrongType, "The body must be an object with the member %s.", s.one).At(""))
		return nil, "", false
	}
	for _, m := range outer.Members {
		if m.Name != s.one {
			bad.Add(fault.New(fault.UnknownField, "There is no member of this name.").At(jsondoc.AppendPointer("", m.Name)))
		}
	}
	at = jsondoc.AppendPointer("", s.one)
	if inner, ok = outer.Get(s.one); !ok {
		bad.Add(fault.New(fault.Required, "This member is required.").At(at))
	}
	return inner, at, ok
}

// open and close write what stands around one object.
func (s Shape) open(dst []byte) []byte {
	if s.one == "" {
		return dst
	}
	return append(jsondoc.AppendString(append(dst, '{'), s.one), ':')
}

func (s Shape) close(dst []byte) []byte {
	if s.one == "" {
		return dst
	}
	return append(dst, '}')
}

// schema wraps the schema of one, or of many, in the shape.
func (s Shape) schema(one any) any {
	if s.one == "" {
		return one
	}
	return map[string]any{"type": "object", "required": []any{s.one}, "additionalProperties": false, "properties": map[string]any{s.one: one}}
}

func (s Shape) listSchema(one any) any {
	return map[string]any{
		"type": "object", "required": []any{s.many, "links"}, "additionalProperties": false,
		"properties": map[string]any{
			s.many:  map[string]any{"type": "array", "items": one},
			"links": map[string]any{"$ref": "#/components/schemas/page_links"},
			"meta":  map[string]any{"$ref": "#/components/schemas/page_meta"},
		},
	}
}
