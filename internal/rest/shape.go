package rest

import (
	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// Shape is how one and many of a resource are wrapped in a body. Requests have the same shape as answers.
type Shape struct {
	one  string // member that holds a single one; empty: it stands bare
	many string // member that holds the list
	kind string // type of the resource in a document; empty: it is no document
	bare bool   // a body may also be the bare object, or the attributes of a document alone
}

// Bare shows one as the object itself, and many under the plural.
func Bare(many string) Shape { return Shape{many: many} }

// Keyed shows one under the member one, and many under the member many.
func Keyed(one, many string) Shape { return Shape{one: one, many: many} }

// Document shows one as data with type, id and attributes beside links and schema, and many as an array data.
func Document(kind string) Shape { return Shape{one: "data", many: "data", kind: kind} }

// OrBare lets a body leave out the member that holds the object.
func (s Shape) OrBare() Shape { s.bare = true; return s }

// sentBare tells whether a request sent the attributes of a document alone.
func (s Shape) sentBare(doc any) bool {
	object, ok := doc.(*jsondoc.Object)
	if !ok || !s.bare {
		return false
	}
	_, wrapped := object.Get(s.one)
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
	if _, wrapped := outer.Get(s.one); s.bare && !wrapped {
		return doc, "", true
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

// writeMany writes rows under the plural, and leaves the object open.
func (s Shape) writeMany(dst []byte, n int, write func(dst []byte, i int) []byte) []byte {
	dst = append(jsondoc.AppendString(append(dst, '{'), s.many), ":["...)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(dst, i)
	}
	return append(dst, ']')
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

// bodySchema is the schema of one in a request.
func (s Shape) bodySchema(one any) any {
	if s.bare {
		return map[string]any{"anyOf": []any{one, s.schema(one)}}
	}
	return s.schema(one)
}

// manySchema is that of many without pages.
func (s Shape) manySchema(one any) map[string]any {
	return map[string]any{"type": "object", "required": []any{s.many}, "additionalProperties": false,
		"properties": map[string]any{s.many: map[string]any{"type": "array", "items": one}}}
}

// listSchema is that of a page of many.
func (s Shape) listSchema(one any) any {
	list := s.manySchema(one)
	list["required"] = []any{s.many, "links"}
	list["properties"].(map[string]any)["links"] = map[string]any{"$ref": "#/components/schemas/page_links"}
	list["properties"].(map[string]any)["meta"] = map[string]any{"$ref": "#/components/schemas/page_meta"}
	return list
}
