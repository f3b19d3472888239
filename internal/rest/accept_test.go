package rest_test

import (
	"encoding/json"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

func TestPick(t *testing.T) {
	t.Parallel()
	const plain, vendor = "application/json", "application/vnd.verbless+v1+json"
	for _, test := range []struct {
		accept []string
		want   string
	}{
		{nil, plain},
		{[]string{""}, plain},
		{[]string{"*/*"}, plain},
		{[]string{"application/*"}, plain},
		{[]string{"application/json"}, plain},
		{[]string{"APPLICATION/JSON"}, plain},
		{[]string{"application/json; charset=utf-8"}, plain},
		{[]string{vendor}, vendor},
		{[]string{vendor + ", application/json"}, plain},
		{[]string{vendor + ", application/json;q=0.9"}, vendor},
		{[]string{vendor + ";q=0.5, */*;q=0.1"}, vendor},
		{[]string{"text/html", "application/json"}, plain},
		{[]string{"text/html, application/json;q=0.1"}, plain},
		{[]string{"text/html, */*;q=0.001"}, plain},
		{[]string{"application/json;q=0, */*"}, vendor},
		{[]string{"application/json;q=0"}, ""},
		{[]string{"application/*;q=0, */*"}, ""},
		{[]string{"*/*;q=0"}, ""},
		{[]string{"*/*;q=0, application/json"}, plain},
		{[]string{"application/json;q=2"}, ""},
		{[]string{"application/json;q=x"}, ""},
		{[]string{"application/json;q=-1"}, ""},
		{[]string{"application/json;q=NaN"}, ""},
		{[]string{"application/json; q=1.0"}, plain},
		{[]string{"nonsense, ;;, application/json"}, plain},
		{[]string{"text/*"}, ""},
		{[]string{"text/html"}, ""},
		{[]string{"json"}, ""},
		{[]string{"application/problem+json"}, ""},
		{[]string{"application/vnd.verbless+v2+json"}, ""},
		{[]string{"application/vnd.verbless+json"}, ""},
	} {
		got, ok := rest.Pick(test.accept, []string{plain, vendor})
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%q: %q %v, want %q", test.accept, got, ok, test.want)
		}
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	s := library(t)
	v := func(n string) string { return "application/vnd.verbless+v" + n + "+json" }
	for path, version := range map[string]string{"/notes": "1", "/notes/" + nth(2): "1", "/people/2": "3"} {
		s.want(t, 200, alice, "GET "+path, "").has(t, "Content-Type", "application/json")
		a := s.want(t, 200, alice, "GET "+path, "", "Accept: "+v(version))
		a.has(t, "Content-Type", v(version))
		a.is(t, trimmed(s.do(t, alice, "GET "+path, "")))
		for _, other := range []string{v("2"), v("03"), v("0"), "text/csv", v(version) + ";q=0"} {
			a := s.do(t, alice, "GET "+path, "", "Accept: "+other)
			a.refused(t, fault.NotAcceptable)
			if list, _ := json.Marshal(a.at(t, "available")); string(list) != `["application/json","`+v(version)+`"]` {
				t.Errorf("%s: available %s", path, list)
			}
		}
	}
	created := s.want(t, 201, alice, "POST /notes", `{"title":"x"}`, "Content-Type: "+v("1"), "Accept: "+v("1"))
	created.has(t, "Content-Type", v("1"))
	s.want(t, 406, alice, "POST /notes", `{"title":"x"}`, "Accept: text/html")
	s.want(t, 406, alice, "DELETE /notes/"+nth(2), "", "Accept: text/html")
}

// TestProblemsAreNeverRefused: a problem is a problem document, whatever the caller accepts.
func TestProblemsAreNeverRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, accept := range []string{"application/json", "application/vnd.verbless+v1+json", "*/*"} {
		s.do(t, alice, "GET /notes/"+nth(9), "", "Accept: "+accept).refused(t, fault.NotFoundCode)
	}
	s.do(t, "", "GET /notes", "", "Accept: text/html").refused(t, fault.Unauthenticated, "unauthenticated Authorization")
}
