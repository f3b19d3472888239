package field

import (
	"encoding/json"
	"slices"

	"verbless/internal/jsondoc"
)

// Purpose is what a schema is for: the same members, but not the same ones are required.
type Purpose int

// An answer shows every member that everybody sees; a body of POST or PUT must send what is required; a PATCH nothing.
const (
	Answer Purpose = iota
	Body
	Patch
)

// Schema is the JSON Schema (2020-12) of the type. deprecated tells which members are.
func (m *Model) Schema(p Purpose, deprecated func(name string) bool) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range m.Fields {
		s := f.schema(p)
		if deprecated(f.Name) {
			s["deprecated"] = true
		}
		properties[f.Name] = s
		if p == Answer && !f.Private && f.Partial == "" || p == Body && f.Required {
			required = append(required, f.Name)
		}
	}
	if len(m.Links) > 0 {
		properties["links"] = m.linksSchema()
		if p == Answer {
			required = append(required, "links")
		}
	}
	slices.Sort(required)
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func (f *Field) schema(p Purpose) map[string]any {
	s := cloneMap(f.kind.schema)
	if f.kind.nested && p == Patch {
		delete(s, "required") // what is left out stays as it is
	}
	if f.Doc != "" {
		s["description"] = f.Doc
	}
	if f.ReadOnly {
		s["readOnly"] = true
	}
	if !f.ReadOnly && !f.Required && f.initial != "" && p != Patch {
		s["default"] = plain(f.initial)
	}
	if len(f.examples) > 0 {
		s["examples"] = plain(f.examples)
	}
	return s
}

// plain turns a document into what encoding/json writes the same way.
func plain(doc any) any { return json.RawMessage(jsondoc.Append(nil, doc)) }

func (m *Model) linksSchema() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range m.Links {
		properties[f.Link] = map[string]any{"type": []string{"string", "null"}, "description": "Identifier of the " + f.Link + "."}
		required = append(required, f.Link)
	}
	return map[string]any{"type": "object", "readOnly": true, "properties": properties, "required": required, "additionalProperties": false}
}
