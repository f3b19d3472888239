package rest_test

import (
	"encoding/json"
	"testing"

	"verbless/internal/fault"
)

func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.note("First")
	one := "/notes/" + nth(1)
	for _, test := range []struct {
		call   string
		code   fault.Code
		faults []string
	}{
		{"GET /notes?tilte=x", fault.UnknownParameter, []string{"unknown_parameter tilte"}},
		{"GET /notes?b=1&a=2&limit=3", fault.UnknownParameter, []string{"unknown_parameter a", "unknown_parameter b"}},
		{"GET /notes?Limit=1", fault.UnknownParameter, []string{"unknown_parameter Limit"}},
		{"GET /notes?title[gte]=1", fault.UnknownParameter, []string{"unknown_parameter title[gte]"}},
		{"GET /notes?done_at[neq]=1", fault.UnknownParameter, []string{"unknown_parameter done_at[neq]"}},
		{"GET /notes?secret=s", fault.UnknownParameter, []string{"unknown_parameter secret"}},
		{"GET /notes?access_token=alice", fault.UnknownParameter, []string{"unknown_parameter access_token"}},
		{"GET " + one + "?limit=1", fault.UnknownParameter, []string{"unknown_parameter limit"}},
		{"PATCH " + one + "?fields=id", fault.UnknownParameter, []string{"unknown_parameter fields"}},
		{"PUT " + one + "?x", fault.UnknownParameter, []string{"unknown_parameter x"}},
		{"DELETE " + one + "?force", fault.UnknownParameter, []string{"unknown_parameter force"}},
		{"POST /notes?x=1", fault.UnknownParameter, []string{"unknown_parameter x"}},
		{"GET /openapi.json?x=1", fault.UnknownParameter, []string{"unknown_parameter x"}},
		{"GET /notes?limit=1&limit=1", fault.InvalidParameter, []string{"invalid_parameter limit"}},
		{"GET /notes?kind=plain&kind=list", fault.InvalidParameter, []string{"invalid_parameter kind"}},
		{"GET " + one + "?fields=id&fields=title", fault.InvalidParameter, []string{"invalid_parameter fields"}},
		{"GET /notes?limit=1;cursor=2", fault.InvalidParameter, nil},
		{"GET /notes?limit=%zz", fault.InvalidParameter, nil},
		{"GET " + one + "?fields=%", fault.InvalidParameter, nil},
	} {
		s.do(t, alice, test.call, `{"title":"x"}`).refused(t, test.code, test.faults...)
	}
}

// TestAllQueryFaultsAtOnce: of the query, too, everything is told at once.
func TestAllQueryFaultsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.do(t, alice, "GET /notes?nope=1&limit=0&sort-dir=up&rank=x&cursor=x&fields=zzz&include=yyy", "").refused(t, fault.ValidationFailed,
		"unknown_parameter nope", "invalid_parameter include", "unknown_field fields", "invalid_parameter limit", "invalid_parameter sort-dir",
		"invalid_parameter rank", "invalid_cursor cursor")
	s.do(t, alice, "GET /notes/"+nth(1)+"?nope=1&fields=a,b", "").refused(t, fault.ValidationFailed, "unknown_parameter nope", "unknown_field fields", "unknown_field fields")
}

func TestLimits(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for range 101 {
		s.note("x")
	}
	for query, want := range map[string]int{"": 25, "?limit=1": 1, "?limit=100": 100, "?limit=26": 26} {
		if got := len(s.do(t, alice, "GET /notes"+query, "").all(t, "notes", "id")); got != want {
			t.Errorf("%q gave %d rows", query, got)
		}
	}
	for _, limit := range []string{"0", "-1", "101", "x", "", "1.0", "1e1", "99999999999999999999", "%31%00"} {
		s.do(t, alice, "GET /notes?limit="+limit, "").refused(t, fault.InvalidParameter, "invalid_parameter limit")
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for range 3 {
		s.note("x")
	}
	s.note("y")
	for _, prefer := range []string{"count=exact", `count="exact"`, "foo, COUNT = exact", "count=exact, count=none"} {
		a := s.want(t, 200, alice, "GET /notes?title=x&limit=1&fields=id", "", "Prefer: "+prefer)
		a.has(t, "Preference-Applied", "count=exact")
		if a.at(t, "meta.total") != json.Number("3") || len(a.all(t, "notes", "id")) != 1 {
			t.Errorf("%s: %s", prefer, a.Body)
		}
	}
	for _, prefer := range []string{"count=none", "count", "counts=exact", "count=none, count=exact", ""} {
		a := s.want(t, 200, alice, "GET /notes", "", "Prefer: "+prefer)
		a.has(t, "Preference-Applied", "")
		if a.at(t, "meta") != nil {
			t.Errorf("%s: %s", prefer, a.Body)
		}
	}
	a := s.want(t, 200, alice, "GET /notes?title=nobody", "", "Prefer: count=exact")
	a.is(t, `{"notes":[],"links":{"self":"https://api.test/notes?title=nobody"},"meta":{"total":0}}`)
}
