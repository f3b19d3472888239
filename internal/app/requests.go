package app

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"verbless/internal/metric"
)

// traffic counts requests by route, method and status. Each of them has few values: a route is a pattern, never the path, and a
// method that the API does not know is "other".
type traffic struct {
	metrics *metric.Registry
	flying  *metric.Level
	mu      sync.Mutex
	lanes   atomic.Pointer[map[lane]counted] // replaced whole by one more, so that nobody who counts waits
}

type lane struct {
	route, method string
	status        int // 0: the client left without an answer
}

type counted struct {
	requests *metric.Counter
	took     *metric.Histogram // shared by all statuses
}

func newTraffic(r *metric.Registry) *traffic {
	t := &traffic{metrics: r, flying: r.Level("verbless_http_requests_in_flight", "Requests that are being answered.")}
	t.lanes.Store(&map[lane]counted{})
	return t
}

// count takes a request into account.
func (t *traffic) count(route, method string, status int, took time.Duration) {
	at := lane{route, methodName(method), status}
	in, known := (*t.lanes.Load())[at]
	if !known {
		in = t.open(at)
	}
	in.requests.Add(1)
	in.took.Took(took)
}

// open makes the metrics of a lane that is used for the first time.
func (t *traffic) open(at lane) counted {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := *t.lanes.Load()
	if in, known := old[at]; known {
		return in
	}
	route, status := at.route, strconv.Itoa(at.status)
	if route == "" {
		route = "none"
	}
	if at.status == 0 {
		status = "none"
	}
	var in counted
	for other, has := range old {
		if other.route == at.route && other.method == at.method {
			in.took = has.took
		}
	}
	if in.took == nil {
		in.took = t.metrics.Durations("verbless_http_request_duration_seconds", "How long requests took to answer.", "route", route, "method", at.method)
	}
	in.requests = t.metrics.Counter("verbless_http_requests_total", "Requests answered. The status none is for clients that left before.",
		"route", route, "method", at.method, "status", status)
	lanes := maps.Clone(old)
	lanes[at] = in
	t.lanes.Store(&lanes)
	return in
}

// methods are those that have a name in metrics and traces.
var methods = []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodHead, http.MethodOptions}

const otherMethod = "other"

func methodName(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return otherMethod
}
