//go:build linux

package faults

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStop asks the server to stop while requests run: these get their whole answers, and nothing is lost.
func TestStop(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	l := newLoad(s)
	stop := l.background(t, 8)
	eventually(t, "the load gets through", func() bool { return l.ledger.tally(acked) > 200 })
	type half struct {
		wire *wire
		rest string
	}
	var begun []half
	for i := range 6 {
		w, rest := s.begin(t, fmt.Sprintf("In flight %d", i))
		begun = append(begun, half{w, rest})
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitDeaf(t, s)
	l.away()
	stop()
	for i, h := range begun {
		if err := h.wire.say(h.rest); err != nil {
			t.Fatal(err)
		}
		if a, err := h.wire.hear("POST"); err != nil || a.status != http.StatusCreated {
			t.Errorf("request %d, begun before the stop: %s %v", i, a, err)
		}
	}
	if code := s.ended(t); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log.tail(5))
	}
	s = s.again(t)
	for i := range begun {
		if n := s.titled(t, fmt.Sprintf("In flight %d", i)); n != 1 {
			t.Errorf("request %d was acknowledged, but is there %d times", i, n)
		}
	}
	t.Logf("%d acknowledged, %d unknown", l.ledger.tally(acked), l.ledger.tally(unknown))
	l.moved(s.url)
	report(t, "after the stop", append(l.ledger.audit(l.mine(s.store().rows(t))), l.reread(l.ledger.sorted())...))
}

// awaitDeaf waits until the server takes no new connections.
func awaitDeaf(t *testing.T, s *server) {
	t.Helper()
	eventually(t, "the server takes no new connections", func() bool {
		conn, err := net.Dial("tcp", s.address())
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
}

// TestStopIdle: connections on which nothing happens do not hold the stop back.
func TestStopIdle(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	for range 5 {
		w := dial(t, s)
		if err := w.say("GET /healthz HTTP/1.1\r\nHost: verbless.test\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if a, err := w.hear("GET"); err != nil || a.status != http.StatusOK {
			t.Fatal(a, err)
		}
	}
	dial(t, s) // and one that never says a word
	if code := s.stop(t); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log.tail(5))
	}
}

// TestStopCutsTheSlow: a body that trickles for longer than the limit does not hold the stop back.
func TestStopCutsTheSlow(t *testing.T) {
	t.Parallel()
	s := start(t, launch{flags: []string{"--stop-timeout", "500ms"}})
	w, body := s.begin(t, "Trickle "+strings.Repeat("x", 180))
	hung := make(chan struct{})
	go func() {
		defer close(hung)
		for _, b := range []byte(body) {
			if w.say(string(b)) != nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	code := s.stop(t)
	t.Logf("exit code %d", code)
	if code != 0 && code != 1 {
		t.Errorf("exit code %d: %s", code, s.log.tail(5))
	}
	<-hung
	if a, err := w.hear("POST"); err == nil && a.status < 300 {
		t.Errorf("half a body was acknowledged: %s", a)
	}
	s = s.again(t)
	if n := len(s.store().titles(t)); n != 0 {
		t.Errorf("half a body was stored: %d articles", n)
	}
}
