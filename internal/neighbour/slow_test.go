package neighbour

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verbless/internal/trace"
)

// pipes is a network without sockets, so that time in it can be a test's own.
type pipes struct {
	waiting chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipes() *pipes { return &pipes{waiting: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.waiting <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.waiting:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

// inTime runs fn with a client of a system, in a time of their own: hours pass in a moment, and nothing is ever late. When
// fn has ended, everything that the client and the system began must end too.
func inTime(t *testing.T, fn func(t *testing.T, o *other, c *Client[[]string], settle func())) {
	synctest.Test(t, func(t *testing.T) {
		o, network := &other{}, newPipes()
		o.now(good)
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			o.calls.Add(1)
			(*o.answer.Load())(w, r)
		})}
		go server.Serve(network)
		defer server.Close()
		o.Server = &httptest.Server{URL: "http://other.test"}
		c, _ := client(o, func(p *Options[[]string]) { p.Limit, p.Rest, p.Now = 2*time.Second, 5*time.Second, time.Now })
		transport := &http.Transport{DialContext: network.dial, DisableCompression: true}
		c.http.Transport = trace.Transport(transport)
		fn(t, o, c, func() {
			synctest.Wait()
			transport.CloseIdleConnections() // they stay open by design
			synctest.Wait()
		})
		synctest.Wait()
		transport.CloseIdleConnections()
	})
}

// slow answers after five seconds, unless who asked has left; three out of ten are failures.
func slow(o *other) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := o.calls.Load()
		select {
		case <-time.After(5 * time.Second):
		case <-r.Context().Done():
			return
		}
		if n%10 < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		good(w, r)
	}
}

// TestAMinuteOfTrouble is the whole of what the package promises, at the figures that it was asked for: five seconds a call and
// three failures out of ten. Nobody waits longer than the limit, the system is left alone, nothing is left running, and it is
// asked again once it is well.
func TestAMinuteOfTrouble(t *testing.T) {
	inTime(t, func(t *testing.T, o *other, c *Client[[]string], settle func()) {
		expect(t, "before", get(c, "known"), `{"known":["known"]} false`)
		settle()
		goroutines := running()
		o.now(slow(o))
		before := o.calls.Load()
		var everybody sync.WaitGroup
		for who := range 16 {
			everybody.Go(func() {
				for begun, n := time.Now(), 0; time.Since(begun) < time.Minute; n++ {
					asked := time.Now()
					if got := get(c, fmt.Sprintf("%d-%d", who, n)); got != "{} true" {
						t.Errorf("got %s", got)
					}
					if took := time.Since(asked); took > c.Limit {
						t.Errorf("somebody waited %s", took)
					}
					time.Sleep(100 * time.Millisecond)
				}
			})
		}
		everybody.Wait()
		// Without the breaker there would be a call for every slot and limit, 4 × 60 / 2.
		if calls := o.calls.Load() - before; calls == 0 || calls > 4*3+60/7+2 {
			t.Errorf("%d calls in a minute", calls)
		}
		settle()
		expect(t, "goroutines", running(), goroutines)
		expect(t, "calls under way", len(c.flying), 0)
		expect(t, "what was known", get(c, "known"), `{"known":["known"]} false`)

		o.now(good)
		time.Sleep(c.Rest)
		expect(t, "well again", get(c, "a"), `{"a":["a"]} false`)
		if !c.breaker.IsClosed() {
			t.Error("the breaker is not closed")
		}
		for n := range 20 {
			expect(t, "and it stays so", get(c, fmt.Sprint(n)), fmt.Sprintf(`{"%d":["%d"]} false`, n, n))
		}
	})
}

// TestTheBreakerOpensAndCloses by the clock, to the moment.
func TestTheBreakerOpensAndCloses(t *testing.T) {
	inTime(t, func(t *testing.T, o *other, c *Client[[]string], _ func()) {
		o.now(status(http.StatusInternalServerError))
		for i := 0; c.breaker.IsClosed() && i < 10; i++ {
			get(c, fmt.Sprint(i))
		}
		if c.breaker.IsClosed() {
			t.Fatal("the breaker never opened")
		}
		calls := o.calls.Load()
		time.Sleep(c.breaker.RemainingDelay() - time.Millisecond)
		expect(t, "a moment too early", get(c, "a"), `{} true`)
		expect(t, "calls", o.calls.Load(), calls)
		time.Sleep(time.Millisecond)
		expect(t, "still failing", get(c, "a"), `{} true`)
		expect(t, "one call to see", o.calls.Load(), calls+1)
		o.now(good)
		expect(t, "left alone again", get(c, "a"), `{} true`)
		time.Sleep(c.Rest)
		expect(t, "well again", get(c, "a"), `{"a":["a"]} false`)
		if !c.breaker.IsClosed() {
			t.Error("an answer came through, but the breaker is not closed")
		}
	})
}

// TestNothingIsLeftRunning when fifty ask a system that never answers.
func TestNothingIsLeftRunning(t *testing.T) {
	inTime(t, func(t *testing.T, o *other, c *Client[[]string], settle func()) {
		o.now(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		settle()
		before := running()
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() { get(c, fmt.Sprint(i)) })
		}
		group.Wait()
		settle()
		expect(t, "goroutines", running(), before)
		expect(t, "calls under way", len(c.flying), 0)
	})
}

// running counts the goroutines in the test's own time; runtime.NumGoroutine also counts those that are about to vanish.
func running() int {
	text := make([]byte, 1<<20)
	return strings.Count(string(text[:runtime.Stack(text, true)]), ", synctest bubble ")
}
