package rest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/rest"
	"verbless/internal/trip"
)

// logbook is what the service logged.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// answer is what came back.
type answer struct {
	Status int
	Header http.Header
	Body   string
	call   string
}

// request makes a request of "PATCH /notes/x". JSON is the type of a body unless a header says another;
// a header may be named twice.
func request(who, call, body string, headers ...string) *http.Request {
	method, target, _ := strings.Cut(call, " ")
	r := httptest.NewRequest(method, base+strings.TrimPrefix(target, base), strings.NewReader(body))
	if who != "" {
		r.Header.Set("Authorization", "Bearer "+who)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if i == 0 || !strings.HasPrefix(headers[i-1], name+": ") {
			r.Header.Del(name)
		}
		r.Header.Add(name, value)
	}
	return r.WithContext(trip.With(r.Context(), &trip.Trip{ID: "the-request"}))
}

// send takes any request to the API, and checks what every answer must be.
func (s *toy) send(t testing.TB, r *http.Request) answer {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	a := answer{w.Code, w.Header(), w.Body.String(), r.Method + " " + r.URL.RequestURI()}
	a.checkAlways(t, r)
	return a
}

// do sends "GET /notes" as somebody.
func (s *toy) do(t testing.TB, who, call, body string, headers ...string) answer {
	t.Helper()
	return s.send(t, request(who, call, body, headers...))
}

// want is do that insists on a status.
func (s *toy) want(t testing.TB, status int, who, call, body string, headers ...string) answer {
	t.Helper()
	a := s.do(t, who, call, body, headers...)
	a.status(t, status)
	return a
}

func (a answer) status(t testing.TB, want int) {
	t.Helper()
	if a.Status != want {
		t.Fatalf("%s: %d, want %d\n%s", a.call, a.Status, want, a.Body)
	}
}

// checkAlways is what holds for every answer to every request.
func (a answer) checkAlways(t testing.TB, r *http.Request) {
	t.Helper()
	a.has(t, "Vary", rest.VaryList)
	a.has(t, "X-Content-Type-Options", "nosniff")
	empty := r.Method == http.MethodHead || a.Status == http.StatusNotModified || a.Status == http.StatusNoContent
	if empty != (a.Body == "") && a.Status != http.StatusCreated {
		t.Errorf("%s: %d with body %q", a.call, a.Status, a.Body)
	}
	if !empty {
		a.has(t, "Content-Length", strconv.Itoa(len(a.Body)))
	}
	if a.Body == "" && !empty || a.Status == http.StatusNotModified || a.Status == http.StatusNoContent {
		a.has(t, "Content-Type", "")
	}
	cache := a.Header.Get("Cache-Control")
	switch {
	case a.Status >= 400 || r.Method == http.MethodOptions || strings.Contains(r.URL.Path, "/editions"):
		a.has(t, "Cache-Control", "no-store")
	case cache != "private, no-cache" && cache != "public, max-age=3600" && cache != "public, no-cache":
		t.Errorf("%s: Cache-Control %q", a.call, cache)
	}
	if a.Status >= 400 {
		a.has(t, "ETag", "")
		a.has(t, "Content-Type", "application/problem+json")
	}
	if a.Status >= 200 && a.Status < 300 && r.Method == http.MethodGet || a.Status == http.StatusNotModified {
		if tag := a.Header.Get("ETag"); len(tag) < 10 || tag[0] != '"' {
			t.Errorf("%s: ETag %q is not strong", a.call, tag)
		}
	}
	a.checkSchema(t, r)
}

// has checks a header; none is the empty text.
func (a answer) has(t testing.TB, name, want string) {
	t.Helper()
	if got := strings.Join(a.Header.Values(name), "\n"); got != want {
		t.Errorf("%s (%d): %s is %q, want %q", a.call, a.Status, name, got, want)
	}
}

// is compares a body, but for the line end.
func (a answer) is(t testing.TB, want string) {
	t.Helper()
	if got := strings.TrimSuffix(a.Body, "\n"); got != want {
		t.Errorf("%s (%d): got\n%s\nwant\n%s", a.call, a.Status, got, want)
	}
}

func (a answer) etag() string { return a.Header.Get("ETag") }

// read parses the body.
func (a answer) read(t testing.TB) map[string]any {
	t.Helper()
	var doc map[string]any
	d := json.NewDecoder(strings.NewReader(a.Body))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("%s: %v in %s", a.call, err, a.Body)
	}
	return doc
}

// at reads a value of the body by names with dots; nil when it is not there.
func (a answer) at(t testing.TB, path string) any {
	t.Helper()
	var v any = a.read(t)
	for _, name := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// all lists one member of every row of a list.
func (a answer) all(t testing.TB, list, member string) []string {
	t.Helper()
	a.status(t, http.StatusOK)
	found := []string{}
	for _, row := range a.read(t)[list].([]any) {
		text, _ := row.(map[string]any)[member].(string)
		found = append(found, text)
	}
	return found
}

// refused checks a whole problem document. Each fault is "code place", in the order given.
func (a answer) refused(t testing.TB, code fault.Code, faults ...string) {
	t.Helper()
	info, known := fault.Lookup(code)
	if !known {
		t.Fatalf("%s is no code", code)
	}
	a.status(t, rest.StatusOf(code))
	doc := a.read(t)
	want := map[string]any{"type": base + "/problems/" + string(code), "title": info.Title, "status": json.Number(strconv.Itoa(a.Status)),
		"code": string(code), "request_id": "the-request"}
	for name, value := range want {
		if doc[name] != value {
			t.Errorf("%s: %s is %v, want %v", a.call, name, doc[name], value)
		}
	}
	if message, _ := doc["message"].(string); len(message) < 10 || !strings.HasSuffix(message, ".") {
		t.Errorf("%s: the message %q is no sentence", a.call, message)
	}
	if got := a.faults(t); !slices.Equal(got, faults) {
		t.Errorf("%s (%d %s): faults\n%s\nwant\n%s", a.call, a.Status, code, strings.Join(got, "\n"), strings.Join(faults, "\n"))
	}
}

// faults lists the errors of a problem as "code place".
func (a answer) faults(t testing.TB) []string {
	t.Helper()
	var found []string
	list, _ := a.read(t)["errors"].([]any)
	for _, item := range list {
		part := item.(map[string]any)
		text := part["code"].(string)
		for _, place := range []string{"pointer", "parameter", "header"} {
			if where, ok := part[place]; ok {
				text += " " + where.(string)
			}
		}
		found = append(found, text)
	}
	return found
}

// splitList splits a header at its commas.
func splitList(text string) []string { return strings.Split(text, ", ") }

// trimmed is a body without its line end.
func trimmed(a answer) string { return strings.TrimSuffix(a.Body, "\n") }

// sprint shows a list as fmt does.
func sprint(list []string) string { return "[" + strings.Join(list, " ") + "]" }
