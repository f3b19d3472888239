package rest

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
	"verbless/internal/trip"
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

// HeaderDetail begins the name of a detail of a fault that belongs into a header, not into the body.
const HeaderDetail = "header:"

// refuse answers with a problem document. Nothing of an internal cause is ever shown.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody is listening any more
	}
	f := fault.As(err)
	status := StatusOf(f.Code)
	if info, _ := fault.Lookup(f.Code); info.Kind >= fault.KindInternal {
		a.Log.LogAttrs(r.Context(), slog.LevelError, "request failed",
			slog.String("code", string(f.Code)), slog.Any("error", err))
	}
	h := w.Header()
	for name, value := range f.Details {
		if header, ok := strings.CutPrefix(name, HeaderDetail); ok {
			h.Set(header, value.(string))
		}
	}
	if f.Retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(f.Retry.Seconds()))))
	} else if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", challenge(f.Code))
	}
	body := a.problem(f, status, trip.ID(r.Context()))
	h["Vary"] = a.vary
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// challenge says how to authenticate; a reason is given only to those who tried (RFC 6750).
func challenge(code fault.Code) string {
	if code == fault.Unauthenticated {
		return `Bearer realm="verbless"`
	}
	return `Bearer realm="verbless", error="invalid_token"`
}

// problem is the body of RFC 9457 with our code and message.
func (a *API) problem(f *fault.Fault, status int, requestID string) []byte {
	info, _ := fault.Lookup(f.Code)
	doc := jsondoc.NewObject(
		jsondoc.Member{Name: "type", Value: a.Base + "/problems/" + string(f.Code)},
		jsondoc.Member{Name: "title", Value: info.Title},
		jsondoc.Member{Name: "status", Value: jsondoc.Number(strconv.Itoa(status))},
		jsondoc.Member{Name: "code", Value: string(f.Code)},
		jsondoc.Member{Name: "message", Value: f.Message},
		jsondoc.Member{Name: "request_id", Value: requestID},
	)
	for _, name := range sortedKeys(f.Details) {
		if !strings.HasPrefix(name, HeaderDetail) {
			doc.Set(name, jsondoc.From(f.Details[name]))
		}
	}
	parts := f.Parts
	if len(parts) == 0 && f.Pointer+f.Parameter+f.Header != "" {
		parts = []*fault.Fault{f}
	}
	if len(parts) > 0 {
		list := make([]any, 0, len(parts))
		for _, part := range parts {
			list = append(list, problemPart(part))
		}
		doc.Set("errors", list)
	}
	return append(jsondoc.Append(nil, doc), '\n')
}

func problemPart(f *fault.Fault) any {
	part := jsondoc.NewObject(jsondoc.Member{Name: "code", Value: string(f.Code)}, jsondoc.Member{Name: "message", Value: f.Message})
	switch {
	case f.Parameter != "":
		part.Set("parameter", f.Parameter)
	case f.Header != "":
		part.Set("header", f.Header)
	default:
		part.Set("pointer", f.Pointer)
	}
	return part
}
