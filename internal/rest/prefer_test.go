package rest_test

import (
	"testing"

	"verbless/internal/rest"
)

func TestPreferMinimal(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const minimal = "Prefer: return=minimal"
	a := s.want(t, 201, alice, "POST /notes", `{"title":"x"}`, minimal)
	a.is(t, "")
	a.has(t, "Location", base+"/notes/"+nth(1))
	a.has(t, "Preference-Applied", "return=minimal")
	a.has(t, "ETag", s.do(t, alice, "GET /notes/"+nth(1), "").etag())
	a = s.want(t, 204, alice, "PATCH /notes/"+nth(1), `{"title":"y"}`, minimal)
	a.has(t, "Preference-Applied", "return=minimal")
	a.has(t, "ETag", s.do(t, alice, "GET /notes/"+nth(1), "").etag())
	a = s.want(t, 204, alice, "PUT /notes/"+nth(1), `{"title":"z"}`, minimal)
	a.has(t, "Preference-Applied", "return=minimal")
	a.has(t, "ETag", "")
	s.want(t, 200, alice, "GET /notes/"+nth(1), "", minimal).has(t, "Preference-Applied", "")
	s.want(t, 400, alice, "POST /notes", `{}`, minimal).has(t, "Preference-Applied", "")
	for _, prefer := range []string{"return=representation", "return=representation, return=minimal", "return", "minimal", "respond-async, wait=10"} {
		a := s.want(t, 200, alice, "PATCH /notes/"+nth(1), `{"title":"z"}`, "Prefer: "+prefer)
		a.has(t, "Preference-Applied", "")
	}
}

func TestPrefers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		lines          []string
		minimal, count bool
	}{
		{nil, false, false},
		{[]string{""}, false, false},
		{[]string{"return=minimal"}, true, false},
		{[]string{`return="minimal"`}, true, false},
		{[]string{"Return=minimal"}, true, false},
		{[]string{" return = minimal ; foo=bar , count=exact"}, true, true},
		{[]string{"return=minimal", "count=exact"}, true, true},
		{[]string{"foo, bar=baz; qux", "count=exact"}, false, true},
		{[]string{"return=representation", "return=minimal"}, false, false},
		{[]string{"count=exact, count=estimated"}, false, true},
		{[]string{"return=", "count="}, false, false},
		{[]string{"return=minimalist"}, false, false},
		{[]string{",,,"}, false, false},
	} {
		minimal, count := rest.Prefers(test.lines...)
		if minimal != test.minimal || count != test.count {
			t.Errorf("%q: minimal %v, count %v", test.lines, minimal, count)
		}
	}
}
