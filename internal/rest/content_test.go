package rest_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"verbless/internal/describe"
	"verbless/internal/rest"
)

// book is content that knows whether it was closed.
type book struct {
	*bytes.Reader
	broken bool
	closed int
}

func (b *book) Close() error { b.closed++; return nil }

func (b *book) Seek(offset int64, whence int) (int64, error) {
	if b.broken {
		return 0, errors.New("the shelf is locked")
	}
	return b.Reader.Seek(offset, whence)
}

func TestContent(t *testing.T) {
	t.Parallel()
	s := serve(t)
	options := s.Options
	options.Policy = rest.Policy{}
	lent := &book{}
	s.API = describe.New(options, rest.Route{Path: "/book", Public: true, Operations: []*rest.Operation{{
		Method: http.MethodGet, ID: "getBook", Offers: []string{"text/x-book"},
		Answers: []rest.Response{{Status: 200, Type: "text/x-book"}, {Status: 206, Type: "text/x-book"}, {Status: 206, Type: "text/x-page"}, {Status: 304}},
		Handle: func(*rest.Call) (*rest.Answer, error) {
			lent.Reader = bytes.NewReader([]byte("0123456789"))
			return &rest.Answer{Type: "text/x-book", ETag: `"book.one"`, Public: "public, max-age=3600", Content: lent}, nil
		},
	}}})
	for _, test := range []struct {
		headers []string
		status  int
		body    string
	}{
		{nil, 200, "0123456789"},
		{[]string{"Range: bytes=2-4"}, 206, "234"},
		{[]string{"Range: bytes=-2"}, 206, "89"},
		{[]string{"Range: bytes=2-4", `If-Range: "a"`}, 200, "0123456789"},
		{[]string{"Range: bytes=20-"}, 416, ""},
		{[]string{`If-None-Match: "book.one"`}, 304, ""},
		{[]string{`If-Match: "a"`}, 412, ""},
	} {
		lent.closed = 0
		a := s.want(t, test.status, "", "GET /book", "", test.headers...)
		if test.status < 400 && a.Body != test.body {
			t.Errorf("%v: %q", test.headers, a.Body)
		}
		if lent.closed != 1 {
			t.Errorf("%v: closed %d times", test.headers, lent.closed)
		}
	}
	s.want(t, 200, "", "HEAD /book", "").has(t, "Content-Length", "10")
	content := describe.OpenAPI(s.API)["paths"].(map[string]any)["/book"].(map[string]any)["get"].(map[string]any)["responses"].(map[string]any)
	if types := content["206"].(map[string]any)["content"].(map[string]any); len(types) != 3 || content["416"] == nil || content["412"] == nil {
		t.Errorf("described as %v", content)
	}
	lent.broken = true
	s.want(t, 500, "", "GET /book", "")
}

// TestContentIsSentByTheSystem: whoever wraps the connection may still hand over a whole file.
func TestContentIsSentByTheSystem(t *testing.T) {
	t.Parallel()
	s := serve(t)
	options := s.Options
	options.Policy = rest.Policy{}
	s.API = describe.New(options, rest.Route{Path: "/book", Public: true, Operations: []*rest.Operation{{Method: http.MethodGet, Offers: []string{"text/x-book"},
		Handle: func(*rest.Call) (*rest.Answer, error) {
			return &rest.Answer{Type: "text/x-book", Content: &book{Reader: bytes.NewReader(make([]byte, 100))}}, nil
		}}}})
	w := &handOver{ResponseWriter: httptest.NewRecorder()}
	s.ServeHTTP(w, httptest.NewRequest("GET", "/book", nil))
	if w.got != 100 {
		t.Errorf("%d bytes were handed over", w.got)
	}
}

type handOver struct {
	http.ResponseWriter
	got int64
}

func (h *handOver) ReadFrom(r io.Reader) (n int64, err error) {
	h.got, err = io.Copy(h.ResponseWriter, r)
	return h.got, err
}
