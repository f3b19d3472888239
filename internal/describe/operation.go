package describe

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/jsondoc"
	"verbless/internal/rest"
)

func (d *description) operation(path rest.Path, op *rest.Operation) map[string]any {
	entry := d.head(path, op)
	entry["operationId"], entry["summary"] = op.ID, op.Summary
	if len(op.Takes) > 0 {
		content := map[string]any{}
		for _, mediaType := range op.Takes {
			content[mediaType] = d.exampled(map[string]any{"schema": bodySchema(op, mediaType, ref)}, op.Method+" "+path.Pattern, op.ID, 0, mediaType)
		}
		entry["requestBody"] = map[string]any{"required": true, "content": content}
	}
	responses := d.refused(codes(path, op), held(op)...)
	for _, answer := range d.answers(op) {
		described, status := d.response(path, op, answer), strconv.Itoa(answer.Status)
		if before, ok := responses[status].(map[string]any); ok && before["content"] != nil { // one more type of the same answer
			maps.Copy(described["content"].(map[string]any), before["content"].(map[string]any))
		}
		responses[status] = described
	}
	entry["responses"] = responses
	return entry
}

// head describes HEAD: all that GET has, but for the bodies.
func (d *description) head(path rest.Path, op *rest.Operation) map[string]any {
	k := op.Kind()
	entry := map[string]any{"operationId": "head" + strings.ToUpper(op.ID[:1]) + op.ID[1:], "summary": "The headers of: " + op.Summary, "description": d.allowedTo(path, op), "tags": []string{serviceTag}}
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
		params = append(params, d.once(d.kept.parameters, "parameters", partName(p.Name), param))
	}
	for _, h := range requestHeaders(op) {
		params = append(params, d.once(d.kept.parameters, "parameters", h[0], map[string]any{"name": h[0], "in": "header", "description": h[1], "schema": map[string]any{"type": "string", "maxLength": maxHeader}}))
	}
	if len(params) > 0 {
		entry["parameters"] = params
	}
	responses := map[string]any{}
	for status, refusal := range d.refused(codes(path, op), held(op)...) {
		responses[status] = refusal
	}
	for _, answer := range d.answers(op) {
		responses[strconv.Itoa(answer.Status)] = map[string]any{"description": answer.Doc, "headers": d.answerHeaders(op, answer)}
	}
	entry["responses"] = responses
	return entry
}

// partName is a name that components may have: created_at[gte] is not one.
func partName(name string) string { return strings.NewReplacer("[", ".", "]", "").Replace(name) }

// allowedTo says who may call an operation.
func (d *description) allowedTo(path rest.Path, op *rest.Operation) string {
	switch {
	case path.Public:
		return "For everyone, without a token."
	case op.Kind() == nil:
		return "For everyone with a token who may see what it is about."
	}
	return map[rest.Who]string{rest.Nobody: "For nobody.", rest.Admins: "For admins.", rest.Owners: "For the owner, and for admins.", rest.Everyone: "For everyone with a token."}[op.Who()]
}

func (d *description) response(path rest.Path, op *rest.Operation, answer rest.Response) map[string]any {
	r := map[string]any{"description": answer.Doc, "headers": d.answerHeaders(op, answer)}
	if answer.Schema == nil && answer.Type == "" {
		return r
	}
	types := []string{answer.Type}
	if answer.Type == "" {
		types = []string{jsonType, rest.VersionType(path.Version)}
	}
	content := map[string]any{}
	for _, mediaType := range types {
		media := map[string]any{}
		if answer.Schema != nil {
			media["schema"] = answer.Schema
		}
		content[mediaType] = d.exampled(media, op.Method+" "+path.Pattern, op.ID, answer.Status, types[0])
	}
	r["content"] = content
	return r
}

// bodySchema is what a body of the type may hold; named gives the schema of a name.
func bodySchema(op *rest.Operation, mediaType string, named func(name string) any) any {
	k := op.Kind()
	if op.Raw != nil && slices.Contains(op.Raw.Types, mediaType) {
		return map[string]any{"description": "The bytes, " + strconv.FormatInt(op.Raw.Max, 10) + " at most."}
	}
	switch {
	case k == nil:
		return map[string]any{}
	case op.Batch() != nil:
		return batchSchema(op.Batch(), named(k.One+"_body"))
	case mediaType == jsonPatchType:
		return jsonPatchSchema()
	case op.Method == http.MethodPatch:
		return k.Shape.BodySchema(named(k.One + "_change"))
	}
	return k.Shape.BodySchema(named(k.One + "_body"))
}

// jsonPatchSchema is RFC 6902.
func jsonPatchSchema() any {
	pointer := map[string]any{"type": "string", "format": "json-pointer", "maxLength": maxAddress}
	operation := func(required []string, words ...string) any {
		properties := map[string]any{"op": map[string]any{"type": "string", "enum": words}, "path": pointer}
		for _, name := range required {
			properties[name] = map[string]any{"from": pointer, "value": map[string]any{}}[name]
		}
		return map[string]any{"type": "object", "required": append([]string{"op", "path"}, required...), "properties": properties}
	}
	return map[string]any{"type": "array", "description": "Operations on what GET returns, all or none (RFC 6902).", "maxItems": jsondoc.MaxOperations, "items": map[string]any{"oneOf": []any{
		operation([]string{"value"}, "add", "replace", "test"), operation([]string{"from"}, "move", "copy"), operation(nil, "remove")}}}
}

func batchSchema(b *rest.Batch, one any) any {
	if len(b.Required) > 0 {
		one = map[string]any{"allOf": []any{one, map[string]any{"required": b.Required}}}
	}
	return map[string]any{"type": "array", "minItems": 1, "maxItems": b.Max, "items": one}
}

// answers says what an operation answers when all goes well.
func (d *description) answers(op *rest.Operation) []rest.Response {
	k := op.Kind()
	switch {
	case k == nil && hasStatus(op, http.StatusPartialContent):
		parts := op.Answers[slices.IndexFunc(op.Answers, func(r rest.Response) bool { return r.Status == http.StatusPartialContent })]
		parts.Type = "multipart/byteranges"
		return append(slices.Clone(op.Answers), parts)
	case k == nil || op.Answers != nil:
		return op.Answers
	case op.Batch() != nil:
		many := k.Shape.ManySchema(ref(k.One))
		many["properties"].(map[string]any)[k.Shape.Many].(map[string]any)["maxItems"] = op.Batch().Max
		return []rest.Response{{Status: 201, Doc: "All were created; here they are in the order sent.", Schema: many}}
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

func hasStatus(op *rest.Operation, status int) bool {
	return slices.ContainsFunc(op.Answers, func(r rest.Response) bool { return r.Status == status })
}

// held are the headers that refusals have where a body comes piece by piece.
func held(op *rest.Operation) []string {
	if op.Streams {
		return []string{"Range"}
	}
	return nil
}
