package describe

import (
	"net/http"

	"verbless/internal/field"
	"verbless/internal/rest"
)

// Options is what OPTIONS tells of a path: what it takes, and which of it this caller may do.
func Options(c *rest.Call, allowed func(*rest.Operation) bool) map[string]any {
	d := description{c.API()}
	methods := map[string]any{}
	path := c.Path()
	for _, op := range path.Operations {
		entry := map[string]any{"summary": op.Summary, "allowed": allowed(op)}
		if len(op.Params) > 0 {
			entry["parameters"] = briefly(op.Params)
		}
		if len(op.Takes) > 0 {
			entry["accepts"] = op.Takes
			if k := op.Kind(); k != nil {
				entry["schema"] = bodySchema(op, jsonType, d.inOptions(k, op.Method))
			}
		}
		methods[op.Method] = entry
	}
	return map[string]any{"path": path.Pattern, "methods": methods}
}

// inOptions gives the schema of a body as OPTIONS shows it: whole, or where it is served when it is that of a document, which is large.
func (d description) inOptions(k *rest.Kind, method string) func(name string) any {
	return func(name string) any {
		if k.Shape.Kind != "" {
			return map[string]any{"$ref": d.api.Base + "/schemas/" + name + ".json"}
		}
		return d.resource(k, map[bool]field.Purpose{true: field.Patch, false: field.Body}[method == http.MethodPatch])
	}
}

func briefly(params []rest.Param) []any {
	list := make([]any, len(params))
	for i, p := range params {
		list[i] = map[string]any{"name": p.Name, "description": p.Doc, "schema": p.Schema}
	}
	return list
}
