package rest_test

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

// TestEveryCodeHasAPage, for machines and for people, at the address that problems give as their type.
func TestEveryCodeHasAPage(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, info := range fault.Codes {
		path := "/problems/" + string(info.Code)
		a := s.want(t, 200, "", "GET "+path, "")
		a.has(t, "Content-Type", "application/json")
		status := strconv.Itoa(rest.StatusOf(info.Code))
		want := map[string]string{"type": base + path, "code": string(info.Code), "title": info.Title, "help": info.Help}
		for name, value := range want {
			if a.at(t, name) != value {
				t.Errorf("%s: %s is %v", path, name, a.at(t, name))
			}
		}
		page := s.want(t, 200, "", "GET "+path, "", "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
		page.has(t, "Content-Type", "text/html; charset=utf-8")
		for _, part := range []string{">" + status + "</span>", "<code>" + string(info.Code) + "</code>", html.EscapeString(info.Title), "<!doctype html>"} {
			if !strings.Contains(page.Body, part) {
				t.Errorf("%s lacks %s:\n%s", path, part, page.Body)
			}
		}
	}
	s.do(t, "", "GET /problems/nope", "").refused(t, fault.NotFoundCode)
	s.do(t, "", "GET /problems/<script>", "").refused(t, fault.NotFoundCode)
	if list := s.want(t, 200, "", "GET /problems", "").read(t)["problems"].([]any); len(list) != len(fault.Codes) {
		t.Errorf("%d problems are listed, of %d", len(list), len(fault.Codes))
	}
}

// TestTypeResolves: the type of a real problem is an address that this service serves.
func TestTypeResolves(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, call := range []string{"GET /nothing", "GET /notes?x=1", "PUT /notes", "GET /notes/" + nth(1), "POST /notes"} {
		kind := s.do(t, alice, call, "").at(t, "type").(string)
		if !strings.HasPrefix(kind, base+"/") {
			t.Errorf("%s is not ours", kind)
		}
		s.want(t, 200, "", "GET "+kind, "")
	}
}

// TestEveryKindHasAStatus that tells of an error.
func TestEveryKindHasAStatus(t *testing.T) {
	t.Parallel()
	for _, info := range fault.Codes {
		if status := rest.StatusOf(info.Code); status < 400 || status > 599 {
			t.Errorf("%s has the status %d", info.Code, status)
		}
	}
	for code, want := range map[fault.Code]int{fault.InvalidJSON: 400, fault.Unauthenticated: 401, fault.ForbiddenCode: 403, fault.NotFoundCode: 404, fault.MethodNotAllowed: 405, fault.NotAcceptable: 406,
		fault.BodyTooSlow: 408, fault.TransitionRefused: 409, fault.ArticleTrashed: 410, fault.PreconditionFailed: 412, fault.BodyTooLarge: 413, fault.UnsupportedMediaType: 415,
		fault.IdempotencyKeyReused: 422, fault.Internal: 500, fault.Unavailable: 503, fault.UploadIncomplete: 400} {
		if got := rest.StatusOf(code); got != want {
			t.Errorf("%s is %d, want %d", code, got, want)
		}
	}
}

// TestDetails: a fault's own members stand in the problem, and plain Go values become JSON.
func TestDetails(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.world.setTrap(func(string) error {
		return fault.New(fault.TransitionRefused, "It does not change that way.").With("from", "a").With("allowed", []string{"b", "c"}).With("count", 7).With("big", int64(1)<<62).
			With("nested", map[string]any{"z": []any{1, "x", nil, true}, "a": []string{}}).With("reason", nil)
	})
	s.do(t, alice, "GET /notes", "").is(t, `{"type":"https://api.test/problems/transition_refused","title":"The state does not change that way","status":409,"code":"transition_refused",`+
		`"message":"It does not change that way.","request_id":"the-request","allowed":["b","c"],"big":4611686018427387904,"count":7,"from":"a","nested":{"a":[],"z":[1,"x",null,true]},"reason":null}`)
}

// TestOddTextInProblems: whatever a caller sends, the problem is JSON.
func TestOddTextInProblems(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, name := range []string{"%ff", "%00", "%22%5C", "%F0%9F%98%80", "%ed%a0%80", "<script>", "%0d%0aX-Evil:1"} {
		for _, call := range []string{"GET /notes?" + name + "=1", "GET /notes?fields=" + name, "GET /notes?include=" + name, "GET /notes?sort=" + name, "GET /notes?kind=" + name} {
			a := s.want(t, 400, alice, call, "")
			a.read(t)
			if a.Header.Get("X-Evil") != "" {
				t.Errorf("%s set a header", call)
			}
		}
		status := 200
		if decoded, err := url.QueryUnescape(name); err != nil || !utf8.ValidString(decoded) || strings.Contains(decoded, "\x00") {
			status = 400 // no column can hold it
		}
		s.want(t, status, alice, "GET /notes?title="+name, "").read(t)
	}
}
