package describe

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

const problemType = "application/problem+json"

// codes are the problems that an operation may answer with: those of the conventions it takes part in, and its own.
func codes(path rest.Path, op *rest.Operation) []fault.Code {
	read, k := op.Method == http.MethodGet, op.Kind()
	list := append(everywhere(), fault.NotAcceptable)
	add := func(when bool, more ...fault.Code) {
		if when {
			list = append(list, more...)
		}
	}
	add(!path.Public && !op.Open, fault.Unauthenticated, fault.InvalidToken, fault.TokenExpired, fault.InvalidRequest)
	add(!path.Public && !op.Open && !(read && k != nil && !op.Lists()), fault.ForbiddenCode)
	add(strings.Contains(path.Pattern, "{"), fault.NotFoundCode)
	add(!op.Loose, fault.UnknownParameter)
	add(!op.Loose || len(op.Params) > 0, fault.InvalidParameter)
	add(read && k != nil, fault.UnknownField, fault.ValidationFailed)
	add(op.Lists(), fault.InvalidCursor)
	add(len(op.Takes) > 0, fault.InvalidJSON, fault.ValidationFailed, fault.UploadIncomplete, fault.BodyTooSlow, fault.BodyTooLarge, fault.UnsupportedMediaType)
	add(op.Raw != nil, fault.LengthRequired)
	add(op.Batch() != nil, fault.BatchTooLarge)
	add(!read, fault.InvalidHeader, fault.StorageFull, fault.OutcomeUnknown)
	add(!read && k != nil && !op.Whole(), fault.PreconditionFailed)
	add(op.Method == http.MethodPost, fault.IdempotencyInProgress, fault.IdempotencyKeyReused)
	add(k != nil && !read, fault.StillReferenced)
	add(k != nil && len(op.Takes) > 0, fault.AlreadyExists)
	add(op.Method == http.MethodPatch, fault.InvalidPatch, fault.PatchTestFailed, fault.PatchConflict)
	add(hasStatus(op, http.StatusPartialContent), fault.RangeNotSatisfiable, fault.PreconditionFailed)
	if op.Raw != nil {
		list = append(list, op.Raw.TooLarge)
	}
	for _, code := range op.Refuses {
		info, _ := fault.Lookup(code)
		add(k == nil || info.Kind == fault.KindGone && strings.Contains(path.Pattern, "{") || info.Kind != fault.KindGone && !read, code)
	}
	return list
}

// everywhere are the problems that anything may answer with: ours, and those of whoever asks too often.
func everywhere() []fault.Code {
	list := []fault.Code{fault.Internal, fault.Unavailable}
	for _, info := range fault.Codes {
		if info.Kind == fault.KindTooMany {
			list = append(list, info.Code)
		}
	}
	return list
}

// refused are the answers to what cannot be done, by status. Equal ones are described once.
func (d *description) refused(codes []fault.Code, headers ...string) map[string]any {
	slices.Sort(codes)
	byStatus := map[int][]fault.Code{}
	for _, code := range slices.Compact(codes) {
		byStatus[rest.StatusOf(code)] = append(byStatus[rest.StatusOf(code)], code)
	}
	refusals := map[string]any{}
	for status, list := range byStatus {
		refusals[strconv.Itoa(status)] = d.problem(status, list, headers...)
	}
	return refusals
}

// problem is the response of a status with one of the codes.
func (d *description) problem(status int, list []fault.Code, more ...string) any {
	word := strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
	texts, examples, headers := []string{}, map[string]any{}, d.problemHeaders(status)
	for _, name := range more {
		headers[name] = d.header(rest.Header{Name: name, Doc: known[name]})
	}
	for _, code := range list {
		info, _ := fault.Lookup(code)
		texts = append(texts, "`"+string(code)+"`: "+info.Title+".")
		if example := d.problemExample(code); example != nil {
			examples[string(code)] = example
		}
	}
	media := map[string]any{"schema": map[string]any{"allOf": []any{ref("problem"), map[string]any{"type": "object", "properties": map[string]any{
		"status": map[string]any{"const": status}, "code": map[string]any{"type": "string", "enum": list}}}}}}
	if len(examples) > 0 {
		media["examples"] = examples
	}
	return d.once(d.kept.responses, "responses", word, map[string]any{"description": strings.Join(texts, "\n\n"), "headers": headers, "content": map[string]any{problemType: media}})
}

// once keeps a part of the description under a name, and gives the reference to it. A different part that has the name already gets a number.
func (d *description) once(kept map[string]any, section, name string, part any) any {
	text := string(marshal(part))
	for n := 1; ; n++ {
		at := name
		if n > 1 {
			at += "_" + strconv.Itoa(n)
		}
		if kept[at] == nil {
			kept[at] = part
		}
		if string(marshal(kept[at])) == text {
			return map[string]any{"$ref": "#/components/" + section + "/" + at}
		}
	}
}

// problemSchema is RFC 9457 with our members.
func problemSchema() map[string]any {
	codes := make([]string, len(fault.Codes))
	for i, info := range fault.Codes {
		codes[i] = string(info.Code)
	}
	text := func(doc string, most int) any {
		return map[string]any{"type": "string", "description": doc, "maxLength": most}
	}
	code := map[string]any{"type": "string", "description": "For machines. Its page under /problems says more.", "enum": codes}
	return map[string]any{
		"type":        "object",
		"description": "Why something was not done (RFC 9457). Some codes add members of their own, which their pages name.",
		"required":    []string{"type", "title", "status", "code", "message", "request_id"},
		"properties": map[string]any{
			"type":  map[string]any{"type": "string", "format": "uri", "description": "The page of the code.", "maxLength": 2048},
			"title": text("The code in a few words.", 200), "message": text("What is wrong with this request, for people.", 10_000),
			"request_id": text("Names the request in the log.", 64),
			"status":     map[string]any{"type": "integer", "format": "int32", "minimum": 400, "maximum": 599},
			"code":       code,
			"errors": map[string]any{"type": "array", "description": "Every fault of the request.", "maxItems": 100_000, "items": map[string]any{
				"type": "object", "required": []string{"code", "message"}, "additionalProperties": false,
				"properties": map[string]any{"code": code, "message": text("What is wrong.", 10_000), "pointer": text("JSON Pointer to the member of the body.", 10_000),
					"parameter": text("The query parameter.", 10_000), "header": text("The request header.", 100)},
			}},
		},
	}
}
