package rest

import (
	"encoding/json"
	"net/http"
	"strings"

	"verbless/internal/field"
)

// describe answers OPTIONS: what this path takes, and which of it this caller may do.
// It finds the resource first, so that it tells nobody of what they may not see.
func (rt *route) describe(c *Call) (*Answer, error) {
	own := true
	if rt.find != nil {
		var err error
		if own, err = rt.find(c); err != nil {
			return nil, err
		}
	}
	methods := map[string]any{}
	answer := &Answer{Status: http.StatusOK, Type: jsonType}
	for method, op := range rt.operations {
		entry := map[string]any{"summary": op.Summary, "allowed": rt.public || op.Open || permits(op.who, c.By, own)}
		if len(op.Params) > 0 {
			entry["parameters"] = describeParams(op.Params)
		}
		if len(op.Takes) > 0 {
			entry["accepts"] = op.Takes
			answer.Set(map[string]string{http.MethodPatch: "Accept-Patch", http.MethodPost: "Accept-Post", http.MethodPut: "Accept"}[method], strings.Join(op.Takes, ", "))
			if op.resource != nil {
				entry["schema"] = op.bodySchema(jsonType, op.resource.inOptions(method))
			}
		}
		methods[method] = entry
	}
	description := map[string]any{"path": rt.pattern, "methods": methods}
	if rt.extend != nil {
		if err := rt.extend(c, description); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(description)
	if err != nil {
		return nil, err
	}
	answer.Body = append(body, '\n')
	return answer.Set("Allow", rt.allow), nil
}

// inOptions gives the schema of a body as OPTIONS shows it: whole, or where it is served when it is that of a document, which is large.
func (c *collection) inOptions(method string) func(name string) any {
	return func(name string) any {
		if c.shape.Kind != "" {
			return map[string]any{"$ref": c.api.Base + "/schemas/" + name + ".json"}
		}
		return c.schemaOf(map[bool]field.Purpose{true: field.Patch, false: field.Body}[method == http.MethodPatch], Ref)
	}
}

func describeParams(params []Param) []any {
	list := make([]any, len(params))
	for i, p := range params {
		list[i] = map[string]any{"name": p.Name, "description": p.Doc, "schema": p.Schema}
	}
	return list
}
