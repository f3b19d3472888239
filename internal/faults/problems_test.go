//go:build linux

package faults

import (
	"net/http"
	"strings"
	"testing"
)

// TestErrorsAreProblems: whatever a request looks like, an error of the service is a whole problem document and shows
// nothing of the inside.
func TestErrorsAreProblems(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	long := strings.Repeat("x", 6000)
	for line, want := range map[string]int{
		"TRACE /articles":                        http.StatusMethodNotAllowed,
		"PUT /articles":                          http.StatusMethodNotAllowed,
		"BREW /articles":                         http.StatusMethodNotAllowed,
		"PROPFIND /articles":                     http.StatusMethodNotAllowed,
		"get /articles":                          http.StatusMethodNotAllowed,
		"BREW /nowhere":                          0,
		"GET /nowhere":                           http.StatusNotFound,
		"GET //articles":                         http.StatusNotFound,
		"GET /articles/":                         http.StatusNotFound,
		"GET /articles/%00":                      http.StatusNotFound,
		"GET /articles/..%2f..%2fetc%2fpasswd":   http.StatusNotFound,
		"GET /articles/../../etc/passwd":         http.StatusNotFound,
		"GET /articles/" + long:                  http.StatusNotFound,
		"GET /articles?cursor=" + long:           http.StatusBadRequest,
		"GET /articles?limit=1;limit=2":          http.StatusBadRequest,
		"GET /articles?%zz":                      http.StatusBadRequest,
		"GET /articles?sort=%00":                 http.StatusBadRequest,
		"GET http://other.test/nowhere":          http.StatusNotFound,
		"DELETE /articles/00000000-0000-0000-00": http.StatusNotFound,
	} {
		w := dial(t, s)
		if err := w.say(s.head(line)); err != nil {
			t.Fatal(err)
		}
		a, err := w.hear("GET")
		if err != nil {
			t.Errorf("%.60s: %v", line, err)
			continue
		}
		if want != 0 && a.status != want || a.status < 400 {
			t.Errorf("%.60s: %s, want %d", line, a, want)
		}
		if _, err := problem(a); err != nil {
			t.Errorf("%.60s: %v", line, err)
		}
		if a.status == http.StatusMethodNotAllowed && a.header.Get("Allow") == "" {
			t.Errorf("%.60s: 405 without Allow", line)
		}
		if text := string(a.body); strings.Contains(text, "goroutine") || strings.Contains(text, ".go:") || strings.Contains(text, "SELECT ") {
			t.Errorf("%.60s: the answer shows the inside: %s", line, text)
		}
	}
}
