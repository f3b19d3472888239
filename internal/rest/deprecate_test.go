package rest_test

import (
	"fmt"
	"testing"
	"time"

	"verbless/internal/rest"
)

var (
	since  = time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600))
	sunset = time.Date(2027, 6, 30, 23, 59, 59, 0, time.FixedZone("", -3600))
)

func deprecating(list ...rest.Deprecation) func(*rest.Options) {
	return func(o *rest.Options) { o.Deprecations = list }
}

func TestDeprecatedParameter(t *testing.T) {
	t.Parallel()
	s := serve(t, deprecating(rest.Deprecation{Resource: "notes", Parameter: "rank", Since: since, Sunset: sunset}))
	a := s.want(t, 200, alice, "GET /notes?rank=5", "")
	a.has(t, "Deprecation", "@1767222000")
	a.has(t, "Sunset", "Thu, 01 Jul 2027 00:59:59 GMT")
	a.has(t, "Link", `<https://api.test/notes?rank=5>; rel="self"`+"\n"+`<https://api.test/openapi.json>; rel="deprecation"`)
	for _, path := range []string{"/notes", "/folders", "/notes?title=x"} {
		a := s.want(t, 200, alice, "GET "+path, "")
		a.has(t, "Deprecation", "")
		a.has(t, "Sunset", "")
	}
	s.want(t, 304, alice, "GET /notes?rank=5", "", "If-None-Match: "+a.etag()).has(t, "Deprecation", "@1767222000")
}

func TestDeprecatedResource(t *testing.T) {
	t.Parallel()
	s := serve(t, deprecating(rest.Deprecation{Resource: "notes", Since: since}, rest.Deprecation{Resource: "folders", Field: "size", Since: since}))
	for _, call := range []string{"GET /notes", "POST /notes", "GET /notes/" + nth(1), "PATCH /notes/" + nth(1), "DELETE /notes/" + nth(1)} {
		a := s.do(t, alice, call, `{"title":"x"}`)
		a.has(t, "Deprecation", "@1767222000")
		a.has(t, "Sunset", "")
	}
	s.want(t, 200, alice, "GET /folders", "").has(t, "Deprecation", "")
}

// TestDeprecationIsDescribed: the one registry also feeds the description.
func TestDeprecationIsDescribed(t *testing.T) {
	t.Parallel()
	s := serve(t, deprecating(rest.Deprecation{Resource: "notes", Parameter: "rank", Since: since}, rest.Deprecation{Resource: "folders", Field: "size", Since: since}))
	a := s.want(t, 200, "", "GET /openapi.json", "")
	if got := a.at(t, "components.schemas.folder.properties.size.deprecated"); got != true {
		t.Errorf("size: %v", got)
	}
	if got := a.at(t, "components.schemas.folder.properties.name.deprecated"); got != nil {
		t.Errorf("name: %v", got)
	}
	for _, p := range a.read(t)["paths"].(map[string]any)["/notes"].(map[string]any)["get"].(map[string]any)["parameters"].([]any) {
		entry := p.(map[string]any)
		if got := entry["deprecated"]; (entry["name"] == "rank") != (got == true) {
			t.Errorf("%s: %v", entry["name"], got)
		}
	}
}

func TestBadDatesPanic(t *testing.T) {
	t.Parallel()
	for _, d := range []rest.Deprecation{{Resource: "notes"}, {Resource: "notes", Sunset: sunset}, {Resource: "notes", Since: sunset, Sunset: since}} {
		mustPanic(t, fmt.Sprint(d), func() { serve(t, deprecating(d)) })
	}
	serve(t, deprecating(rest.Deprecation{Resource: "notes", Since: since, Sunset: since}))
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s did not panic", name)
		}
	}()
	f()
}
