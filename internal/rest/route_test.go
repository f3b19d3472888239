package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verbless/internal/describe"
	"verbless/internal/fault"
	"verbless/internal/rest"
)

// echo is a route that makes its own answers.
func echo() *rest.API {
	handle := func(c *rest.Call) (*rest.Answer, error) {
		return &rest.Answer{Status: http.StatusOK, Type: "text/plain", Body: []byte(c.By.Username + " " + c.Param("word") + " " + c.Query.Get("q") + " " + string(c.Body)), NoStore: true}, nil
	}
	return describe.New(rest.Options{Base: base, Identify: identify, MaxBody: 10},
		rest.Route{Path: "/echo/{word}", Operations: []*rest.Operation{
			{Method: http.MethodGet, ID: "getEcho", Params: []rest.Param{{Name: "q"}}, Handle: handle},
			{Method: http.MethodPost, ID: "postEcho", Loose: true, Takes: []string{"text/plain"}, MaxBody: 5, Handle: handle},
		}},
		rest.Route{Path: "/open", Public: true, Operations: []*rest.Operation{{Method: http.MethodGet, ID: "getOpen", Handle: handle}}})
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	s := &toy{API: echo()}
	for _, test := range []struct {
		status int
		r      *http.Request
		want   string
	}{
		{200, request(alice, "GET /echo/hey?q=1", ""), "alice hey 1 "},
		{200, request(alice, "GET /echo/a%2Fb", ""), "alice a/b  "},
		{200, request(alice, "POST /echo/hey?anything=goes&q=2&q=3", "12345", "Content-Type: text/plain"), "alice hey 2 12345"},
		{200, request("", "GET /open", ""), "   "},
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, test.r)
		if w.Code != test.status || w.Body.String() != test.want || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Content-Type") != "text/plain" {
			t.Errorf("%s: %d %q %v", test.r.URL, w.Code, w.Body, w.Header())
		}
	}
	s.do(t, alice, "GET /echo/hey?x=1", "").refused(t, fault.UnknownParameter, "unknown_parameter x")
	s.do(t, alice, "POST /echo/hey", "123456", "Content-Type: text/plain").refused(t, fault.BodyTooLarge)
	a := s.do(t, alice, "POST /echo/hey", "{}")
	a.refused(t, fault.UnsupportedMediaType, "unsupported_media_type Content-Type")
	a.has(t, "Accept-Post", "text/plain")
	s.do(t, "", "GET /echo/hey", "").refused(t, fault.Unauthenticated, "unauthenticated Authorization")
	options := s.want(t, 200, alice, "OPTIONS /echo/hey", "")
	options.has(t, "Allow", "GET, HEAD, OPTIONS, POST")
	options.has(t, "Accept-Post", "text/plain")
	if text := s.want(t, 200, "", "GET /openapi.json", "").Body; !strings.Contains(text, `"/echo/{word}"`) || !strings.Contains(text, `"operationId":"postEcho"`) {
		t.Errorf("the description leaves it out: %s", text)
	}
}
