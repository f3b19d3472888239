package app

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"verbless/internal/trace"
	"verbless/internal/trip"
)

// observed names a request, writes a line for it, counts it, and ends its span. Headers, bodies and queries get into none of them.
func (a *App) observed(next http.Handler) http.Handler {
	trust := a.trust()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &recorder{ResponseWriter: w, control: http.NewResponseController(w), limit: a.answerTime(), shared: r.ProtoMajor >= 2, trip: trip.Trip{ID: a.nameOf(r)}}
		at := &rec.trip
		w.Header()["X-Request-Id"] = []string{at.ID}
		ctx, span := a.receive(trip.With(r.Context(), at), r, at)
		r = r.WithContext(ctx)
		if len(trust.Proxies) > 0 { // r is a copy of ours by now
			r.RemoteAddr = trust.Client(r).String()
		}
		a.traffic.flying.Add(1)
		defer func() {
			took := time.Since(start)
			a.traffic.flying.Add(-1)
			a.traffic.count(at.Route, r.Method, rec.status, took)
			a.logRequest(r, rec, took)
			if span != nil {
				a.finish(span, r, at, rec.status)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// logRequest writes the line that every request has. It goes past what adds names to lines: it knows them, and there are many.
func (a *App) logRequest(r *http.Request, rec *recorder, took time.Duration) {
	attrs := [...]slog.Attr{
		slog.String("request_id", rec.trip.ID), slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("route", rec.trip.Route),
		slog.Int("status", rec.status), slog.Int("bytes", rec.bytes), slog.Duration("took", took), slog.String("remote", r.RemoteAddr), slog.String("trace_id", rec.trip.Trace),
	}
	told := attrs[:]
	if rec.trip.Trace == "" {
		told = attrs[:len(attrs)-1]
	}
	a.lines.LogAttrs(context.Background(), slog.LevelInfo, "request", told...)
}

// receive continues the trace that a request is part of. Without a collector it only notes which that is, for the log.
func (a *App) receive(ctx context.Context, r *http.Request, at *trip.Trip) (context.Context, *trace.Span) {
	var parent string
	if lines := r.Header["Traceparent"]; len(lines) == 1 { // several are none (W3C Trace Context, 3.2)
		parent = lines[0]
	}
	if a.tracer == nil {
		at.Trace = trace.Parse(parent)
		return ctx, nil
	}
	ctx, span := a.tracer.Receive(ctx, r.Method, trace.Server, parent, strings.Join(r.Header["Tracestate"], ","))
	at.Trace = span.TraceID()
	return ctx, span
}

// finish tells of a request by OpenTelemetry's names for HTTP: the route and not the path, and nothing of who asked.
func (a *App) finish(span *trace.Span, r *http.Request, at *trip.Trip, status int) {
	switch at.Route {
	case "/healthz", "/readyz", "/metrics": // asked for every few seconds, by machines
		span.Drop()
	}
	method := methodName(r.Method)
	name := method
	if method == otherMethod {
		name, method = "HTTP", "_OTHER"
	}
	if at.Route != "" {
		name += " " + at.Route
		span.Set("http.route", at.Route)
	}
	span.Name(name)
	span.Set("http.request.method", method)
	span.Set("url.scheme", a.scheme)
	span.Set("network.protocol.version", strconv.Itoa(r.ProtoMajor)+"."+strconv.Itoa(r.ProtoMinor))
	span.Set("verbless.request_id", at.ID)
	if status > 0 {
		span.SetInt("http.response.status_code", status)
	}
	switch {
	case status == 0:
		span.Fail("aborted")
	case status >= 500:
		span.Fail(strconv.Itoa(status))
	}
	span.End()
}
