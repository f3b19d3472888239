package neighbour

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// other is a system whose answers a test decides.
type other struct {
	*httptest.Server
	calls  atomic.Int64
	answer atomic.Pointer[http.HandlerFunc]
}

func start(t *testing.T, answer http.HandlerFunc) *other {
	o := &other{}
	o.now(answer)
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.calls.Add(1)
		(*o.answer.Load())(w, r)
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *other) now(answer http.HandlerFunc) { o.answer.Store(&answer) }

// good answers every key with itself, for many and for one.
func good(w http.ResponseWriter, r *http.Request) {
	if !r.URL.Query().Has("keys") {
		fmt.Fprintf(w, `{"values":[%q]}`, strings.TrimPrefix(r.URL.Path, "/x/"))
		return
	}
	all := map[string][]string{}
	for _, key := range strings.Split(r.URL.Query().Get("keys"), ",") {
		all[key] = []string{key}
	}
	json.NewEncoder(w).Encode(map[string]any{"values": all})
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }
}

type clock struct{ nanos atomic.Int64 }

func (c *clock) Now() time.Time { return time.Unix(1e9, c.nanos.Load()) }

func client(o *other, adjust ...func(*Options[[]string])) (*Client[[]string], *clock) {
	at := &clock{}
	options := Options[[]string]{URL: o.URL + "/x", Parameter: "keys", Member: "values", Limit: 30 * time.Second, Concurrency: 4, Fresh: time.Minute,
		Stale: time.Hour, Rest: time.Hour, Log: slog.New(slog.DiscardHandler), Now: at.Now, Decode: func(text json.RawMessage) ([]string, error) {
			list := []string{}
			err := json.Unmarshal(text, &list)
			if err == nil && list == nil {
				err = errors.New("null")
			}
			return list, err
		}}
	for _, f := range adjust {
		f(&options)
	}
	return New(options), at
}

func short(o *Options[[]string]) { o.Limit = 50 * time.Millisecond }

func get(c *Client[[]string], keys ...string) string {
	found, missing := c.Get(context.Background(), keys)
	text, _ := json.Marshal(found)
	return fmt.Sprintf("%s %t", text, missing)
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestOneCallForMany(t *testing.T) {
	o := start(t, good)
	c, at := client(o)
	expect(t, "both", get(c, "a", "b"), `{"a":["a"],"b":["b"]} false`)
	expect(t, "calls", o.calls.Load(), int64(1))
	expect(t, "again", get(c, "b", "a"), `{"a":["a"],"b":["b"]} false`)
	expect(t, "calls while fresh", o.calls.Load(), int64(1))
	expect(t, "with another", get(c, "b", "c", "c"), `{"b":["b"],"c":["c"]} false`)
	expect(t, "calls for the other", o.calls.Load(), int64(2))
	at.nanos.Add(int64(time.Minute))
	expect(t, "later", get(c, "a"), `{"a":["a"]} false`)
	expect(t, "calls when no longer fresh", o.calls.Load(), int64(3))
	o.now(text(`{"values":{}}`))
	expect(t, "not mentioned", get(c, "d"), `{"d":[]} false`)
}

func TestNothingKept(t *testing.T) {
	o := start(t, good)
	c, at := client(o, func(p *Options[[]string]) { p.Fresh, p.Stale = 0, 0 })
	for n := range 3 {
		at.nanos.Add(1)
		expect(t, "found", get(c, "a"), `{"a":["a"]} false`)
		expect(t, "calls", o.calls.Load(), int64(n+1))
	}
	o.now(status(http.StatusForbidden))
	at.nanos.Add(1)
	expect(t, "no longer", get(c, "a"), `{} true`)
}

func TestCallsForOne(t *testing.T) {
	o := start(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Has("keys"):
			w.WriteHeader(http.StatusMethodNotAllowed)
		case strings.HasSuffix(r.URL.Path, "/none"):
			w.WriteHeader(http.StatusNotFound)
		default:
			good(w, r)
		}
	})
	c, _ := client(o)
	expect(t, "three", get(c, "a", "b", "none"), `{"a":["a"],"b":["b"],"none":[]} false`)
	expect(t, "calls", o.calls.Load(), int64(4))
	expect(t, "another", get(c, "d"), `{"d":["d"]} false`)
	expect(t, "calls, without asking for many again", o.calls.Load(), int64(5))
}

func TestAtMostSoManyAtOnce(t *testing.T) {
	var running, most atomic.Int64
	o := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("keys") {
			w.WriteHeader(http.StatusNotImplemented)
			return
		}
		for n := running.Add(1); ; {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		runtime.Gosched()
		good(w, r)
		running.Add(-1)
	})
	c, _ := client(o)
	var keys []string
	for i := range 100 {
		keys = append(keys, fmt.Sprint(i))
	}
	if _, missing := c.Get(context.Background(), keys); missing || most.Load() > 4 {
		t.Errorf("missing: %t; %d calls at once", missing, most.Load())
	}
}

func TestTrouble(t *testing.T) {
	tests := map[string]http.HandlerFunc{
		"failing":     status(500),
		"forbidding":  status(403),
		"not there":   status(404),
		"no JSON":     text("<html>"),
		"no object":   text(`[]`),
		"no member":   text(`{"other":{}}`),
		"wrong type":  text(`{"values":[1]}`),
		"wrong value": text(`{"values":{"a":"x","b":7}}`),
		"null":        text(`{"values":{"a":null,"b":null}}`),
		"cut short":   text(`{"values":{"a":["a"]`),
		"huge":        text(`{"values":{"a":["` + strings.Repeat("x", maxAnswer) + `"]}}`),
		"hanging":     func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"hanging up":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, answer := range tests {
		t.Run(name, func(t *testing.T) {
			o := start(t, good)
			c, at := client(o)
			expect(t, "before", get(c, "a"), `{"a":["a"]} false`)
			o.now(answer)
			c.Limit = 50 * time.Millisecond
			expect(t, "unknown", get(c, "a", "b"), `{"a":["a"]} true`)
			at.nanos.Add(int64(time.Hour))
			expect(t, "stale", get(c, "a"), `{"a":["a"]} false`)
			at.nanos.Add(int64(time.Minute))
			expect(t, "too old", get(c, "a"), `{} true`)
		})
	}
	t.Run("dead", func(t *testing.T) {
		o := start(t, good)
		o.Close()
		c, _ := client(o, short)
		expect(t, "found", get(c, "a"), `{} true`)
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	inner := start(t, good)
	o := start(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inner.URL+r.URL.String(), http.StatusFound)
	})
	c, _ := client(o)
	expect(t, "found", get(c, "a"), `{} true`)
	expect(t, "calls inward", inner.calls.Load(), int64(0))
}

func TestQuickFailuresAreTriedAgain(t *testing.T) {
	o := start(t, nil)
	o.now(func(w http.ResponseWriter, r *http.Request) {
		if o.calls.Load() < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		good(w, r)
	})
	c, _ := client(o)
	expect(t, "found", get(c, "a"), `{"a":["a"]} false`)
	expect(t, "calls", o.calls.Load(), int64(3))
}

func TestSameKeysShareACall(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	o := start(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-release
		good(w, r)
	})
	c, _ := client(o)
	var group sync.WaitGroup
	ask := func() {
		if got := get(c, "a", "b"); got != `{"a":["a"],"b":["b"]} false` {
			t.Error(got)
		}
	}
	group.Go(ask)
	<-arrived
	for range 20 {
		group.Go(ask)
	}
	left, leave := context.WithCancel(context.Background())
	leave()
	if _, missing := c.Get(left, []string{"a"}); !missing { // one who leaves takes nothing from the others
		t.Error("somebody who left got an answer")
	}
	close(release)
	group.Wait()
	expect(t, "calls", o.calls.Load(), int64(1))
}

func TestAnOpenBreakerAsksNobody(t *testing.T) {
	o := start(t, good)
	c, _ := client(o)
	c.breaker.Open()
	expect(t, "found", get(c, "a"), `{} true`)
	expect(t, "calls", o.calls.Load(), int64(0))
}
