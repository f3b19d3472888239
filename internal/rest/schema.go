package rest

import (
	"slices"

	"verbless/internal/field"
	"verbless/internal/shape"
)

// schemaOf is the schema of a resource: its own members and, in answers, its relations.
func (c *collection) schemaOf(p field.Purpose, ref func(name string) any) map[string]any {
	s := c.model.Schema(p, func(name string) bool { return c.api.deprecated(c.name, "", name) })
	if p == field.Answer {
		for _, r := range c.relations {
			s["properties"].(map[string]any)[r.Name] = relationSchema(r, Ref(c.api.collections[r.To].one))
		}
	}
	if c.doc != "" {
		s["description"] = c.doc
	}
	return s
}

// documentSchema is the schema of a document. The schemas of documents are of the whole of them.
func (c *collection) documentSchema(p field.Purpose) map[string]any {
	links, always := map[string]any{}, []string{}
	for _, l := range c.links {
		links[l.Name] = l.Schema()
		if l.when == nil {
			always = append(always, l.Name)
		}
	}
	s := shape.DocumentSchema(c.resourceSchema(p), links, always, p == field.Answer)
	if p == field.Answer && len(c.relations) > 0 {
		s["properties"].(map[string]any)["included"] = Ref(c.one + "_included")
	}
	if c.doc != "" {
		s["description"] = c.doc
	}
	if c.shape.TakesBare() && p != field.Answer {
		return map[string]any{"anyOf": []any{s, c.attributesSchema(p)}}
	}
	return s
}

// attributesSchema is the members of a resource without those that stand elsewhere in a document.
func (c *collection) attributesSchema(p field.Purpose) map[string]any {
	s := c.model.Schema(p, func(name string) bool { return c.api.deprecated(c.name, "", name) })
	outside := []string{c.model.ID.Name, "links"}
	for _, name := range outside {
		delete(s["properties"].(map[string]any), name)
	}
	if required, ok := s["required"].([]string); ok {
		s["required"] = slices.DeleteFunc(required, func(name string) bool { return slices.Contains(outside, name) })
	}
	return s
}

// resourceSchema is the schema of type, id, attributes and relationships.
func (c *collection) resourceSchema(p field.Purpose) map[string]any {
	related := map[string]any{}
	for _, f := range c.model.Links {
		related[f.Link] = shape.RelationshipSchema(false)
	}
	for _, r := range c.relations {
		related[r.Name] = shape.RelationshipSchema(r.Many)
	}
	return shape.ResourceSchema(c.kind(), c.attributesSchema(p), related, p == field.Answer)
}

// includedSchema is every resource that include can reach.
func (c *collection) includedSchema() map[string]any {
	var kinds []any
	seen := map[string]bool{}
	var add func(c *collection, depth int)
	add = func(c *collection, depth int) {
		for _, r := range c.relations {
			to := c.api.collections[r.To]
			if !seen[to.name] {
				seen[to.name] = true
				kinds = append(kinds, to.resourceSchema(field.Answer))
			}
			if depth > 1 {
				add(to, depth-1)
			}
		}
	}
	add(c, maxDepth)
	return map[string]any{"type": "array", "description": "What include asked for.", "items": map[string]any{"anyOf": kinds}}
}

// listSchema is a page of them.
func (c *collection) listSchema() any {
	if c.shape.Kind == "" {
		return c.shape.ListSchema(Ref(c.one))
	}
	s := c.shape.ListSchema(Ref(c.one + "_data")).(map[string]any)
	if len(c.relations) > 0 {
		s["properties"].(map[string]any)["included"] = Ref(c.one + "_included")
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
