// Package shape is how a resource stands in a body: bare, under a key, or as a document with data, links and schema. It
// wraps, takes apart and describes; what stands inside, package rest knows.
//
// A document looks like JSON:API and does not claim to be it.
package shape

import (
	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// Shape is how one and many of a resource are wrapped in a body. Requests have the same shape as answers.
type Shape struct {
	One  string // member that holds a single one; empty: it stands bare
	Many string // member that holds the list
	Kind string // type of the resource in a document; empty: it is no document
	bare bool   // a body may also be the bare object, or the attributes of a document alone
}

// Bare shows one as the object itself, and many under the plural.
func Bare(many string) Shape { return Shape{Many: many} }

// Keyed shows one under the member one, and many under the member many.
func Keyed(one, many string) Shape { return Shape{One: one, Many: many} }

// Document shows one as data with type, id and attributes beside links and schema, and many as an array data.
func Document(kind string) Shape { return Shape{One: "data", Many: "data", Kind: kind} }

// OrBare lets a body leave out the member that holds the object.
func (s Shape) OrBare() Shape { s.bare = true; return s }

// TakesBare tells whether a body may be the bare object.
func (s Shape) TakesBare() bool { return s.bare }

// SentBare tells whether a request sent the attributes of a document alone.
func (s Shape) SentBare(doc any) bool {
	object, ok := doc.(*jsondoc.Object)
	if !ok || !s.bare {
		return false
	}
	_, wrapped := object.Get(s.One)
	return !wrapped
}

// Wrap puts a document into its shape.
func (s Shape) Wrap(doc *jsondoc.Object) any {
	if s.One == "" {
		return doc
	}
	return jsondoc.NewObject(jsondoc.Member{Name: s.One, Value: doc})
}

// Unwrap takes a document out of its shape, and tells the pointer to it.
func (s Shape) Unwrap(doc any, bad *fault.List) (inner any, at string, ok bool) {
	if s.One == "" {
		return doc, "", true
	}
	outer, ok := doc.(*jsondoc.Object)
	if !ok {
		bad.Add(fault.New(fault.WrongType, "The body must be an object with the member %s.", s.One).At(""))
		return nil, "", false
	}
	if _, wrapped := outer.Get(s.One); s.bare && !wrapped {
		return doc, "", true
	}
	for _, m := range outer.Members {
		if m.Name != s.One {
			bad.Add(fault.New(fault.UnknownField, "There is no member of this name.").At(jsondoc.AppendPointer("", m.Name)))
		}
	}
	at = jsondoc.AppendPointer("", s.One)
	if inner, ok = outer.Get(s.One); !ok {
		bad.Add(fault.New(fault.Required, "This member is required.").At(at))
	}
	return inner, at, ok
}

// WriteMany writes rows under the plural, and leaves the object open.
func (s Shape) WriteMany(dst []byte, n int, write func(dst []byte, i int) []byte) []byte {
	dst = append(jsondoc.AppendString(append(dst, '{'), s.Many), ":["...)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(dst, i)
	}
	return append(dst, ']')
}

// Start and End write what stands around one object.
func (s Shape) Start(dst []byte) []byte {
	if s.One == "" {
		return dst
	}
	return append(jsondoc.AppendString(append(dst, '{'), s.One), ':')
}

func (s Shape) End(dst []byte) []byte {
	if s.One == "" {
		return dst
	}
	return append(dst, '}')
}

// Schema wraps the schema of one in the shape. That of a document is of the whole of it already.
func (s Shape) Schema(one any) any {
	if s.One == "" || s.Kind != "" {
		return one
	}
	return map[string]any{"type": "object", "required": []any{s.One}, "additionalProperties": false, "properties": map[string]any{s.One: one}}
}

// BodySchema is the schema of one in a request.
func (s Shape) BodySchema(one any) any {
	if s.bare && s.Kind == "" {
		return map[string]any{"anyOf": []any{one, s.Schema(one)}}
	}
	return s.Schema(one)
}

// ManySchema is that of many without pages.
func (s Shape) ManySchema(one any) map[string]any {
	return map[string]any{"type": "object", "required": []any{s.Many}, "additionalProperties": false,
		"properties": map[string]any{s.Many: map[string]any{"type": "array", "items": one}}}
}

// ListSchema is that of a page of many.
func (s Shape) ListSchema(one any) any {
	list := s.ManySchema(one)
	list["required"] = []any{s.Many, "links"}
	list["properties"].(map[string]any)["links"] = map[string]any{"$ref": "#/components/schemas/page_links"}
	list["properties"].(map[string]any)["meta"] = map[string]any{"$ref": "#/components/schemas/page_meta"}
	return list
}
