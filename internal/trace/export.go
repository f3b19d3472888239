package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options is where spans go.
type Options struct {
	Endpoint string  // of OTLP/HTTP, as OTEL_EXPORTER_OTLP_ENDPOINT has it: /v1/traces is added
	Headers  string  // name=value with commas between, as OTEL_EXPORTER_OTLP_HEADERS has it
	Sample   float64 // part of the traces that is recorded where no caller has decided, 0 to 1
	Service  string  // its name
	Version  string
	Instance string // of the process
	Log      *slog.Logger
}

// Limits of what waits and of what is sent at once.
const (
	queued   = 4096
	together = 512
	pause    = time.Second // how long a span may wait for others
	patience = 10 * time.Second
	tries    = 3
	maxWait  = 5 * time.Second // between tries
)

// Tracer sends spans to a collector.
type Tracer struct {
	sample   float64
	address  string
	headers  http.Header
	resource []attribute
	version  string
	log      *slog.Logger
	client   *http.Client

	queue chan *Span
	stop  context.CancelFunc
	ended sync.WaitGroup

	Sent, Dropped, Failed atomic.Int64 // spans
}

// New begins to send. It does not look whether the collector answers.
func New(o Options) (*Tracer, error) {
	headers, err := ReadHeaders(o.Headers)
	if err != nil {
		return nil, err
	}
	t := &Tracer{sample: o.Sample, address: o.Endpoint, headers: headers, version: o.Version, log: o.Log, queue: make(chan *Span, queued)}
	if !strings.HasSuffix(t.address, "/v1/traces") {
		t.address = strings.TrimRight(t.address, "/") + "/v1/traces"
	}
	t.resource = []attribute{
		{key: "service.name", text: strings.ToValidUTF8(o.Service, "?")}, {key: "service.version", text: o.Version}, {key: "service.instance.id", text: o.Instance},
		{key: "telemetry.sdk.name", text: "verbless"}, {key: "telemetry.sdk.language", text: "go"},
	}
	t.client = &http.Client{
		Timeout: patience, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the headers may hold a token
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.stop = cancel
	t.ended.Go(func() { t.run(ctx) })
	return t, nil
}

// ReadHeaders reads name=value pairs with commas between, values escaped as in an address. Its errors repeat no value.
func ReadHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for _, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil || strings.ContainsAny(name+value, "\r\n") {
			return nil, errors.New("headers are name=value, with commas between")
		}
		headers.Set(name, value)
	}
	return headers, nil
}

// take puts a span where the sender finds it, or drops it: nobody waits for a collector.
func (t *Tracer) take(s *Span) {
	select {
	case t.queue <- s:
	default:
		t.Dropped.Add(1)
	}
}

// Queued is how many spans wait to be sent.
func (t *Tracer) Queued() int { return len(t.queue) }

// Close sends what waits, if that is quickly done, and ends.
func (t *Tracer) Close() {
	if t != nil {
		t.stop()
		t.ended.Wait()
		t.client.CloseIdleConnections()
	}
}

// run gathers spans and sends them together.
func (t *Tracer) run(ctx context.Context) {
	var batch []*Span
	for {
		timer := time.NewTimer(pause)
		batch = t.gather(ctx, batch[:0], timer.C)
		timer.Stop()
		if len(batch) > 0 && ctx.Err() == nil {
			t.send(ctx, batch)
			continue
		}
		if ctx.Err() != nil {
			t.last(batch)
			return
		}
	}
}

// gather waits until there are enough spans, or none of them can wait longer.
func (t *Tracer) gather(ctx context.Context, batch []*Span, over <-chan time.Time) []*Span {
	for len(batch) < together {
		select {
		case s := <-t.queue:
			batch = append(batch, s)
		case <-over:
			return batch
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

// last sends what is left when the service stops, in one second at most.
func (t *Tracer) last(batch []*Span) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for {
		for more := true; more && len(batch) < together; {
			select {
			case s := <-t.queue:
				batch = append(batch, s)
			default:
				more = false
			}
		}
		if len(batch) == 0 || ctx.Err() != nil {
			t.Dropped.Add(int64(len(batch) + len(t.queue)))
			return
		}
		t.send(ctx, batch)
		batch = batch[:0]
	}
}

// send hands a batch over, in a few tries. Then it is given up: others wait.
func (t *Tracer) send(ctx context.Context, batch []*Span) {
	body := encode(t.resource, t.version, batch)
	wait := 500 * time.Millisecond
	var err error
	for try := 1; try <= tries; try++ {
		var again time.Duration
		if again, err = t.post(ctx, body); err == nil {
			t.Sent.Add(int64(len(batch)))
			return
		}
		if again < 0 || try == tries || ctx.Err() != nil {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(max(wait, again), maxWait)):
		}
		wait *= 2
	}
	if t.Failed.Add(int64(len(batch))) == int64(len(batch)) { // once: it is in the metrics from then on
		t.log.Warn("traces cannot be sent; requests go on without them", "error", err)
	}
}

// post makes one request; again says how long to wait before another, and is negative when that would not help.
func (t *Tracer) post(ctx context.Context, body []byte) (again time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.address, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	for name, values := range t.headers {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := t.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be used again
	switch code := response.StatusCode; code {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return time.Duration(max(seconds, 0)) * time.Second, fmt.Errorf("the collector answered %d", code)
	default:
		return -1, fmt.Errorf("the collector answered %d", code)
	}
}
