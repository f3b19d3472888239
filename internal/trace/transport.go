package trace

import (
	"context"
	"errors"
	"net/http"
	"strconv"
)

// Transport makes a span of each call to another system, and continues the trace there. Of the address it tells the host alone.
func Transport(base http.RoundTripper) http.RoundTripper { return transport{base} }

type transport struct{ http.RoundTripper }

// RoundTrip changes a copy of the request, never the request itself. The span ends with the header of the answer.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	above := From(r.Context())
	if above == nil {
		return t.RoundTripper.RoundTrip(r)
	}
	ctx, span := Start(r.Context(), r.Method, Client)
	span.Set("http.request.method", r.Method)
	span.Set("server.address", r.URL.Hostname())
	if port, err := strconv.Atoi(r.URL.Port()); err == nil {
		span.SetInt("server.port", port)
	}
	r = r.Clone(ctx)
	carrier := From(ctx) // the one above, when this trace is not recorded
	r.Header.Set("Traceparent", carrier.Parent())
	if carrier.state != "" {
		r.Header.Set("Tracestate", carrier.state)
	}
	response, err := t.RoundTripper.RoundTrip(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		span.Fail("timeout")
	case err != nil:
		span.Fail("connection")
	default:
		span.SetInt("http.response.status_code", response.StatusCode)
		if response.StatusCode >= 400 {
			span.Fail(strconv.Itoa(response.StatusCode))
		}
	}
	span.End()
	return response, err
}
