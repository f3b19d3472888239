package describe

import (
	"slices"

	"verbless/internal/change"
	"verbless/internal/field"
	"verbless/internal/rest"
	"verbless/internal/shape"
)

func ref(name string) any { return rest.Ref(name) }

// resource is the schema of a resource: its own members and, in answers, its relations.
func (d *description) resource(k *rest.Kind, p field.Purpose) map[string]any {
	s := d.members(k, p)
	if p == field.Answer {
		for _, r := range k.Relations {
			s["properties"].(map[string]any)[r.Name] = relationSchema(r, ref(d.api.Kind(r.To).One))
		}
	}
	if k.Doc != "" {
		s["description"] = k.Doc
	}
	return s
}

// members is the schema of what the type itself declares.
func (d *description) members(k *rest.Kind, p field.Purpose) map[string]any {
	s := k.Model.Schema(p, func(name string) bool { return d.api.Deprecated(k.Name, "", name) })
	if p != field.Answer {
		narrow(s["properties"].(map[string]any), d.now)
	}
	return s
}

// narrow says of members what holds for one resource now: which cannot be changed, and which can become only what.
func narrow(members map[string]any, now change.Now) {
	for _, name := range now.Fixed {
		members[name].(map[string]any)["readOnly"] = true
	}
	for name, next := range now.Next {
		member := members[name].(map[string]any)
		member["enum"] = append([]string{next.Is}, next.May...)
		if len(next.May) == 0 {
			member["readOnly"] = true
		}
	}
}

// document is the schema of a document. The schemas of documents are of the whole of them.
func (d *description) document(k *rest.Kind, p field.Purpose) map[string]any {
	links, always := map[string]any{}, []string{}
	for _, l := range k.Links {
		links[l.Name] = l.Schema()
		if l.Always {
			always = append(always, l.Name)
		}
	}
	s := shape.DocumentSchema(d.data(k, p), links, always, p == field.Answer)
	if p == field.Answer && len(k.Relations) > 0 {
		s["properties"].(map[string]any)["included"] = ref(k.One + "_included")
	}
	if k.Doc != "" {
		s["description"] = k.Doc
	}
	if k.Shape.TakesBare() && p != field.Answer {
		return map[string]any{"anyOf": []any{s, d.attributes(k, p)}}
	}
	return s
}

// attributes is the members of a resource without those that stand elsewhere in a document.
func (d *description) attributes(k *rest.Kind, p field.Purpose) map[string]any {
	s := d.members(k, p)
	outside := []string{k.Model.ID.Name, "links"}
	for _, name := range outside {
		delete(s["properties"].(map[string]any), name)
	}
	if required, ok := s["required"].([]string); ok {
		s["required"] = slices.DeleteFunc(required, func(name string) bool { return slices.Contains(outside, name) })
	}
	return s
}

// data is the schema of type, id, attributes and relationships.
func (d *description) data(k *rest.Kind, p field.Purpose) map[string]any {
	related := map[string]any{}
	for _, f := range k.Model.Links {
		related[f.Link] = shape.RelationshipSchema(false)
	}
	for _, r := range k.Relations {
		related[r.Name] = shape.RelationshipSchema(r.Many)
	}
	return shape.ResourceSchema(k.Called(), d.attributes(k, p), related, p == field.Answer)
}

// included is every resource that include can reach.
func (d *description) included(k *rest.Kind) map[string]any {
	var kinds []any
	seen := map[string]bool{}
	var add func(k *rest.Kind, depth int)
	add = func(k *rest.Kind, depth int) {
		for _, r := range k.Relations {
			to := d.api.Kind(r.To)
			if !seen[to.Name] {
				seen[to.Name] = true
				kinds = append(kinds, d.data(to, field.Answer))
			}
			if depth > 1 {
				add(to, depth-1)
			}
		}
	}
	add(k, rest.MaxDepth)
	return map[string]any{"type": "array", "description": "What include asked for.", "items": map[string]any{"anyOf": kinds}}
}

// page is a page of them.
func (d *description) page(k *rest.Kind) any {
	name := k.One
	if k.Shape.Kind != "" {
		name += "_data"
	}
	s := k.Shape.ListSchema(ref(name)).(map[string]any)
	s["properties"].(map[string]any)[k.Shape.Many].(map[string]any)["maxItems"] = rest.MaxLimit
	if k.Shape.Kind != "" && len(k.Relations) > 0 {
		s["properties"].(map[string]any)["included"] = ref(k.One + "_included")
	}
	return s
}

// one is one of them in an answer, which may say what is missing from it.
func (d *description) one(k *rest.Kind) any {
	s := k.Shape.Schema(ref(k.One))
	if k.Warns {
		s.(map[string]any)["properties"].(map[string]any)["meta"] = ref("page_meta")
	}
	return s
}

func relationSchema(r rest.Relation, to any) map[string]any {
	s := map[string]any{"description": "Only with include=" + r.Name + "."}
	if r.Many {
		s["type"], s["items"], s["maxItems"] = "array", to, rest.MaxRelated
	} else {
		s["anyOf"] = []any{to, map[string]any{"type": "null"}}
	}
	return s
}

func warningsSchema() map[string]any {
	text := map[string]any{"type": "string"}
	return map[string]any{"type": "array", "description": "What is missing from this answer, and why.", "items": map[string]any{
		"type": "object", "required": []string{"code", "message"}, "properties": map[string]any{"code": text, "message": text}}}
}
