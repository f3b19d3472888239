package describe

import (
	"net/http"
	"slices"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/rest"
)

// Options is what OPTIONS tells of a path: what it takes, and which of it this caller may do now.
func Options(c *rest.Call, refused func(*rest.Operation) fault.Code) map[string]any {
	d := &description{api: c.API(), now: c.Now()}
	methods := map[string]any{}
	path := c.Path()
	for _, op := range path.Operations {
		code := refused(op)
		if code == "" && op.Method == http.MethodDelete {
			code = d.now.Kept
		}
		entry := map[string]any{"summary": op.Summary, "allowed": code == ""}
		if code != "" {
			entry["refused"] = code
		}
		if len(op.Params) > 0 {
			entry["parameters"] = briefly(op.Params)
		}
		if len(op.Takes) > 0 {
			entry["accepts"] = op.Takes
			if k := op.Kind(); k != nil {
				entry["schema"] = bounded(bodySchema(op, jsonType, d.inline(k, op.Method)))
			}
		}
		methods[op.Method] = entry
	}
	description := map[string]any{"path": path.Pattern, "methods": methods}
	if patch, _ := methods[http.MethodPatch].(map[string]any); len(d.now.Next) > 0 && patch["allowed"] == true {
		become := map[string]any{}
		for name, next := range d.now.Next {
			become[name] = next.May
		}
		description["may_become"] = become
	}
	return description
}

// inline gives the schema of a body whole, with no reference to others.
func (d *description) inline(k *rest.Kind, method string) func(name string) any {
	purpose := field.Body
	if method == http.MethodPatch {
		purpose = field.Patch
	}
	return func(string) any {
		if k.Shape.Kind != "" {
			return d.document(k, purpose)
		}
		return d.resource(k, purpose)
	}
}

func briefly(params []rest.Param) []any {
	list := make([]any, len(params))
	for i, p := range params {
		list[i] = map[string]any{"name": p.Name, "description": p.Doc, "schema": bounded(p.Schema)}
	}
	return list
}

// options describes OPTIONS of a path.
func (d *description) options(path rest.Path) map[string]any {
	id, tag, headers := "describe", serviceTag, []string{"Allow"}
	for _, part := range strings.FieldsFunc(path.Pattern, func(r rune) bool { return strings.ContainsRune("/{}._", r) }) {
		id += strings.ToUpper(part[:1]) + part[1:]
	}
	refused := everywhere()
	if !path.Public {
		refused = append(refused, fault.InvalidRequest, fault.InvalidToken, fault.TokenExpired, fault.Unauthenticated)
	}
	if !path.Public && strings.Contains(path.Pattern, "{") {
		refused = append(refused, fault.NotFoundCode)
	}
	for _, op := range path.Operations {
		if k := op.Kind(); k != nil {
			tag = k.Name
		}
		if name := rest.AcceptHeader(op.Method); len(op.Takes) > 0 && name != "" {
			headers = append(headers, name)
		}
		for _, code := range codes(path, op) {
			if rest.StatusOf(code) == http.StatusGone && !slices.Contains(refused, code) {
				refused = append(refused, code)
			}
		}
	}
	responses := d.refused(refused)
	responses["200"] = map[string]any{"description": "What this path takes, and which of it the caller may do now.", "headers": d.headers(headers...),
		"content": map[string]any{jsonType: d.exampled(map[string]any{"schema": ref("path_description")}, "OPTIONS "+path.Pattern, id, 200, jsonType)}}
	entry := map[string]any{"operationId": id, "summary": "What can be done here", "description": "For everyone who may see it.", "tags": []string{tag}, "responses": responses}
	if path.Public {
		entry["security"], entry["description"] = []any{}, "For everyone, without a token."
	}
	return entry
}

// pathSchema is what OPTIONS answers with.
func pathSchema() map[string]any {
	text := map[string]any{"type": "string", "maxLength": maxAddress}
	schema := map[string]any{"type": "object", "description": "A JSON Schema (2020-12)."}
	return map[string]any{
		"type": "object", "description": "What a path takes, and which of it the caller may do now.", "required": []string{"path", "methods"},
		"properties": map[string]any{
			"path": text,
			"methods": map[string]any{"type": "object", "additionalProperties": map[string]any{
				"type": "object", "required": []string{"summary", "allowed"}, "additionalProperties": false,
				"properties": map[string]any{
					"summary": text,
					"allowed": map[string]any{"type": "boolean", "description": "Whether this caller may do it now."},
					"refused": map[string]any{"type": "string", "maxLength": maxName, "description": "The problem code that it would get now."},
					"accepts": map[string]any{"type": "array", "description": "Media types of the body.", "maxItems": 20, "items": text},
					"parameters": map[string]any{"type": "array", "description": "Query parameters.", "maxItems": 200, "items": map[string]any{"type": "object", "required": []string{"name", "description", "schema"},
						"properties": map[string]any{"name": text, "description": text, "schema": schema}}},
					"schema": schema,
				}}},
			"may_become": map[string]any{"type": "object", "description": "Members that can become only something, and what: the moves of a status, for example.",
				"additionalProperties": map[string]any{"type": "array", "maxItems": 100, "items": map[string]any{}}},
			"actions": map[string]any{"type": "array", "description": "What can be done here now, with the values of its fields.", "maxItems": 20, "items": map[string]any{"type": "object"}},
		},
	}
}
