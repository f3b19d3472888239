package shape

import (
	"slices"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// readOnly are the members of a document that may be sent back, but not changed, by where they stand.
var readOnly = map[string][]string{"": {"links", "schema"}, "/data": {"type", "id", "relationships"}}

// OpenDocument takes the attributes out of a document of a kind, and tells where they stood. was is the document before, nil at birth;
// what is not an attribute must be as it was there, and in a patched document it must still be there.
func OpenDocument(kind string, doc any, was *jsondoc.Object, patched bool, bad *fault.List) (attributes any, at string, ok bool) {
	if was == nil {
		was = jsondoc.NewObject(jsondoc.Member{Name: "data", Value: jsondoc.NewObject(jsondoc.Member{Name: "type", Value: kind})})
	}
	outer, ok := doc.(*jsondoc.Object)
	if !ok {
		bad.Add(fault.New(fault.WrongType, "The body must be an object with the member data.").At(""))
		return nil, "", false
	}
	data, ok := part(outer, was, "", "data", patched, bad)
	if !ok {
		return nil, "", false
	}
	object, ok := data.(*jsondoc.Object)
	if !ok {
		bad.Add(fault.New(fault.WrongType, "This must be an object with the member attributes.").At("/data"))
		return nil, "", false
	}
	inner, _ := was.Get("data")
	attributes, ok = part(object, inner.(*jsondoc.Object), "/data", "attributes", patched, bad)
	return attributes, "/data/attributes", ok
}

// part gives the member name of an object, and refuses to let the others differ from what they were.
func part(in, was *jsondoc.Object, at, name string, patched bool, bad *fault.List) (any, bool) {
	for _, m := range in.Members {
		here := jsondoc.AppendPointer(at, m.Name)
		old, there := was.Get(m.Name)
		switch {
		case m.Name == name || there && jsondoc.Equal(old, m.Value):
		case there || slices.Contains(readOnly[at], m.Name):
			bad.Add(fault.New(fault.ReadOnly, "This member cannot be changed.").At(here))
		default:
			bad.Add(fault.New(fault.UnknownField, "There is no member of this name.").At(here))
		}
	}
	for _, m := range was.Members {
		if _, there := in.Get(m.Name); patched && !there && m.Name != name {
			bad.Add(fault.New(fault.ReadOnly, "This member cannot be removed.").At(jsondoc.AppendPointer(at, m.Name)))
		}
	}
	value, ok := in.Get(name)
	if !ok {
		bad.Add(fault.New(fault.Required, "This member is required.").At(jsondoc.AppendPointer(at, name)))
	}
	return value, ok
}

// Link is an address below a document's own. One with a method is an object that says how it is used.
type Link struct {
	Name, Path, Method, Type, Doc string
}

// Append adds the link of the document at self to an object.
func (l Link) Append(dst []byte, self string) []byte {
	dst = append(jsondoc.AppendString(dst, l.Name), ':')
	if l.Method == "" {
		return jsondoc.AppendString(dst, self+l.Path)
	}
	dst = jsondoc.AppendString(append(dst, `{"href":`...), self+l.Path)
	dst = jsondoc.AppendString(append(dst, `,"meta":{"method":`...), l.Method)
	dst = jsondoc.AppendString(append(dst, `,"type":`...), l.Type)
	return append(dst, "}}"...)
}

// Schema describes the link.
func (l Link) Schema() map[string]any {
	address := map[string]any{"type": "string", "format": "uri"}
	if l.Doc != "" {
		address["description"] = l.Doc
	}
	if l.Method == "" {
		return address
	}
	meta := object([]string{"method", "type"}, map[string]any{"method": map[string]any{"const": l.Method}, "type": map[string]any{"const": l.Type}})
	return object([]string{"href", "meta"}, map[string]any{"href": address, "meta": meta})
}

func object(required []string, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "required": required, "additionalProperties": false, "properties": properties}
}

// DocumentSchema describes a whole document; whole tells that nothing may be missing, as in an answer.
func DocumentSchema(data, links map[string]any, always []string, whole bool) map[string]any {
	inner := object(always, links)
	inner["readOnly"] = true
	s := object([]string{"data"}, map[string]any{"data": data, "links": inner,
		"schema": map[string]any{"type": "string", "format": "uri", "readOnly": true, "description": "Leads to this schema."}})
	if whole {
		s["required"] = []string{"data", "links", "schema"}
	}
	return s
}

// ResourceSchema describes what stands in data.
func ResourceSchema(kind string, attributes, relationships map[string]any, whole bool) map[string]any {
	s := object([]string{"attributes"}, map[string]any{"type": map[string]any{"const": kind}, "id": map[string]any{"type": "string"}, "attributes": attributes})
	if whole {
		s["required"] = []string{"attributes", "id", "type"}
	}
	if len(relationships) > 0 {
		s["properties"].(map[string]any)["relationships"] = map[string]any{"type": "object", "additionalProperties": false, "properties": relationships, "readOnly": true}
	}
	return s
}

// RelationshipSchema describes the identifiers of what is related.
func RelationshipSchema(many bool) map[string]any {
	text := map[string]any{"type": "string"}
	data := object([]string{"type", "id"}, map[string]any{"type": text, "id": text})
	if many {
		data = map[string]any{"type": "array", "items": data}
	} else {
		data["type"] = []string{"object", "null"}
	}
	return object([]string{"data"}, map[string]any{"data": data})
}
