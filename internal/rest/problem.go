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
	"verbless/internal/problem"
	"verbless/internal/trip"
)

// StatusOf is the HTTP status of a code.
func StatusOf(code fault.Code) int { return problem.StatusOf(code) }

// HeaderDetail begins the name of a detail of a fault that belongs into a header, not into the body.
const HeaderDetail = problem.HeaderPrefix

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
		h.Set("WWW-Authenticate", problem.Challenge(f.Code))
	}
	body := problem.Write(f, a.Base, trip.ID(r.Context()))
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
