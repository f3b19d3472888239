// Package cors lets pages of other origins call the service from a browser, as the Fetch standard has it.
//
// Origins are compared exactly, with scheme and port. Credentials in the sense of that standard, cookies above all, are never
// allowed: a page sends its token in Authorization, which it has to hold itself. So the star is no risk beyond a public API's.
// The package knows nothing of paths: a preflight tells nobody whether something is there.
package cors

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Allow is who may call, and for how long a browser may remember that.
type Allow struct {
	Origins []string // exact, like https://app.example.com; or one star
	MaxAge  time.Duration
}

const (
	methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	// What a request may carry beyond what every page may send.
	requestHeaders = "Accept, Authorization, Content-Range, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Prefer, Range, " +
		"Traceparent, Tracestate, X-Goog-Api-Client, X-Goog-Hash, X-GUploader-No-308, X-Request-Id, X-Upload-Content-Length, X-Upload-Content-Type"
	// What a page may read of an answer beyond type, length and caching.
	answerHeaders = "Accept-Patch, Accept-Post, Accept-Ranges, Allow, Content-Disposition, Content-Range, Deprecation, ETag, Idempotency-Replayed, Link, Location, " +
		"Preference-Applied, Range, RateLimit, RateLimit-Policy, Retry-After, Sunset, Traceparent, WWW-Authenticate, X-Http-Status-Code-Override, X-Request-Id"
)

// Any tells whether every origin is allowed.
func (a Allow) Any() bool { return len(a.Origins) == 1 && a.Origins[0] == "*" }

// Varies tells whether answers depend on Origin, and Vary must say so.
func (a Allow) Varies() bool { return len(a.Origins) > 0 && !a.Any() }

// Wrap answers preflights, and lets pages of the origins read what next answers. Without origins it is next itself.
func (a Allow) Wrap(next http.Handler) http.Handler {
	if len(a.Origins) == 0 {
		return next
	}
	all, maxAge := a.Any(), strconv.Itoa(int(a.MaxAge.Seconds()))
	star, exposed := []string{"*"}, []string{answerHeaders}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header["Origin"]
		allowed := len(origin) == 1 && (all || slices.Contains(a.Origins, origin[0]))
		h := w.Header()
		if allowed {
			h["Access-Control-Allow-Origin"] = origin
			if all {
				h["Access-Control-Allow-Origin"] = star
			}
		}
		if r.Method != http.MethodOptions || len(origin) == 0 || r.Header.Get("Access-Control-Request-Method") == "" {
			if allowed {
				h["Access-Control-Expose-Headers"] = exposed
			}
			next.ServeHTTP(w, r)
			return
		}
		// A preflight, which comes without a token. The description of the path is for those who have one.
		h.Set("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		if allowed {
			h.Set("Access-Control-Allow-Methods", methods)
			h.Set("Access-Control-Allow-Headers", requestHeaders)
			h.Set("Access-Control-Max-Age", maxAge)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// Valid tells whether text is an origin as browsers write it, so that a comparison can ever be true.
func Valid(text string) bool {
	scheme, host, ok := strings.Cut(text, "://")
	return ok && (scheme == "http" || scheme == "https") && host != "" && text == strings.ToLower(text) && !strings.ContainsAny(host, "/?#@* \t,") &&
		!(scheme == "http" && strings.HasSuffix(host, ":80")) && !(scheme == "https" && strings.HasSuffix(host, ":443"))
}
