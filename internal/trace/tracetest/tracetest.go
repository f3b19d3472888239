// Package tracetest is an OpenTelemetry collector for tests: it takes OTLP/HTTP, reads it with OpenTelemetry's own library, and
// keeps what came.
package tracetest

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	wire "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector takes spans until the test ends.
type Collector struct {
	URL   string
	mu    sync.Mutex
	spans []Span
	all   []byte // every body, one after the other
	head  http.Header
	from  map[string]string // attributes of the resource
	fault func(w http.ResponseWriter) bool
}

// Span is one span as it came.
type Span struct {
	Trace, ID, Parent, Name, State string
	Kind                           wire.Span_SpanKind
	Failed, Remote                 bool
	Took                           time.Duration
	Attributes                     map[string]string
}

// Start runs a collector.
func Start(t testing.TB) *Collector {
	c := &Collector{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.take(t, w, r) }))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Trouble lets fn answer in place of the collector; false is for going on as usual.
func (c *Collector) Trouble(fn func(w http.ResponseWriter) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = fn
}

func (c *Collector) take(t testing.TB, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the service has stopped
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fault != nil && c.fault(w) {
		return
	}
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("a collector would not take this: %s %s %s %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if len(request.ProtoReflect().GetUnknown()) > 0 {
		t.Error("there are fields that OpenTelemetry does not know")
	}
	c.all, c.head = append(c.all, body...), r.Header
	for _, resource := range request.ResourceSpans {
		c.from = attributes(resource.Resource.Attributes)
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				if len(s.TraceId) != 16 || len(s.SpanId) != 8 || s.StartTimeUnixNano == 0 || s.EndTimeUnixNano < s.StartTimeUnixNano || s.Name == "" || len(s.ProtoReflect().GetUnknown()) > 0 {
					t.Errorf("not a span: %v", s)
				}
				c.spans = append(c.spans, Span{
					Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId), Parent: hex.EncodeToString(s.ParentSpanId), Name: s.Name, State: s.TraceState,
					Kind: s.Kind, Failed: s.Status.GetCode() == wire.Status_STATUS_CODE_ERROR, Took: time.Duration(s.EndTimeUnixNano - s.StartTimeUnixNano),
					Remote: s.Flags&uint32(wire.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK) != 0, Attributes: attributes(s.Attributes),
				})
			}
		}
	}
	answer, err := proto.Marshal(&collector.ExportTraceServiceResponse{})
	if err != nil {
		t.Error(err)
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.Write(answer)
}

func attributes(list []*common.KeyValue) map[string]string {
	values := map[string]string{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			values[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			values[a.Key] = strconv.FormatInt(v.IntValue, 10)
		}
	}
	return values
}

// Spans are those that have come so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Bytes is all that has come so far, as it came.
func (c *Collector) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

// Last is the header of the last request, and what it said of the process that sent it.
func (c *Collector) Last() (http.Header, map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head, c.from
}

// Await waits until enough has come, and gives it.
func (c *Collector) Await(t testing.TB, enough func([]Span) bool) []Span {
	t.Helper()
	for range 1000 {
		if spans := c.Spans(); enough(spans) {
			return spans
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the spans did not come; there are %+v", c.Spans())
	return nil
}

// Named picks the spans of a name.
func Named(spans []Span, name string) (found []Span) {
	for _, s := range spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}
