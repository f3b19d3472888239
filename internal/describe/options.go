package describe

import (
	"net/http"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/rest"
)

// Options is what OPTIONS tells of a path: what it takes, and which of it this caller may do.
func Options(c *rest.Call, allowed func(*rest.Operation) bool) map[string]any {
	d := &description{api: c.API()}
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
func (d *description) inOptions(k *rest.Kind, method string) func(name string) any {
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

// options describes OPTIONS of a path.
func (d *description) options(path rest.Path) map[string]any {
	id, tag, headers := "describe", serviceTag, []string{"Allow"}
	for _, part := range strings.FieldsFunc(path.Pattern, func(r rune) bool { return strings.ContainsRune("/{}._", r) }) {
		id += strings.ToUpper(part[:1]) + part[1:]
	}
	refused := map[int][]fault.Code{500: {fault.Internal}, 503: {fault.Unavailable}}
	if !path.Public {
		refused[400], refused[401] = []fault.Code{fault.InvalidRequest}, []fault.Code{fault.InvalidToken, fault.TokenExpired, fault.Unauthenticated}
		if strings.Contains(path.Pattern, "{") {
			refused[404] = []fault.Code{fault.NotFoundCode}
		}
	}
	for i, op := range path.Operations {
		if k := op.Kind(); k != nil {
			tag = k.Name
		}
		if name := rest.AcceptHeader(op.Method); len(op.Takes) > 0 && name != "" {
			headers = append(headers, name)
		}
		for _, code := range codes(path, op) {
			if status := rest.StatusOf(code); i == 0 && status == http.StatusGone {
				refused[status] = append(refused[status], code)
			}
		}
	}
	responses := map[string]any{"200": map[string]any{"description": "What this path takes, and which of it the caller may do now.", "headers": d.headers(headers...),
		"content": map[string]any{jsonType: d.exampled(map[string]any{"schema": ref("path_description")}, "OPTIONS "+path.Pattern, id, 200, jsonType)}}}
	for status, list := range refused {
		responses[strconv.Itoa(status)] = d.problem(status, list)
	}
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
					"accepts": map[string]any{"type": "array", "description": "Media types of the body.", "maxItems": 20, "items": text},
					"parameters": map[string]any{"type": "array", "description": "Query parameters.", "maxItems": 200, "items": map[string]any{"type": "object", "required": []string{"name", "description", "schema"},
						"properties": map[string]any{"name": text, "description": text, "schema": schema}}},
					"schema": schema,
				}}},
			"actions": map[string]any{"type": "array", "description": "What can be done here now, with the values of its fields.", "maxItems": 20, "items": map[string]any{"type": "object"}},
		},
	}
}
