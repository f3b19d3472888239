package rest_test

import (
	"errors"
	"testing"

	"verbless/internal/fault"
)

// TestCaching: what every kind of answer says to caches. That Vary is the same everywhere is checked on every answer of every test.
func TestCaching(t *testing.T) {
	t.Parallel()
	s := library(t)
	one := "/notes/" + nth(2)
	tag := s.do(t, alice, "GET "+one, "").etag()
	const own, never, all = "private, no-cache", "no-store", "public, max-age=3600"
	for _, test := range []struct {
		status      int
		who, call   string
		body, extra string
		want        string
	}{
		{200, alice, "GET /notes", "", "", own},
		{200, alice, "HEAD /notes", "", "", own},
		{200, alice, "GET " + one, "", "", own},
		{304, alice, "GET " + one, "", "If-None-Match: " + tag, own},
		{201, alice, "POST /notes", `{"title":"x"}`, "", own},
		{200, alice, "PUT " + one, `{"title":"x"}`, "", own},
		{200, alice, "PATCH " + one, `{"title":"y"}`, "", own},
		{204, alice, "PATCH " + one, `{"title":"z"}`, "Prefer: return=minimal", own},
		{200, alice, "OPTIONS " + one, "", "", never},
		{200, "", "GET /openapi.json", "", "", all},
		{200, "", "GET /problems/internal", "", "", all},
		{400, alice, "GET /notes?x=1", "", "", never},
		{401, "", "GET /notes", "", "", never},
		{403, bob, "PATCH " + one, `{"title":"x"}`, "", never},
		{404, alice, "GET /notes/" + nth(9), "", "", never},
		{404, "", "GET /nothing", "", "", never},
		{405, alice, "PUT /notes", "", "", never},
		{406, alice, "GET /notes", "", "Accept: text/plain", never},
		{409, alice, "PATCH " + one, `[{"op":"test","path":"/rank","value":0}]`, jsonPatch, never},
		{412, alice, "DELETE " + one, "", "If-Match: " + tag, never},
		{415, alice, "PATCH " + one, `x`, "Content-Type: text/plain", never},
		{204, alice, "DELETE " + one, "", "", own},
	} {
		var headers []string
		if test.extra != "" {
			headers = append(headers, test.extra)
		}
		a := s.want(t, test.status, test.who, test.call, test.body, headers...)
		a.has(t, "Cache-Control", test.want)
	}
	s.world.setTrap(func(string) error { return errors.New("broken") })
	s.want(t, 500, alice, "GET /notes", "").has(t, "Cache-Control", never)
	s.world.setTrap(func(string) error { return fault.New(fault.Unavailable, "Not now.") })
	s.want(t, 503, alice, "GET /notes", "").has(t, "Cache-Control", never)
}
