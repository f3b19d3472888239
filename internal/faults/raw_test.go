//go:build linux

package faults

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// wire is a connection on which a test says exactly what it wants.
type wire struct {
	net.Conn
	in *bufio.Reader
}

// connect opens a connection on which nothing waits longer than patience.
func (s *server) connect() (*wire, error) {
	conn, err := net.Dial("tcp", s.address())
	if err != nil {
		return nil, err
	}
	conn.SetDeadline(time.Now().Add(patience))
	return &wire{conn, bufio.NewReader(conn)}, nil
}

// dial is connect for a test.
func dial(t testing.TB, s *server) *wire {
	t.Helper()
	w, err := s.connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// say writes a text; a server may have hung up on us by then.
func (w *wire) say(text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// hear reads one answer, interim ones included. A closed connection is io.EOF.
func (w *wire) hear(method string) (answer, error) {
	if _, err := w.in.Peek(1); err != nil {
		return answer{}, hungUp(err)
	}
	response, err := http.ReadResponse(w.in, &http.Request{Method: method})
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, body}, err
}

// hungUp makes one error of the two ways in which a connection ends.
func hungUp(err error) error {
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		return err
	}
	return io.EOF
}

// ends is an error unless the server ends the connection, without another answer.
func (w *wire) ends() error {
	a, err := w.hear("GET")
	switch {
	case err == nil:
		return fmt.Errorf("one more answer: %s", a)
	case err != io.EOF:
		return fmt.Errorf("the connection stays open: %w", err)
	}
	return nil
}

// closes is ends for a test.
func (w *wire) closes(t testing.TB) {
	t.Helper()
	if err := w.ends(); err != nil {
		t.Error(err)
	}
}

// head writes the start of a request with a token.
func (s *server) head(call string, headers ...string) string {
	return call + " HTTP/1.1\r\nHost: verbless.test\r\nAuthorization: Bearer " + s.token + "\r\nContent-Type: application/json\r\n" +
		strings.Join(headers, "\r\n") + "\r\n\r\n"
}

// begin sends a POST up to the point where the server waits for its body, and gives the rest of it.
func (s *server) begin(t testing.TB, title string) (*wire, string) {
	t.Helper()
	body := fmt.Sprintf(`{"title":%q}`, title)
	w := dial(t, s)
	if err := w.say(s.head("POST /articles", fmt.Sprintf("Content-Length: %d", len(body)), "Expect: 100-continue")); err != nil {
		t.Fatal(err)
	}
	if a, err := w.hear("POST"); err != nil || a.status != http.StatusContinue {
		t.Fatal(a, err)
	}
	return w, body
}

// titled counts the articles of a title.
func (s *server) titled(t testing.TB, title string) int {
	t.Helper()
	n := 0
	for _, r := range s.store().titles(t) {
		if r == title {
			n++
		}
	}
	return n
}
