package app_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"verbless/internal/app"
	"verbless/internal/apptest"
	"verbless/internal/config"
)

// TestPages: pages of the allowed origins may call, and read what they need; a preflight tells nobody what is there.
func TestPages(t *testing.T) {
	const page = "Origin: https://app.example.com"
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		const vary = "Authorization, Accept, Accept-Encoding, Prefer, Origin"
		made := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Seen from a page"}`, page)
		at := made.Header.Get("Location")
		for call, status := range map[string]int{"GET " + at: 200, "GET /articles/none": 404, "GET /nowhere": 404, "DELETE /articles": 405, "OPTIONS " + at: 200, "GET /healthz": 200, "GET /articles?x=1": 400} {
			for origin, want := range map[string]string{"https://app.example.com": "https://app.example.com", "https://evil.test": "", "": ""} {
				a := s.Want(t, status, s.Alice, call, "", "Origin: "+origin)
				expect(t, call+" Allow-Origin", a.Header.Get("Access-Control-Allow-Origin"), want)
				expect(t, call+" Vary", a.Header.Get("Vary"), vary)
				expect(t, call+" Allow-Credentials", a.Header.Get("Access-Control-Allow-Credentials"), "")
			}
		}
		same := s.Want(t, 304, s.Alice, "GET "+at, "", page, "If-None-Match: "+made.Header.Get("ETag"))
		expect(t, "304 Allow-Origin", same.Header.Get("Access-Control-Allow-Origin"), "https://app.example.com")
		expect(t, "304 Vary", same.Header.Get("Vary"), vary)
		expect(t, "401 Allow-Origin", s.Want(t, 401, "", "GET "+at, "", page).Header.Get("Access-Control-Allow-Origin"), "https://app.example.com")
		exposed := strings.ToLower(made.Header.Get("Access-Control-Expose-Headers"))
		for _, name := range []string{"etag", "location", "link", "retry-after", "ratelimit", "ratelimit-policy", "range", "idempotency-replayed", "deprecation", "sunset", "x-request-id", "www-authenticate"} {
			if !strings.Contains(exposed+",", " "+name+",") {
				t.Errorf("a page cannot read %s", name)
			}
		}
		for _, path := range []string{at, "/articles/none", "/nowhere", "/users/me"} { // no token, and all alike
			flight := s.Want(t, 204, "", "OPTIONS "+path, "", page, "Access-Control-Request-Method: PATCH", "Access-Control-Request-Headers: authorization,content-type,if-match,idempotency-key,content-range")
			expect(t, "preflight Allow-Origin", flight.Header.Get("Access-Control-Allow-Origin"), "https://app.example.com")
			allowed := strings.ToLower(flight.Header.Get("Access-Control-Allow-Headers"))
			for _, name := range []string{"authorization", "content-type", "if-match", "if-none-match", "idempotency-key", "prefer", "content-range", "x-upload-content-type", "x-upload-content-length"} {
				if !strings.Contains(allowed, name) {
					t.Errorf("a page cannot send %s", name)
				}
			}
			if methods := flight.Header.Get("Access-Control-Allow-Methods"); !strings.Contains(methods, "PATCH") || flight.Header.Get("Access-Control-Max-Age") != "600" {
				t.Errorf("preflight: %v", flight.Header)
			}
		}
		s.Want(t, 401, "", "OPTIONS "+at, "", page) // the description is not for everybody
	}, func(s *config.Settings) { s.CORSOrigins = "https://app.example.com,https://other.example.com" })
}

// TestNobodysPages: without the setting nothing changes.
func TestNobodysPages(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		a := s.Want(t, 200, s.Alice, "GET /articles", "", "Origin: https://app.example.com")
		expect(t, "Allow-Origin", a.Header.Get("Access-Control-Allow-Origin"), "")
		expect(t, "Vary", a.Header.Get("Vary"), "Authorization, Accept, Accept-Encoding, Prefer")
		s.Want(t, 401, "", "OPTIONS /articles", "", "Origin: https://app.example.com", "Access-Control-Request-Method: GET")
	})
}

func TestQuota(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		expect(t, "policy", s.Want(t, 200, s.Alice, "GET /users/me", "").Header.Get("RateLimit-Policy"), `"token";q=5;w=60`)
		made := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Counted"}`)
		expect(t, "after two", made.Header.Get("RateLimit")[:11], `"token";r=3`)
		at, tag := made.Header.Get("Location"), made.Header.Get("ETag")
		for i := range 10 { // ten make one
			same := s.Want(t, 304, s.Alice, "GET "+at, "", "If-None-Match: "+tag)
			expect(t, fmt.Sprintf("after the 304 number %d", i+1), same.Header.Get("RateLimit")[:11], `"token";r=2`)
		}
		expect(t, "after a problem", s.Want(t, 404, s.Alice, "GET /articles/none", "").Header.Get("RateLimit")[:11], `"token";r=1`)
		s.Want(t, 200, s.Alice, "GET /articles", "")
		s.Clock.Move(20 * time.Second)
		over := s.Want(t, 429, s.Alice, "POST /articles", `{"title":"Too much"}`)
		expect(t, "code", over.Text("code"), "too_many_requests")
		expect(t, "RateLimit", over.Header.Get("RateLimit"), `"token";r=0;t=`+over.Header.Get("Retry-After"))
		expect(t, "Cache-Control", over.Header.Get("Cache-Control"), "no-store")
		if wait, err := strconv.Atoi(over.Header.Get("Retry-After")); err != nil || wait < 1 || wait > 40 {
			t.Errorf("Retry-After is %s", over.Header.Get("Retry-After"))
		}
		s.Want(t, 200, s.Bob, "GET /articles", "") // others go on, and so does what needs no token
		s.Want(t, 200, "", "GET /healthz", "")
		expect(t, "a public route", s.Want(t, 200, s.Alice, "GET /readyz", "").Header.Get("RateLimit"), "")
		expect(t, "stored", s.Count(t, `SELECT COUNT(*) FROM articles`), 1)
		s.Clock.Move(40 * time.Second)
		expect(t, "in the next window", s.Want(t, 200, s.Alice, "GET /articles", "").Header.Get("RateLimit"), `"token";r=4;t=60`)
	}, func(s *config.Settings) { s.RateLimit = 5 })
}

// TestWrongTokens: who shows too many is refused for a while, by address as trusted proxies tell it; good tokens are not.
func TestWrongTokens(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		from := func(chain string) string { return "X-Forwarded-For: " + chain }
		s.Want(t, 200, s.Alice, "GET /users/me", "", from("192.0.2.1"))
		for i := range 3 {
			s.Want(t, 401, fmt.Sprintf("vbl_wrong%d", i), "GET /users/me", "", from("192.0.2.1"))
		}
		over := s.Want(t, 429, "vbl_wrong", "GET /users/me", "", from("192.0.2.1"))
		expect(t, "code", over.Text("code"), "too_many_requests")
		if over.Header.Get("Retry-After") == "" || over.Header.Get("RateLimit") != "" {
			t.Errorf("%v", over.Header)
		}
		s.Want(t, 429, "vbl_wrong", "GET /users/me", "", from("203.0.113.7, 192.0.2.1")) // what a client wrote changes nothing
		s.Want(t, 429, s.Bob, "GET /users/me", "", from("192.0.2.1"))                    // nobody knows this token yet
		s.Want(t, 200, s.Alice, "GET /users/me", "", from("192.0.2.1"))                  // but this one was good
		s.Want(t, 200, s.Bob, "GET /users/me", "", from("192.0.2.2"))
		s.Want(t, 401, "vbl_wrong", "GET /users/me", "", from("192.0.2.2"))
		s.Want(t, 401, "", "GET /users/me", "", from("192.0.2.1")) // no token is not a wrong one
		s.Want(t, 200, "", "GET /healthz", "", from("192.0.2.1"))
		s.Clock.Move(time.Minute)
		s.Want(t, 401, "vbl_wrong", "GET /users/me", "", from("192.0.2.1"))
		for i := range 3 { // all of a /64 are one
			s.Want(t, 401, "vbl_wrong", "GET /users/me", "", from(fmt.Sprintf("2001:db8:1:2::%d", i)))
		}
		s.Want(t, 429, "vbl_wrong", "GET /users/me", "", from("2001:db8:1:2:ffff::9"))
		s.Want(t, 401, "vbl_wrong", "GET /users/me", "", from("2001:db8:1:3::1"))
	}, func(s *config.Settings) { s.WrongTokens, s.TrustedProxies = 3, "127.0.0.1/32" })
}

// TestNobodyIsTrusted: without the setting the header is only a claim, and every caller is its own peer.
func TestNobodyIsTrusted(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for i := range 3 {
			s.Want(t, 401, "vbl_wrong", "GET /users/me", "", fmt.Sprintf("X-Forwarded-For: 192.0.2.%d", i))
		}
		s.Want(t, 429, "vbl_wrong", "GET /users/me", "", "X-Forwarded-For: 192.0.2.9")
	}, func(s *config.Settings) { s.WrongTokens = 3 })
}

// TestLoggedClient: the log names the client, and only what a trusted proxy says of it.
func TestLoggedClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ trusted, header, peer, value, want string }{
		{"10.0.0.0/8", "X-Forwarded-For", "10.0.0.1:99", "1.1.1.1, 192.0.2.1", "192.0.2.1"},
		{"10.0.0.0/8", "X-Forwarded-For", "203.0.113.1:99", "192.0.2.1", "203.0.113.1"},
		{"10.0.0.0/8", "Forwarded", "10.0.0.1:99", `for="[2001:db8::1]:80"`, "2001:db8::1"},
		{"", "X-Forwarded-For", "10.0.0.1:99", "192.0.2.1", "10.0.0.1:99"},
	} {
		var log bytes.Buffer
		settings := config.Default()
		settings.Data, settings.TrustedProxies, settings.ProxyHeader = t.TempDir(), test.trusted, test.header
		a, err := app.Open(t.Context(), settings, slog.New(slog.NewTextHandler(&log, nil)), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/healthz", nil)
		r.RemoteAddr = test.peer
		r.Header.Set(test.header, test.value)
		a.Handler().ServeHTTP(httptest.NewRecorder(), r)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), "remote="+test.want+"\n") {
			t.Errorf("%+v: %s", test, log.String())
		}
	}
}

func TestEdgeConversation(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) { s.Transcript(t, "testdata/edge.http") },
		func(s *config.Settings) { s.CORSOrigins = "https://app.example.com" })
}
