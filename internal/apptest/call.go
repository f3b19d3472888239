package apptest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // decoded
	Sent   int    // bytes of the body on the wire
}

// Get reads a member of the body by a path of names with dots; nil when it is not there.
func (a Answer) Get(path string) any {
	var v any
	if json.Unmarshal(a.Body, &v) != nil {
		return nil
	}
	for _, name := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			i := strings.IndexByte("0123456789", name[0])
			if i < 0 || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// Text is Get for strings.
func (a Answer) Text(path string) string { text, _ := a.Get(path).(string); return text }

// Call is a request: "PATCH /articles/x", a token, a body, and headers as "Name: value".
func (s *Server) Call(t testing.TB, token, call, body string, headers ...string) Answer {
	t.Helper()
	method, path, _ := strings.Cut(call, " ")
	if !strings.HasPrefix(path, "http") {
		path = s.URL + path
	}
	r, err := http.NewRequest(method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	response, err := plain.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	sent := len(content)
	content = decode(t, response.Header.Get("Content-Encoding"), content)
	s.Routes.Check(t, r, response, content)
	s.ear.learn(r, []byte(body), response, content)
	return Answer{response.StatusCode, response.Header, content, sent}
}

// plain asks for no coding by itself, so that a test sees what was sent.
var plain = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}

// decode undoes a content coding.
func decode(t testing.TB, coding string, content []byte) []byte {
	t.Helper()
	var in io.Reader = bytes.NewReader(content)
	var err error
	switch {
	case len(content) == 0 || coding == "":
		return content
	case coding == "gzip":
		in, err = gzip.NewReader(in)
	case coding == "zstd":
		var unpacked *zstd.Decoder
		unpacked, err = zstd.NewReader(in)
		defer unpacked.Close()
		in = unpacked
	default:
		t.Fatalf("nobody knows the coding %q", coding)
	}
	if err == nil {
		content, err = io.ReadAll(in)
	}
	if err != nil {
		t.Fatalf("the answer is not %s: %v", coding, err)
	}
	return content
}

// Want is Call that insists on a status.
func (s *Server) Want(t testing.TB, status int, token, call, body string, headers ...string) Answer {
	t.Helper()
	a := s.Call(t, token, call, body, headers...)
	if a.Status != status {
		t.Fatalf("%s: %d, want %d\n%s", call, a.Status, status, bytes.TrimSpace(a.Body))
	}
	return a
}
