package rest_test

import (
	"strings"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const bare, reason = `Bearer realm="verbless"`, `Bearer realm="verbless", error="invalid_token"`
	for _, test := range []struct {
		name      string
		headers   []string
		code      fault.Code
		challenge string
	}{
		{"none", nil, fault.Unauthenticated, bare},
		{"the wrong name", []string{"Authentication: Bearer alice"}, fault.Unauthenticated, bare},
		{"Basic", []string{"Authorization: Basic YWxpY2U6eA=="}, fault.Unauthenticated, bare},
		{"empty", []string{"Authorization: "}, fault.Unauthenticated, bare},
		{"no scheme", []string{"Authorization: alice"}, fault.Unauthenticated, bare},
		{"no token", []string{"Authorization: Bearer"}, fault.Unauthenticated, bare},
		{"an empty token", []string{"Authorization: Bearer "}, fault.Unauthenticated, bare},
		{"a comma", []string{"Authorization: Bearer,alice"}, fault.Unauthenticated, bare},
		{"unknown", []string{"Authorization: Bearer nobody"}, fault.InvalidToken, reason},
		{"two spaces", []string{"Authorization: Bearer  alice"}, fault.InvalidToken, reason},
		{"two tokens", []string{"Authorization: Bearer alice bob"}, fault.InvalidToken, reason},
		{"expired", []string{"Authorization: Bearer expired"}, fault.TokenExpired, reason},
		{"two headers", []string{"Authorization: Bearer alice", "Authorization: Bearer alice"}, fault.InvalidRequest, ""},
		{"nobody to ask", []string{"Authorization: Bearer down"}, fault.Unavailable, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, call := range []string{"GET /notes", "HEAD /notes", "POST /notes", "OPTIONS /notes", "PATCH /notes/" + nth(1), "GET /notes?access_token=alice"} {
				a := s.do(t, "", call, "", test.headers...)
				a.status(t, rest.StatusOf(test.code))
				a.has(t, "WWW-Authenticate", test.challenge)
				if a.Body != "" && a.at(t, "code") != string(test.code) {
					t.Errorf("%s: %s", call, a.Body)
				}
			}
		})
	}
	if message := s.do(t, "", "GET /notes", "", "Authentication: Bearer alice").at(t, "message").(string); !strings.Contains(message, "Authorization") {
		t.Errorf("the message does not tell the name to use: %s", message)
	}
	for _, header := range []string{"Authorization: bearer alice", "Authorization: BEARER alice"} {
		s.want(t, 200, "", "GET /notes", "", header)
	}
	s.want(t, 200, alice, "GET /notes", "", "Authentication: Bearer nobody")
}

// TestPublic: what the service says of itself needs no token, and ignores a wrong one.
func TestPublic(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, path := range []string{"/", "/openapi.json", "/schemas/note.json", "/problems", "/problems/not_found"} {
		for _, who := range []string{"", "nobody", alice} {
			a := s.want(t, 200, who, "GET "+path, "")
			a.has(t, "Cache-Control", "public, max-age=3600")
			s.want(t, 304, who, "GET "+path, "", "If-None-Match: "+a.etag()).has(t, "Cache-Control", "public, max-age=3600")
		}
	}
}
