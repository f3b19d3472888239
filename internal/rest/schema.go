package rest

import "verbless/internal/field"

// schemaOf is the schema of a resource: its own members and, in answers, its relations.
func (c *collection) schemaOf(p field.Purpose, ref func(name string) any) map[string]any {
	s := c.model.Schema(p, func(name string) bool { return c.api.deprecated(c.name, "", name) })
	if p == field.Answer {
		for _, r := range c.relations {
			s["properties"].(map[string]any)[r.Name] = relationSchema(r, ref(c.api.collections[r.To].one))
		}
	}
	if c.doc != "" {
		s["description"] = c.doc
	}
	return s
}

func relationSchema(r Relation, to any) map[string]any {
	s := map[string]any{"description": "Only with include=" + r.Name + "."}
	if r.Many {
		s["type"], s["items"] = "array", to
	} else {
		s["anyOf"] = []any{to, map[string]any{"type": "null"}}
	}
	return s
}

// problemSchema is RFC 9457 with our members.
func problemSchema(codes []string) map[string]any {
	str := map[string]any{"type": "string"}
	return map[string]any{
		"type":     "object",
		"required": []string{"type", "title", "status", "code", "message", "request_id"},
		"properties": map[string]any{
			"type": map[string]any{"type": "string", "format": "uri"}, "title": str, "message": str, "request_id": str,
			"status": map[string]any{"type": "integer", "minimum": 400, "maximum": 599},
			"code":   map[string]any{"type": "string", "enum": codes},
			"errors": map[string]any{"type": "array", "items": map[string]any{
				"type": "object", "required": []string{"code", "message"}, "additionalProperties": false,
				"properties": map[string]any{"code": map[string]any{"type": "string", "enum": codes}, "message": str, "pointer": str, "parameter": str, "header": str},
			}},
		},
	}
}
