package faults

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSlowClients: whoever is slow is cut off, and does not hold up the others.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	s := start(t, launch{flags: []string{"--header-timeout", "500ms", "--idle-timeout", "1s", "--min-body-rate", "1KiB"}})
	for name, test := range map[string]func(*testing.T, *server){
		"headers that trickle":                  slowHeaders,
		"a connection that says nothing":        silent,
		"a connection that is not used again":   idle,
		"a body that trickles":                  slowBody,
		"a body that never comes":               noBody,
		"a chunked body that stops":             slowChunks,
		"a body nobody wants, without a token":  unwanted("POST /articles", 401, false),
		"a body nobody wants, on a GET":         unwanted("GET /articles", 200, true),
		"a body nobody wants, on a DELETE":      unwanted("DELETE /articles/none", 404, true),
		"a body nobody wants, on no address":    unwanted("POST /nowhere", 404, true),
		"a body that is too large, and is late": late,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
	t.Run("the others", func(t *testing.T) {
		t.Parallel()
		for i := range 50 {
			s.want(t, http.StatusCreated, "POST /articles", fmt.Sprintf(`{"title":"Served %d"}`, i))
		}
	})
}

// trickle says a text byte by byte until the server hangs up.
func (w *wire) trickle(text string, every time.Duration) {
	for _, b := range []byte(text) {
		if w.say(string(b)) != nil {
			return
		}
		time.Sleep(every)
	}
}

func slowHeaders(t *testing.T, s *server) {
	w := dial(t, s)
	go w.trickle("GET /articles HTTP/1.1\r\nHost: verbless.test\r\nX-Slow: "+strings.Repeat("x", 500), 50*time.Millisecond)
	w.closes(t)
}

func silent(t *testing.T, s *server) { dial(t, s).closes(t) }

func idle(t *testing.T, s *server) {
	w := dial(t, s)
	if err := w.say("GET /healthz HTTP/1.1\r\nHost: verbless.test\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if a, err := w.hear("GET"); err != nil || a.status != http.StatusOK {
		t.Fatal(a, err)
	}
	w.closes(t)
}

// tooSlow expects 408 and then the end of the connection. A bare end will do.
func (w *wire) tooSlow(t *testing.T) {
	t.Helper()
	a, err := w.hear("POST")
	if err == io.EOF {
		return
	}
	if err != nil {
		t.Fatalf("neither an answer nor the end of the connection: %v", err)
	}
	if code, err := problem(a); err != nil || a.status != http.StatusRequestTimeout || code != "body_too_slow" {
		t.Errorf("%s %v", a, err)
	}
	w.closes(t)
}

func slowBody(t *testing.T, s *server) {
	w := dial(t, s)
	if err := w.say(s.head("POST /articles", "Content-Length: 5000")); err != nil {
		t.Fatal(err)
	}
	go w.trickle(`{"title":"Too slow","body":"`+strings.Repeat("x", 4000), 100*time.Millisecond)
	w.tooSlow(t)
	if n := s.titled(t, "Too slow"); n != 0 {
		t.Errorf("stored %d times", n)
	}
}

func noBody(t *testing.T, s *server) {
	w := dial(t, s)
	if err := w.say(s.head("POST /articles", "Content-Length: 20")); err != nil {
		t.Fatal(err)
	}
	w.tooSlow(t)
}

func slowChunks(t *testing.T, s *server) {
	w := dial(t, s)
	if err := w.say(s.head("POST /articles", "Transfer-Encoding: chunked") + "5\r\n{\"tit"); err != nil {
		t.Fatal(err)
	}
	w.tooSlow(t)
}

// unwanted announces a body on a request that is answered without reading it, and never sends it. The answer must
// come all the same, or the connection must end: a stranger may not hold it for ever.
func unwanted(call string, status int, token bool) func(*testing.T, *server) {
	return func(t *testing.T, s *server) {
		w := dial(t, s)
		head := s.head(call, "Content-Length: 1000")
		if !token {
			head = strings.Replace(head, s.token, "vbl_none", 1)
		}
		if err := w.say(head); err != nil {
			t.Fatal(err)
		}
		method, _, _ := strings.Cut(call, " ")
		a, err := w.hear(method)
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("after %s there is neither an answer nor the end of the connection: %v", patience, err)
		}
		if a.status != status {
			t.Errorf("%s, want %d", a, status)
		}
		w.closes(t)
	}
}

// late: the answer to a body that is too large does not wait for it, and the connection ends though it never comes.
func late(t *testing.T, s *server) {
	w := dial(t, s)
	if err := w.say(s.head("POST /articles", "Content-Length: 2097153")); err != nil {
		t.Fatal(err)
	}
	a, err := w.hear("POST")
	if err != nil || a.status != http.StatusRequestEntityTooLarge {
		t.Fatal(a, err)
	}
	w.closes(t)
}

// TestManyIdleConnections: strangers who only hold connections do not keep others out.
func TestManyIdleConnections(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	for range 500 {
		conn, err := net.Dial("tcp", s.address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	for range 20 {
		s.want(t, http.StatusOK, "GET /articles", "")
	}
}
