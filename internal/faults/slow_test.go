//go:build linux

package faults

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSlowClients: whoever is slow is cut off, and does not hold up the others. All are slow at the same time.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	s := start(t, launch{flags: []string{"--header-timeout", "500ms", "--idle-timeout", "1s", "--min-body-rate", "1KiB"}})
	address := upload(t, s)
	var slow sync.WaitGroup
	for name, client := range map[string]func(*wire, *server) error{
		"headers that trickle":                  slowHeaders,
		"a connection that says nothing":        func(w *wire, _ *server) error { return w.ends() },
		"a connection that is not used again":   idle,
		"a body that trickles":                  slowBody,
		"a body that never comes":               noBody,
		"a chunked body that stops":             slowChunks,
		"a file that stops":                     slowFile(address),
		"a body that is too large, and is late": unwanted("POST /articles", "2097153", 413),
		"an unread body without a token":        stranger,
		"an unread body of a GET":               unwanted("GET /articles", "1000", 200),
		"an unread body of a DELETE":            unwanted("DELETE /articles/none", "1000", 404),
		"an unread body of a wrong method":      unwanted("PUT /articles", "1000", 405),
		"an unread body for no address":         unwanted("POST /nowhere", "1000", 404),
	} {
		slow.Go(func() {
			begun := time.Now()
			w, err := s.connect()
			if err == nil {
				defer w.Close()
				err = client(w, s)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			t.Logf("%s: %s", name, time.Since(begun).Round(10*time.Millisecond))
		})
	}
	for i := range 50 {
		s.want(t, http.StatusCreated, "POST /articles", fmt.Sprintf(`{"title":"Served %d"}`, i))
	}
	slow.Wait()
	if a, err := send(newClient(), s.url, "", "PUT "+address, "", "Content-Range: bytes */*"); err != nil || held(a) != 10_000 {
		t.Errorf("of the file that stopped, %d bytes are held: %v", held(a), err)
	}
	if n := len(s.store().titles(t)); n != 50 {
		t.Errorf("%d articles are stored, want the 50 of the good client", n)
	}
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

// slowHeaders may be told off by net/http, in its own words, before the end.
func slowHeaders(w *wire, _ *server) error {
	go w.trickle("GET /articles HTTP/1.1\r\nHost: verbless.test\r\nX-Slow: "+strings.Repeat("x", 2000), 50*time.Millisecond)
	a, err := w.hear("GET")
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	case a.status != http.StatusBadRequest && a.status != http.StatusRequestTimeout:
		return fmt.Errorf("%s", a)
	}
	return w.ends()
}

func idle(w *wire, _ *server) error {
	if err := w.say("GET /healthz HTTP/1.1\r\nHost: verbless.test\r\n\r\n"); err != nil {
		return err
	}
	if a, err := w.hear("GET"); err != nil || a.status != http.StatusOK {
		return fmt.Errorf("%s %w", a, err)
	}
	return w.ends()
}

// tooSlow expects one of the answers and then the end of the connection. The end alone will do.
func (w *wire) tooSlow(method string, statuses ...int) error {
	a, err := w.hear(method)
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return fmt.Errorf("neither an answer nor the end of the connection: %w", err)
	case !slices.Contains(statuses, a.status):
		return fmt.Errorf("%s, want one of %v", a, statuses)
	case a.status >= 400:
		if _, err := problem(a); err != nil {
			return err
		}
	}
	if err := w.ends(); err != nil {
		return fmt.Errorf("after the answer %d: %w", a.status, err)
	}
	return nil
}

func slowBody(w *wire, s *server) error {
	if err := w.say(s.head("POST /articles", "Content-Length: 5000")); err != nil {
		return err
	}
	go w.trickle(`{"title":"Too slow","body":"`+strings.Repeat("x", 4000), 100*time.Millisecond)
	return w.tooSlow("POST", http.StatusRequestTimeout)
}

func noBody(w *wire, s *server) error {
	if err := w.say(s.head("POST /articles", "Content-Length: 20")); err != nil {
		return err
	}
	return w.tooSlow("POST", http.StatusRequestTimeout)
}

func slowChunks(w *wire, s *server) error {
	if err := w.say(s.head("POST /articles", "Transfer-Encoding: chunked") + "5\r\n{\"tit"); err != nil {
		return err
	}
	return w.tooSlow("POST", http.StatusRequestTimeout)
}

// unwanted announces a body on a request that is answered without reading it, and never sends it. The answer must
// come all the same, or the connection must end: nobody may hold it for ever.
func unwanted(call, length string, statuses ...int) func(*wire, *server) error {
	return func(w *wire, s *server) error {
		if err := w.say(s.head(call, "Content-Length: "+length)); err != nil {
			return err
		}
		method, _, _ := strings.Cut(call, " ")
		return w.tooSlow(method, append(statuses, http.StatusRequestTimeout)...)
	}
}

// stranger does the same without a token.
func stranger(w *wire, s *server) error {
	if err := w.say(strings.Replace(s.head("POST /articles", "Content-Length: 1000"), s.token, "vbl_none", 1)); err != nil {
		return err
	}
	return w.tooSlow("POST", http.StatusUnauthorized, http.StatusRequestTimeout)
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

// slowFile sends the beginning of a file, and then nothing more.
func slowFile(address string) func(w *wire, s *server) error {
	return func(w *wire, s *server) error {
		w.say("PUT " + address + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 10_000))
		a, err := w.hear("PUT")
		if err != nil || a.status != http.StatusRequestTimeout || a.header.Get("Range") != "bytes=0-9999" {
			return fmt.Errorf("%v: %s", err, a)
		}
		return w.ends()
	}
}
