package trace_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"verbless/internal/trace"
	"verbless/internal/trace/tracetest"
)

const (
	known  = "4bf92f3577b34da6a3ce929d0e0e4736"
	above  = "00f067aa0ba902b7"
	parent = "00-" + known + "-" + above + "-01"
)

func open(t testing.TB, endpoint string, adjust ...func(*trace.Options)) *trace.Tracer {
	t.Helper()
	o := trace.Options{Endpoint: endpoint, Sample: 1, Service: "tested", Version: "1.2", Instance: "node-7", Headers: "api-key=a%20secret, X-Other=b", Log: slog.New(slog.DiscardHandler)}
	for _, f := range adjust {
		f(&o)
	}
	tracer, err := trace.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tracer.Close)
	return tracer
}

// TestSpans sends a small trace and reads it back as a collector does.
func TestSpans(t *testing.T) {
	c := tracetest.Start(t)
	tracer := open(t, c.URL+"/")
	ctx, top := tracer.Receive(context.Background(), "?", trace.Server, parent, "vendor=1")
	top.Name("GET /things/{thing}")
	top.Set("http.route", "/things/{thing}")
	top.SetInt("http.response.status_code", 503)
	inner, work := trace.Start(ctx, "work", trace.Internal)
	_, deep := trace.Start(inner, "deeper", trace.Client)
	deep.Set("empty", "")
	deep.SetInt("negative", -1)
	deep.Fail("timeout")
	deep.End()
	work.End()
	_, silent := trace.Start(ctx, "silent", trace.Internal)
	silent.Drop()
	silent.End()
	top.End()
	_, job := tracer.Root(context.Background(), "job")
	job.End()
	for _, state := range []string{"a=\xff", "a=ü", "a=\n", strings.Repeat("a", 513)} { // none of it may spoil the batch
		_, odd := tracer.Receive(context.Background(), "odd", trace.Server, parent, state)
		odd.End()
	}

	spans := c.Await(t, func(s []tracetest.Span) bool { return len(s) == 8 })
	by := map[string]tracetest.Span{}
	for _, s := range spans {
		by[s.Name] = s
	}
	root, middle, leaf, alone := by["GET /things/{thing}"], by["work"], by["deeper"], by["job"]
	if root.Trace != known || root.Parent != above || !root.Remote || root.Kind != 2 || root.State != "vendor=1" || root.Failed || root.Attributes["http.response.status_code"] != "503" {
		t.Errorf("got %+v", root)
	}
	if middle.Trace != known || middle.Parent != root.ID || middle.Remote || middle.Kind != 1 || middle.State != "vendor=1" || middle.Took > root.Took {
		t.Errorf("got %+v", middle)
	}
	if leaf.Trace != known || leaf.Parent != middle.ID || leaf.Kind != 3 || !leaf.Failed || leaf.Attributes["error.type"] != "timeout" || leaf.Attributes["negative"] != "-1" {
		t.Errorf("got %+v", leaf)
	}
	if _, there := leaf.Attributes["empty"]; !there {
		t.Errorf("an empty text was lost: %+v", leaf)
	}
	if odd := by["odd"]; odd.Trace != known || odd.State != "" {
		t.Errorf("got %+v", odd)
	}
	if alone.Trace == known || alone.Parent != "" || alone.Remote {
		t.Errorf("got %+v", alone)
	}
	header, from := c.Last()
	if header.Get("Api-Key") != "a secret" || header.Get("X-Other") != "b" || from["service.name"] != "tested" || from["service.version"] != "1.2" || from["service.instance.id"] != "node-7" {
		t.Errorf("got %v, %v", header, from)
	}
}

// TestNobodyTraces: without a span above, nothing is begun, and without a tracer nothing begins.
func TestNobodyTraces(t *testing.T) {
	var none *trace.Tracer
	ctx, top := none.Receive(context.Background(), "a", trace.Server, parent, "")
	inner, s := trace.Start(ctx, "b", trace.Internal)
	if top != nil || s != nil || inner != context.Background() {
		t.Error("something was begun")
	}
	s.Set("a", "b")
	s.SetInt("a", 1)
	s.Fail("x")
	s.Name("c")
	s.Drop()
	s.Finish(context.Canceled)
	if s.TraceID() != "" {
		t.Error("nothing has a trace")
	}
	none.Close()
	if n := testing.AllocsPerRun(100, func() { _, s := trace.Start(ctx, "b", trace.Internal); s.End() }); n != 0 {
		t.Errorf("%v allocations for nothing", n)
	}
}

// TestSampling: where a caller has decided, that counts; the trace goes on either way.
func TestSampling(t *testing.T) {
	c := tracetest.Start(t)
	never := open(t, c.URL, func(o *trace.Options) { o.Sample = 0 })
	quiet := strings.TrimSuffix(parent, "01") + "00"
	for _, test := range []struct {
		name, parent string
		recorded     bool
	}{{"asked to", parent, true}, {"asked not to", quiet, false}, {"nobody asked", "", false}} {
		ctx, s := never.Receive(context.Background(), test.name, trace.Server, test.parent, "")
		if got := strings.HasSuffix(s.Parent(), "-01"); got != test.recorded {
			t.Errorf("%s: %s", test.name, s.Parent())
		}
		if test.parent != "" && s.TraceID() != known {
			t.Errorf("%s: %s", test.name, s.TraceID())
		}
		if _, inner := trace.Start(ctx, "inner", trace.Internal); (inner != nil) != test.recorded {
			t.Errorf("%s: inner %v", test.name, inner)
		}
		s.End()
	}
	never.Close()
	if spans := c.Spans(); len(spans) != 1 || spans[0].Name != "asked to" {
		t.Errorf("got %+v", spans)
	}
}

func TestParse(t *testing.T) {
	for header, want := range map[string]string{
		parent:                              known,
		"00-" + known + "-" + above + "-00": known,
		"cc-" + known + "-" + above + "-01-what-comes-later": known,
		"":                                   "",
		"00-" + known + "-" + above:          "",
		"00-" + known + "-" + above + "-01-": "",
		"ff-" + known + "-" + above + "-01":  "",
		"cc-" + known + "-" + above + "-01.later":             "",
		"00-" + strings.ToUpper(known) + "-" + above + "-01":  "",
		"00-" + strings.Repeat("0", 32) + "-" + above + "-01": "",
		"00-" + known + "-" + strings.Repeat("0", 16) + "-01": "",
		"00_" + known + "-" + above + "-01":                   "",
		"00-" + known[:31] + "g-" + above + "-01":             "",
	} {
		if got := trace.Parse(header); got != want {
			t.Errorf("%q: got %q", header, got)
		}
	}
}

// FuzzParse: whatever is sent, a trace begins, with a parent that others can read.
func FuzzParse(f *testing.F) {
	f.Add(parent, "a=b")
	f.Add("ff-", "")
	tracer := open(f, "http://127.0.0.1:1", func(o *trace.Options) { o.Sample = 0 })
	f.Fuzz(func(t *testing.T, header, state string) {
		_, s := tracer.Receive(context.Background(), "x", trace.Server, header, state)
		if id := trace.Parse(s.Parent()); id == "" || id != s.TraceID() || trace.Parse(header) != "" && id != trace.Parse(header) {
			t.Errorf("%q: %q", header, s.Parent())
		}
	})
}

// TestTransport: a call to another system is a span of its own, and continues there.
func TestTransport(t *testing.T) {
	c := tracetest.Start(t)
	tracer := open(t, c.URL)
	var heard atomic.Pointer[http.Header]
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard.Store(&r.Header)
		if r.URL.Path == "/bad" {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	client := http.Client{Transport: trace.Transport(http.DefaultTransport)}
	ask := func(ctx context.Context, address string) {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, "GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(r)
		if err == nil {
			response.Body.Close()
		}
		if r.Header.Get("Traceparent") != "" {
			t.Error("the request itself was changed")
		}
	}
	ask(context.Background(), other.URL)
	if (*heard.Load()).Get("Traceparent") != "" {
		t.Error("a trace came from nowhere")
	}
	ctx, top := tracer.Receive(context.Background(), "top", trace.Server, parent, "vendor=1")
	ask(ctx, other.URL+"/good/secret?key=secret")
	header := *heard.Load()
	ask(ctx, other.URL+"/bad")
	other.Close()
	ask(ctx, other.URL)
	top.End()

	spans := c.Await(t, func(s []tracetest.Span) bool { return len(s) == 4 })
	good, bad, gone := spans[0], spans[1], spans[2]
	if want := "00-" + known + "-" + good.ID + "-01"; header.Get("Traceparent") != want || header.Get("Tracestate") != "vendor=1" {
		t.Errorf("heard %v, want %s", header, want)
	}
	if good.Name != "GET" || good.Kind != 3 || good.Failed || good.Parent != spans[3].ID || good.Attributes["server.address"] != "127.0.0.1" || good.Attributes["http.response.status_code"] != "200" {
		t.Errorf("got %+v", good)
	}
	if !bad.Failed || bad.Attributes["error.type"] != "502" || !gone.Failed || gone.Attributes["error.type"] != "connection" {
		t.Errorf("got %+v, %+v", bad, gone)
	}
	if strings.Contains(string(c.Bytes()), "secret") {
		t.Error("the address was told")
	}
}

// TestCollectorComesBack: what it refuses for the moment is sent again, what it refuses for good is not.
func TestCollectorComesBack(t *testing.T) {
	c := tracetest.Start(t)
	var asked atomic.Int64
	var forGood atomic.Bool
	c.Trouble(func(w http.ResponseWriter) bool {
		first := asked.Add(1) == 1
		switch {
		case forGood.Load():
			w.WriteHeader(http.StatusBadRequest)
		case first:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return first || forGood.Load()
	})
	tracer := open(t, c.URL)
	_, s := tracer.Root(context.Background(), "again")
	s.End()
	c.Await(t, func(s []tracetest.Span) bool { return len(s) == 1 })
	forGood.Store(true)
	before := asked.Load()
	_, s = tracer.Root(context.Background(), "never")
	s.End()
	tracer.Close()
	if asked.Load() != before+1 || tracer.Sent.Load() != 1 || tracer.Failed.Load() != 1 {
		t.Errorf("asked %d times, sent %d, failed %d", asked.Load()-before, tracer.Sent.Load(), tracer.Failed.Load())
	}
}

// TestNobodyWaits: a collector that hangs costs neither time nor memory beyond the queue.
func TestNobodyWaits(t *testing.T) {
	hold := make(chan struct{})
	reached := make(chan struct{}, 16)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached <- struct{}{}; <-hold }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(hold) })
	tracer := open(t, server.URL)
	_, first := tracer.Root(context.Background(), "first")
	first.End()
	<-reached
	const many = 100_000
	for range many {
		_, s := tracer.Root(context.Background(), "x")
		s.End()
	}
	if queued, dropped := tracer.Queued(), tracer.Dropped.Load(); queued == 0 || queued > 4096 || int64(queued)+dropped != many {
		t.Errorf("%d queued, %d dropped", queued, dropped)
	}
}

func TestHeaders(t *testing.T) {
	for _, text := range []string{"secret", "=secret", "a=%zz", "a=b\nc: d", "a=secret%0d%0ab: c"} {
		if _, err := trace.ReadHeaders(text); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if h, err := trace.ReadHeaders(""); err != nil || len(h) != 0 {
		t.Errorf("%v, %v", h, err)
	}
}

func BenchmarkNothing(b *testing.B) {
	ctx := context.WithValue(context.Background(), struct{}{}, 1)
	b.ReportAllocs()
	for b.Loop() {
		_, s := trace.Start(ctx, "x", trace.Internal)
		s.End()
	}
}

func BenchmarkSpan(b *testing.B) {
	tracer := open(b, "http://127.0.0.1:1")
	b.ReportAllocs()
	for b.Loop() {
		_, s := tracer.Root(context.Background(), "x")
		s.Set("http.route", "/articles")
		s.End()
	}
}
