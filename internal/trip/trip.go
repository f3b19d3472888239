// Package trip is what is known of a request on its way: those around the API begin it, the API adds which route it took, and the
// log says in each line to which one it belongs.
package trip

import (
	"context"
	"log/slog"

	"verbless/internal/trace"
)

// Trip is one request.
type Trip struct {
	ID    string // in logs and problems
	Trace string // of which it is a part, if any
	Route string // the pattern, never the path itself; empty: it led nowhere
}

type key struct{}

// With lets ctx be part of a trip.
func With(ctx context.Context, t *Trip) context.Context { return context.WithValue(ctx, key{}, t) }

// From is the trip that ctx is part of, or nil.
func From(ctx context.Context) *Trip {
	t, _ := ctx.Value(key{}).(*Trip)
	return t
}

// ID is the name of the request in ctx.
func ID(ctx context.Context) string {
	if t := From(ctx); t != nil {
		return t.ID
	}
	return ""
}

// Took says which route the request in ctx took.
func Took(ctx context.Context, route string) {
	if t := From(ctx); t != nil {
		t.Route = route
	}
}

// Log says in every line which request and which trace it belongs to, as far as its context knows.
func Log(h slog.Handler) slog.Handler { return related{h} }

type related struct{ slog.Handler }

// Handle adds what the context knows.
func (h related) Handle(ctx context.Context, r slog.Record) error {
	var traced string
	if t := From(ctx); t != nil {
		r.AddAttrs(slog.String("request_id", t.ID))
		traced = t.Trace
	} else {
		traced = trace.From(ctx).TraceID()
	}
	if traced != "" {
		r.AddAttrs(slog.String("trace_id", traced))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps it so for what is made of it.
func (h related) WithAttrs(attrs []slog.Attr) slog.Handler {
	return related{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps it so for what is made of it.
func (h related) WithGroup(name string) slog.Handler { return related{h.Handler.WithGroup(name)} }
