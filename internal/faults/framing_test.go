//go:build linux

package faults

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestTooLarge: a body over the limit is refused by its length alone, and headers have a limit of their own.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	const limit = 2 << 20
	refuse := func(t *testing.T, head, body string) {
		t.Helper()
		w := dial(t, s)
		if err := w.say(head); err != nil {
			t.Fatal(err)
		}
		go w.say(body) // the answer may come before the end of it
		a, err := w.hear("POST")
		if err != nil {
			t.Fatal(err)
		}
		if code, err := problem(a); err != nil || a.status != http.StatusRequestEntityTooLarge || code != "body_too_large" {
			t.Errorf("%s %v", a, err)
		}
	}
	over := fmt.Sprintf("Content-Length: %d", limit+1)
	t.Run("one byte over, none sent", func(t *testing.T) { refuse(t, s.head("POST /articles", over), "") })
	t.Run("not invited to send", func(t *testing.T) { refuse(t, s.head("POST /articles", over, "Expect: 100-continue"), "") })
	t.Run("length not told", func(t *testing.T) {
		refuse(t, s.head("POST /articles", "Transfer-Encoding: chunked"), fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", limit+1, strings.Repeat(" ", limit+1)))
	})
	t.Run("just not over", func(t *testing.T) {
		start := `{"title":"Just not over"}`
		a := s.call(t, s.token, "POST /articles", start+strings.Repeat(" ", limit-len(start)))
		if a.status != http.StatusCreated {
			t.Errorf("%s", a)
		}
	})
	t.Run("headers", func(t *testing.T) {
		w := dial(t, s)
		go w.say("GET /healthz HTTP/1.1\r\nHost: verbless.test\r\nX-Large: " + strings.Repeat("x", 64<<10) + "\r\n\r\n")
		if a, err := w.hear("GET"); err != nil || a.status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%s %v", a, err)
		}
	})
	if n := len(s.store().titles(t)); n != 1 {
		t.Errorf("%d articles are stored, want the one that was not too large", n)
	}
}

// TestTruncatedBody cuts the body at several places: nothing may be stored, and the answer, if any, says why.
func TestTruncatedBody(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	body := `{"title":"Truncated"}`
	for _, sent := range []int{0, 1, len(body) / 2, len(body) - 1, len(body)} { // the last is whole, but said to be longer
		w := dial(t, s)
		if err := w.say(s.head("POST /articles", fmt.Sprintf("Content-Length: %d", len(body)+5)) + body[:sent]); err != nil {
			t.Fatal(err)
		}
		w.Conn.(*net.TCPConn).CloseWrite()
		a, err := w.hear("POST")
		if err == io.EOF {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if code, err := problem(a); err != nil || a.status != http.StatusBadRequest || code != "upload_incomplete" {
			t.Errorf("%d bytes: %s %v", sent, a, err)
		}
		w.closes(t)
	}
	if n := len(s.store().titles(t)); n != 0 {
		t.Errorf("%d articles are stored", n)
	}
}

// TestSmuggling sends what two servers in a row may read differently. Each request gets one answer, and what is
// hidden in the body of one is never carried out as a request of its own.
func TestSmuggling(t *testing.T) {
	t.Parallel()
	s := start(t, launch{flags: []string{"--idle-timeout", "500ms"}}) // so that a connection left open ends soon
	const mark = "Smuggled ..."                                       // the dots become a number of the case
	body := `{"title":"` + mark + `"}`
	hidden := s.head("POST /articles", fmt.Sprintf("Content-Length: %d", len(body))) + body
	length := fmt.Sprintf("Content-Length: %d", len("0\r\n\r\n"+hidden))
	post := func(rest string, headers ...string) string { return s.head("POST /articles", headers...) + rest }
	tests := []struct {
		name, text string
		own        bool // the answer is one of ours, and not made by net/http before we see the request
	}{
		{"chunked and a length", post("0\r\n\r\n"+hidden, "Transfer-Encoding: chunked", length), true},
		{"a length and chunked", post("0\r\n\r\n"+hidden, length, "Transfer-Encoding: chunked"), true},
		{"two lengths", post("{}"+hidden, "Content-Length: 2", fmt.Sprintf("Content-Length: %d", 2+len(hidden))), false},
		{"a list of lengths", post("{}"+hidden, "Content-Length: 2, 3"), false},
		{"a signed length", post("{}"+hidden, "Content-Length: +2"), false},
		{"another coding", post("0\r\n\r\n"+hidden, "Transfer-Encoding: xchunked"), false},
		{"two codings", post("0\r\n\r\n"+hidden, "Transfer-Encoding: chunked", "Transfer-Encoding: identity"), false},
		{"a folded coding", post("0\r\n\r\n"+hidden, "Transfer-Encoding:\r\n chunked", length), false},
		{"a space before the colon", post("0\r\n\r\n"+hidden, "Transfer-Encoding : chunked", length), false},
		{"a chunk that is not one", post("zz\r\n"+hidden, "Transfer-Encoding: chunked"), true},
		{"a length of a chunk that overflows", post("10000000000000000\r\n"+hidden, "Transfer-Encoding: chunked"), true},
		{"bare line feeds", strings.ReplaceAll(s.head("POST /articles", "Content-Length: 2"), "\r\n", "\n") + "{}", false},
		{"a folded header", post("{}", "Content-Length: 2", "X-Fold: a\r\n b"), false},
		{"no host", strings.Replace(post("{}"+hidden, "Content-Length: 2, 2"), "Host: verbless.test\r\n", "", 1), false},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			title := fmt.Sprintf("Smuggled %03d", i)
			w := dial(t, s)
			if err := w.say(strings.Replace(test.text, mark, title, 1)); err != nil {
				t.Fatal(err)
			}
			a, err := w.hear("POST")
			if err != nil && err != io.EOF {
				t.Fatal(err)
			}
			if err == nil && a.status < 400 {
				t.Errorf("accepted: %s", a)
			}
			if _, bad := problem(a); err == nil && test.own && bad != nil {
				t.Error(bad)
			}
			w.closes(t)
			if n := s.titled(t, title); n != 0 {
				t.Errorf("what was hidden in the body was carried out %d times", n)
			}
		})
	}
}

// TestPipelined: two requests on one connection are two requests. The second has no token, and gets none from the first.
func TestPipelined(t *testing.T) {
	t.Parallel()
	s := start(t, launch{flags: []string{"--idle-timeout", "500ms"}})
	first, second := `{"title":"First"}`, `{"title":"Second"}`
	w := dial(t, s)
	poison := fmt.Sprintf("POST /articles HTTP/1.1\r\nHost: verbless.test\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(second), second)
	if err := w.say(s.head("POST /articles", fmt.Sprintf("Content-Length: %d", len(first))) + first + poison); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{http.StatusCreated, http.StatusUnauthorized} {
		a, err := w.hear("POST")
		if err != nil || a.status != want {
			t.Errorf("answer %d: %s %v, want %d", i+1, a, err, want)
		}
	}
	w.closes(t)
	if titles := s.store().titles(t); len(titles) != 1 || titles[0] != "First" {
		t.Errorf("stored: %q", titles)
	}
}
