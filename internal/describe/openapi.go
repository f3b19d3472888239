// Package describe says what an API serves, drawn from the declarations that serve it: the OpenAPI document, a JSON
// Schema for each resource, a page for each problem code, and what OPTIONS tells.
//
// It reads what package rest declares and decides nothing: what is described is enforced there.
package describe

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/jsondoc"
	"verbless/internal/rest"
)

const (
	jsonType      = "application/json"
	jsonPatchType = "application/json-patch+json"
)

// description is an API being described.
type description struct{ api *rest.API }

// OpenAPI describes everything that is served, drawn from the declarations that serve it.
func OpenAPI(a *rest.API) map[string]any {
	d := description{a}
	paths := map[string]any{}
	for _, path := range a.Paths() {
		item := map[string]any{}
		if params := pathParams(path.Pattern); len(params) > 0 {
			item["parameters"] = params
		}
		for _, op := range path.Operations {
			item[strings.ToLower(op.Method)] = d.operation(path, op)
		}
		paths[path.Pattern] = item
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "verbless", "version": a.Version, "license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Uploads, articles with revisions, messages, invoices and a company directory. No verbs in a path: the method is the action."},
		"servers":    []any{map[string]any{"url": a.Base}},
		"security":   []any{map[string]any{"bearer": []any{}}},
		"paths":      paths,
		"components": d.components(),
	}
}

func (d description) components() map[string]any {
	codes := make([]string, len(fault.Codes))
	for i, info := range fault.Codes {
		codes[i] = string(info.Code)
	}
	link := map[string]any{"type": "string", "format": "uri"}
	schemas := map[string]any{
		"problem":    problemSchema(codes),
		"page_links": map[string]any{"type": "object", "required": []string{"self"}, "additionalProperties": false, "properties": map[string]any{"self": link, "next": link, "prev": link}},
		"page_meta":  map[string]any{"type": "object", "properties": map[string]any{"total": map[string]any{"type": "integer", "minimum": 0}, "warnings": warningsSchema()}},
	}
	for _, k := range d.api.Kinds() {
		schema := d.resource
		if k.Shape.Kind != "" {
			schema = d.document
			schemas[k.One+"_data"] = d.data(k, field.Answer)
			if len(k.Relations) > 0 {
				schemas[k.One+"_included"] = d.included(k)
			}
		}
		schemas[k.One], schemas[k.One+"_body"], schemas[k.One+"_change"] = schema(k, field.Answer), schema(k, field.Body), schema(k, field.Patch)
	}
	return map[string]any{
		"schemas":         schemas,
		"securitySchemes": map[string]any{"bearer": map[string]any{"type": "http", "scheme": "bearer", "description": "A token issued by this service."}},
		"responses": map[string]any{"problem": map[string]any{"description": "Not done, and why.",
			"content": map[string]any{"application/problem+json": map[string]any{"schema": ref("problem")}}}},
	}
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func pathParams(pattern string) []any {
	var params []any
	for _, match := range pathParam.FindAllStringSubmatch(pattern, -1) {
		params = append(params, map[string]any{"name": match[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
	}
	return params
}

// refusals are the problems that an operation may answer with.
func refusals(path rest.Path, op *rest.Operation) []int {
	list := []int{400, 404, 406, 429, 500, 503}
	if !path.Public {
		list = append(list, 401, 403, 410)
	}
	if op.Method != http.MethodGet {
		list = append(list, 409, 412)
	}
	if len(op.Takes) > 0 {
		list = append(list, 408, 413, 415)
	}
	if op.Raw != nil {
		list = append(list, 411)
	}
	if op.Method == http.MethodPost {
		list = append(list, 422)
	}
	if slices.ContainsFunc(op.Answers, func(r rest.Response) bool { return r.Status == http.StatusPartialContent }) {
		list = append(list, 412, 416)
	}
	return list
}

func (d description) operation(path rest.Path, op *rest.Operation) map[string]any {
	entry := map[string]any{"operationId": op.ID, "summary": op.Summary}
	k := op.Kind()
	if k != nil {
		entry["tags"] = []string{k.Name}
	}
	switch {
	case path.Public || op.Open:
		entry["security"] = []any{}
	case op.Guests:
		entry["security"] = []any{map[string]any{}, map[string]any{"bearer": []any{}}}
	}
	var params []any
	for _, p := range op.Params {
		param := map[string]any{"name": p.Name, "in": "query", "description": p.Doc, "schema": p.Schema}
		if k != nil && d.api.Deprecated(k.Name, p.Name, "") {
			param["deprecated"] = true
		}
		params = append(params, param)
	}
	for _, h := range requestHeaders(op) {
		params = append(params, map[string]any{"name": h[0], "in": "header", "description": h[1], "schema": map[string]any{"type": "string"}})
	}
	if len(params) > 0 {
		entry["parameters"] = params
	}
	if len(op.Takes) > 0 {
		content := map[string]any{}
		for _, mediaType := range op.Takes {
			content[mediaType] = map[string]any{"schema": bodySchema(op, mediaType, ref)}
		}
		entry["requestBody"] = map[string]any{"required": true, "content": content}
	}
	responses := map[string]any{}
	for _, status := range refusals(path, op) {
		responses[strconv.Itoa(status)] = map[string]any{"$ref": "#/components/responses/problem"}
	}
	for _, answer := range d.answers(op) {
		described, status := response(path, answer), strconv.Itoa(answer.Status)
		if before, ok := responses[status].(map[string]any); ok && before["content"] != nil { // one more type of the same answer
			maps.Copy(described["content"].(map[string]any), before["content"].(map[string]any))
		}
		responses[status] = described
	}
	entry["responses"] = responses
	return entry
}

func response(path rest.Path, answer rest.Response) map[string]any {
	r := map[string]any{"description": answer.Doc}
	if answer.Schema == nil && answer.Type == "" {
		return r
	}
	media := map[string]any{"schema": answer.Schema}
	if answer.Schema == nil {
		media = map[string]any{}
	}
	if answer.Type != "" {
		r["content"] = map[string]any{answer.Type: media}
	} else {
		r["content"] = map[string]any{jsonType: media, rest.VersionType(path.Version): media}
	}
	return r
}

// requestHeaders are the headers that mean something to an operation.
func requestHeaders(op *rest.Operation) [][2]string {
	switch op.Method {
	case http.MethodGet:
		return [][2]string{{"If-None-Match", "An ETag seen before; 304 when nothing has changed."}, {"Prefer", "count=exact adds meta.total to a list."}}
	case http.MethodPost:
		return [][2]string{{"Idempotency-Key", "Makes a repeated request give the first answer again, for 24 hours."}, {"Prefer", "return=minimal leaves the body out."}}
	}
	return [][2]string{{"If-Match", "The ETag last seen; 412 when it has changed since."}, {"Prefer", "return=minimal leaves the body out."}}
}

// bodySchema is what a body of the type may hold; named gives the schema of a name.
func bodySchema(op *rest.Operation, mediaType string, named func(name string) any) any {
	k := op.Kind()
	if k == nil || op.Raw != nil && slices.Contains(op.Raw.Types, mediaType) {
		return map[string]any{}
	}
	switch {
	case op.Batch() != nil:
		return batchSchema(op.Batch(), named(k.One+"_body"))
	case mediaType == jsonPatchType:
		return map[string]any{"type": "array", "maxItems": jsondoc.MaxOperations, "items": map[string]any{"type": "object", "required": []string{"op", "path"}}}
	case op.Method == http.MethodPatch:
		return k.Shape.BodySchema(named(k.One + "_change"))
	}
	return k.Shape.BodySchema(named(k.One + "_body"))
}

func batchSchema(b *rest.Batch, one any) any {
	if len(b.Required) > 0 {
		one = map[string]any{"allOf": []any{one, map[string]any{"required": b.Required}}}
	}
	return map[string]any{"type": "array", "minItems": 1, "maxItems": b.Max, "items": one}
}

// answers says what an operation answers when all goes well.
func (d description) answers(op *rest.Operation) []rest.Response {
	k := op.Kind()
	switch {
	case k == nil || op.Answers != nil:
		return op.Answers
	case op.Batch() != nil:
		return []rest.Response{{Status: 201, Doc: "All were created; here they are in the order sent.", Schema: k.Shape.ManySchema(ref(k.One))}}
	case op.Method == http.MethodPost:
		return []rest.Response{{Status: 201, Doc: "It was created.", Schema: d.one(k)}}
	case op.Method == http.MethodDelete:
		return []rest.Response{{Status: 204, Doc: "It is gone from here."}}
	case op.Method != http.MethodGet:
		return []rest.Response{{Status: 200, Doc: "As it is now.", Schema: d.one(k)}, {Status: 204, Doc: "Done; Prefer asked for no body."}}
	case op.Lists():
		return []rest.Response{{Status: 200, Doc: "A page of them.", Schema: d.page(k)}, {Status: 304, Doc: "Nothing has changed."}}
	}
	return []rest.Response{{Status: 200, Doc: "As it is.", Schema: d.one(k)}, {Status: 304, Doc: "Nothing has changed."}}
}
