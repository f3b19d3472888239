// Package problem is how a fault looks to a client: its HTTP status, and its body as RFC 9457 has it.
//
// It shows what a fault says and nothing of its cause.
package problem

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// statuses gives each kind of fault its HTTP status.
var statuses = map[fault.Kind]int{
	fault.KindInvalid:         http.StatusBadRequest,
	fault.KindUnauthenticated: http.StatusUnauthorized,
	fault.KindForbidden:       http.StatusForbidden,
	fault.KindNotFound:        http.StatusNotFound,
	fault.KindMethod:          http.StatusMethodNotAllowed,
	fault.KindNotAcceptable:   http.StatusNotAcceptable,
	fault.KindTimeout:         http.StatusRequestTimeout,
	fault.KindConflict:        http.StatusConflict,
	fault.KindGone:            http.StatusGone,
	fault.KindLengthRequired:  http.StatusLengthRequired,
	fault.KindPrecondition:    http.StatusPreconditionFailed,
	fault.KindTooLarge:        http.StatusRequestEntityTooLarge,
	fault.KindUnsupported:     http.StatusUnsupportedMediaType,
	fault.KindRange:           http.StatusRequestedRangeNotSatisfiable,
	fault.KindUnprocessable:   http.StatusUnprocessableEntity,
	fault.KindTooMany:         http.StatusTooManyRequests,
	fault.KindEarly:           http.StatusServiceUnavailable,
	fault.KindInternal:        http.StatusInternalServerError,
	fault.KindUnavailable:     http.StatusServiceUnavailable,
}

// StatusOf is the HTTP status of a code.
func StatusOf(code fault.Code) int {
	info, _ := fault.Lookup(code)
	return statuses[info.Kind]
}

// HeaderPrefix marks a detail of a fault that belongs into a header, not into the body.
const HeaderPrefix = "header:"

// Write gives the body of a fault, with our code and message. base is the address of the service, which has a page for each code.
func Write(f *fault.Fault, base, requestID string) []byte {
	info, _ := fault.Lookup(f.Code)
	doc := jsondoc.NewObject(
		jsondoc.Member{Name: "type", Value: base + "/problems/" + string(f.Code)},
		jsondoc.Member{Name: "title", Value: info.Title},
		jsondoc.Member{Name: "status", Value: jsondoc.Number(strconv.Itoa(StatusOf(f.Code)))},
		jsondoc.Member{Name: "code", Value: string(f.Code)},
		jsondoc.Member{Name: "message", Value: f.Message},
		jsondoc.Member{Name: "request_id", Value: requestID},
	)
	for _, name := range slices.Sorted(maps.Keys(f.Details)) {
		if !strings.HasPrefix(name, HeaderPrefix) {
			doc.Set(name, jsondoc.From(f.Details[name]))
		}
	}
	parts := f.Parts
	if len(parts) == 0 && f.Pointer+f.Parameter+f.Header != "" {
		parts = []*fault.Fault{f}
	}
	if len(parts) > 0 {
		list := make([]any, 0, len(parts))
		for _, f := range parts {
			list = append(list, part(f))
		}
		doc.Set("errors", list)
	}
	return append(jsondoc.Append(nil, doc), '\n')
}

func part(f *fault.Fault) any {
	one := jsondoc.NewObject(jsondoc.Member{Name: "code", Value: string(f.Code)}, jsondoc.Member{Name: "message", Value: f.Message})
	switch {
	case f.Parameter != "":
		one.Set("parameter", f.Parameter)
	case f.Header != "":
		one.Set("header", f.Header)
	default:
		one.Set("pointer", f.Pointer)
	}
	return one
}

// Challenge says how to authenticate; a reason is given only to those who tried (RFC 6750).
func Challenge(code fault.Code) string {
	if code == fault.Unauthenticated {
		return `Bearer realm="verbless"`
	}
	return `Bearer realm="verbless", error="invalid_token"`
}
