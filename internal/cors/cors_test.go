package cors

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// ask sends a request with "Name: value" headers through the wrapper; X-Reached tells whether it got past it.
func ask(a Allow, method string, headers ...string) http.Header {
	r := httptest.NewRequest(method, "/x", nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	a.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Reached", "yes")
		w.Header().Set("ETag", `"a"`)
	})).ServeHTTP(w, r)
	return w.Header()
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	list := Allow{Origins: []string{"https://app.example.com", "http://localhost:3000"}, MaxAge: time.Hour}
	for _, test := range []struct {
		allow  Allow
		origin string
		want   string
	}{
		{list, "https://app.example.com", "https://app.example.com"},
		{list, "http://localhost:3000", "http://localhost:3000"},
		{list, "http://app.example.com", ""},
		{list, "https://app.example.com:8443", ""},
		{list, "https://app.example.com.evil.test", ""},
		{list, "https://evil.test/https://app.example.com", ""},
		{list, "https://sub.app.example.com", ""},
		{list, "HTTPS://APP.EXAMPLE.COM", ""},
		{list, "null", ""},
		{list, "*", ""},
		{list, "", ""},
		{Allow{Origins: []string{"*"}}, "https://anybody.test", "*"},
		{Allow{Origins: []string{"*"}}, "null", "*"},
		{Allow{}, "https://app.example.com", ""},
	} {
		plain := []string{"Origin: " + test.origin}
		for _, method := range []string{"GET", "POST", "OPTIONS"} { // OPTIONS alone is the description
			h := ask(test.allow, method, plain...)
			if h.Get("X-Reached") == "" || h.Get("Access-Control-Allow-Origin") != test.want || (h.Get("Access-Control-Expose-Headers") != "") != (test.want != "") {
				t.Errorf("%s of %q: %v", method, test.origin, h)
			}
		}
		h := ask(test.allow, "OPTIONS", append(plain, "Access-Control-Request-Method: PATCH", "Access-Control-Request-Headers: authorization")...)
		if len(test.allow.Origins) == 0 {
			if h.Get("X-Reached") == "" {
				t.Error("a preflight was answered though nobody is allowed")
			}
			continue
		}
		if h.Get("X-Reached") != "" || h.Get("Access-Control-Allow-Origin") != test.want || (h.Get("Access-Control-Allow-Methods") != "") != (test.want != "") {
			t.Errorf("preflight of %q: %v", test.origin, h)
		}
		if !strings.Contains(h.Get("Vary"), "Origin") || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("preflight of %q: %v", test.origin, h)
		}
	}
	if h := ask(list, "GET", "Origin: https://app.example.com", "Origin: https://evil.test"); h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("two origins were allowed: %v", h)
	}
	if h := ask(list, "OPTIONS", "Access-Control-Request-Method: GET"); h.Get("X-Reached") == "" {
		t.Error("a preflight without an origin is none")
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://app.example.com": true, "http://localhost:3000": true, "http://[::1]:8080": true, "https://app.example.com:8443": true,
		"app.example.com": false, "https://app.example.com/": false, "https://App.example.com": false, "https://*.example.com": false, "ftp://x": false, "https://": false,
		"null": false, "https://user@x": false, "https://x:443": false, "http://x:80": false, "https://x:80": true, "": false,
	} {
		if Valid(text) != want {
			t.Errorf("Valid(%q) is %v", text, !want)
		}
	}
}
