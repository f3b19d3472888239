package rest

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
)

func ref(name string) any { return map[string]any{"$ref": "#/components/schemas/" + name} }

// describeAnswers says what the operations of a collection answer when all goes well.
func (c *collection) describeAnswers(many, one []*Operation) {
	whole := c.outside.describe(c.shape.Schema(ref(c.one)))
	for _, op := range append(many, one...) {
		switch {
		case op.batch != nil:
			op.Answers = []Response{{Status: 201, Doc: "All were created; here they are in the order sent.", Schema: c.shape.ManySchema(ref(c.one))}}
		case op.Method == http.MethodPost:
			op.Answers = []Response{{Status: 201, Doc: "It was created.", Schema: whole}}
		case op.Method == http.MethodDelete:
			op.Answers = []Response{{Status: 204, Doc: "It is gone from here."}}
		case op.Method != http.MethodGet:
			op.Answers = []Response{{Status: 200, Doc: "As it is now.", Schema: whole}, {Status: 204, Doc: "Done; Prefer asked for no body."}}
		case strings.HasPrefix(op.ID, "list"):
			op.Answers = []Response{{Status: 200, Doc: "A page of them.", Schema: c.listSchema()}, {Status: 304, Doc: "Nothing has changed."}}
		default:
			op.Answers = []Response{{Status: 200, Doc: "As it is.", Schema: whole}, {Status: 304, Doc: "Nothing has changed."}}
		}
	}
}

// OpenAPI describes everything that is served, drawn from the declarations that serve it.
func (a *API) OpenAPI() map[string]any {
	paths := map[string]any{}
	for _, rt := range a.routes {
		item := map[string]any{}
		if params := pathParams(rt.pattern); len(params) > 0 {
			item["parameters"] = params
		}
		for method, op := range rt.operations {
			item[strings.ToLower(method)] = a.operation(rt, op)
		}
		paths[rt.pattern] = item
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "verbless", "version": a.Version, "license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Uploads, articles with revisions, messages, invoices and a company directory. No verbs in a path: the method is the action."},
		"servers":    []any{map[string]any{"url": a.Base}},
		"security":   []any{map[string]any{"bearer": []any{}}},
		"paths":      paths,
		"components": a.components(),
	}
}

func (a *API) components() map[string]any {
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
	for _, c := range a.collections {
		schema := func(p field.Purpose) map[string]any { return c.schemaOf(p, ref) }
		if c.shape.Kind != "" {
			schema = c.documentSchema
			schemas[c.one+"_data"] = c.resourceSchema(field.Answer)
			if len(c.relations) > 0 {
				schemas[c.one+"_included"] = c.includedSchema()
			}
		}
		schemas[c.one], schemas[c.one+"_body"], schemas[c.one+"_change"] = schema(field.Answer), schema(field.Body), schema(field.Patch)
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
func refusals(rt *route, op *Operation) []int {
	list := []int{400, 404, 406, 500, 503}
	if !rt.public {
		list = append(list, 401, 403, 410, 429)
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
	if slices.ContainsFunc(op.Answers, func(r Response) bool { return r.Status == http.StatusPartialContent }) {
		list = append(list, 412, 416)
	}
	return list
}

func (a *API) operation(rt *route, op *Operation) map[string]any {
	d := map[string]any{"operationId": op.ID, "summary": op.Summary}
	if op.resource != nil {
		d["tags"] = []string{op.resource.name}
	}
	if rt.public {
		d["security"] = []any{}
	}
	var params []any
	for _, p := range op.Params {
		entry := map[string]any{"name": p.Name, "in": "query", "description": p.Doc, "schema": p.Schema}
		if op.resource != nil && a.deprecated(op.resource.name, p.Name, "") {
			entry["deprecated"] = true
		}
		params = append(params, entry)
	}
	for _, h := range requestHeaders(op) {
		params = append(params, map[string]any{"name": h[0], "in": "header", "description": h[1], "schema": map[string]any{"type": "string"}})
	}
	if len(params) > 0 {
		d["parameters"] = params
	}
	if len(op.Takes) > 0 {
		content := map[string]any{}
		for _, mediaType := range op.Takes {
			content[mediaType] = map[string]any{"schema": op.bodySchema(mediaType, ref)}
		}
		d["requestBody"] = map[string]any{"required": true, "content": content}
	}
	responses := map[string]any{}
	for _, status := range refusals(rt, op) {
		responses[strconv.Itoa(status)] = map[string]any{"$ref": "#/components/responses/problem"}
	}
	for _, answer := range op.Answers {
		described, status := a.response(rt, answer), strconv.Itoa(answer.Status)
		if before, ok := responses[status].(map[string]any); ok && before["content"] != nil { // one more type of the same answer
			maps.Copy(described["content"].(map[string]any), before["content"].(map[string]any))
		}
		responses[status] = described
	}
	d["responses"] = responses
	return d
}

func (a *API) response(rt *route, answer Response) map[string]any {
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
		r["content"] = map[string]any{jsonType: media, versionType(max(rt.version, 1)): media}
	}
	return r
}

// requestHeaders are the headers that mean something to an operation.
func requestHeaders(op *Operation) [][2]string {
	switch op.Method {
	case http.MethodGet:
		return [][2]string{{"If-None-Match", "An ETag seen before; 304 when nothing has changed."}, {"Prefer", "count=exact adds meta.total to a list."}}
	case http.MethodPost:
		return [][2]string{{"Idempotency-Key", "Makes a repeated request give the first answer again, for 24 hours."}, {"Prefer", "return=minimal leaves the body out."}}
	}
	return [][2]string{{"If-Match", "The ETag last seen; 412 when it has changed since."}, {"Prefer", "return=minimal leaves the body out."}}
}

// bodySchema is what a body of the type may hold; named gives the schema of a name.
func (op *Operation) bodySchema(mediaType string, named func(name string) any) any {
	if op.resource == nil || op.Raw != nil && slices.Contains(op.Raw.Types, mediaType) {
		return map[string]any{}
	}
	switch {
	case op.batch != nil:
		return op.batch.schema(named(op.resource.one + "_body"))
	case mediaType == jsonPatchType:
		return map[string]any{"type": "array", "maxItems": jsondoc.MaxOperations, "items": map[string]any{"type": "object", "required": []string{"op", "path"}}}
	case op.Method == http.MethodPatch:
		return op.resource.shape.BodySchema(named(op.resource.one + "_change"))
	}
	return op.resource.shape.BodySchema(named(op.resource.one + "_body"))
}
