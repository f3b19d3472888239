package describe

import (
	"maps"
	"net/http"

	"verbless/internal/rest"
)

// known are the headers of answers that the conventions add.
var known = map[string]string{
	"Accept":                 "The types that a body may have.",
	"Accept-Encoding":        "How a body may be encoded: not at all.",
	"Accept-Patch":           "The types that a PATCH may have.",
	"Accept-Post":            "The types that a POST may have.",
	"Accept-Ranges":          "Parts can be asked for, in bytes.",
	"Allow":                  "The methods of this address.",
	"Cache-Control":          "Who may keep the answer, and for how long.",
	"Content-Range":          "Which bytes these are, and of how many.",
	"Deprecation":            "Since when what was used here is deprecated (RFC 9745).",
	"ETag":                   "The version of what is shown. Send it in If-None-Match to ask whether there is a new one, or in If-Match to change only this one.",
	"Idempotency-Replayed":   "true: this is the answer that the first request with the key got.",
	"Link":                   "The next and the previous page (RFC 8288), and what tells of a deprecation.",
	"Location":               "Where to find what was made.",
	"Range":                  "The bytes that are here.",
	"Preference-Applied":     "What of Prefer was heeded.",
	"Retry-After":            "After how many seconds it is worth trying again.",
	"Sunset":                 "When what was used here will be gone (RFC 8594).",
	"Vary":                   "The request headers that the answer depends on; the same for all answers.",
	"WWW-Authenticate":       "How to authenticate (RFC 6750).",
	"X-Content-Type-Options": "nosniff: the type is what Content-Type says.",
}

// always are the headers of every answer.
var always = []string{"Cache-Control", "Vary", "X-Content-Type-Options"}

// headers describes headers of an answer: those that all have, and the ones named.
func (d *description) headers(names ...string) map[string]any {
	described := map[string]any{}
	for _, name := range always {
		described[name] = d.header(rest.Header{Name: name, Doc: known[name], Always: true})
	}
	for _, h := range d.api.Headers {
		described[h.Name] = d.header(h)
	}
	for _, name := range names {
		described[name] = d.header(rest.Header{Name: name, Doc: known[name]})
	}
	return described
}

func (d *description) header(h rest.Header) any {
	entry := map[string]any{"description": h.Doc, "schema": map[string]any{"type": "string", "maxLength": maxHeader}}
	if h.Always {
		entry["required"] = true
	}
	return d.once(d.kept.headers, "headers", h.Name, entry)
}

// maxHeader is longer than any header: Link repeats the address of a list.
const maxHeader = 4 * maxAddress

func (d *description) problemHeaders(status int) map[string]any {
	switch status {
	case http.StatusUnauthorized:
		return d.headers("WWW-Authenticate")
	case http.StatusUnsupportedMediaType:
		return d.headers("Accept", "Accept-Encoding", "Accept-Patch", "Accept-Post")
	case http.StatusRequestedRangeNotSatisfiable:
		return d.headers("Accept-Ranges", "Content-Range")
	case http.StatusServiceUnavailable, http.StatusConflict, http.StatusTooManyRequests:
		return d.headers("Retry-After")
	}
	return d.headers()
}

// answerHeaders are those of an answer when all goes well.
func (d *description) answerHeaders(op *rest.Operation, answer rest.Response) map[string]any {
	k := op.Kind()
	var names []string
	if op.Method == http.MethodGet || op.Method == http.MethodPost && op.Batch() == nil || op.Method == http.MethodPatch {
		names = append(names, "ETag")
	}
	if op.Method == http.MethodPost {
		names = append(names, "Idempotency-Replayed", "Location")
	}
	if k != nil {
		names = append(names, "Preference-Applied")
	}
	deprecated := k != nil && d.api.Deprecates(k.Name)
	if deprecated {
		names = append(names, "Deprecation", "Sunset")
	}
	if deprecated || op.Lists() {
		names = append(names, "Link")
	}
	if answer.Type != "" && k == nil {
		names = append(names, "Accept-Ranges")
	}
	if answer.Status == http.StatusPartialContent {
		names = append(names, "Content-Range")
	}
	described := d.headers(names...)
	own := map[string]any{}
	for _, h := range answer.Headers {
		own[h.Name] = d.header(h)
	}
	maps.Copy(described, own)
	return described
}

// requestHeaders are the headers that mean something to an operation.
func requestHeaders(op *rest.Operation) [][2]string {
	switch {
	case op.Method == http.MethodGet && op.Lists():
		return [][2]string{{"If-None-Match", "An ETag seen before; 304 when nothing has changed."}, {"Prefer", "count=exact adds meta.total."}}
	case op.Method == http.MethodGet && hasStatus(op, http.StatusPartialContent):
		return [][2]string{{"If-None-Match", "An ETag seen before; 304 when nothing has changed."}, {"If-Match", "412 unless it has this ETag."},
			{"Range", "Which bytes to send."}, {"If-Range", "Range counts only while this is the ETag."}}
	case op.Method == http.MethodGet:
		return [][2]string{{"If-None-Match", "An ETag seen before; 304 when nothing has changed."}}
	case op.Method == http.MethodPost:
		return [][2]string{{"Idempotency-Key", "Makes a repeated request give the first answer again, for 24 hours."}, {"Prefer", "return=minimal leaves the body out."}}
	case op.Method == http.MethodDelete:
		return [][2]string{{"If-Match", "The ETag last seen; 412 when it has changed since."}, {"If-None-Match", "412 when it still has this ETag."}}
	}
	return [][2]string{{"If-Match", "The ETag last seen; 412 when it has changed since."}, {"If-None-Match", "412 when it still has this ETag."}, {"Prefer", "return=minimal leaves the body out."}}
}
