package app

import (
	"net/http"
	"strconv"

	"verbless/internal/cors"
	"verbless/internal/forward"
	"verbless/internal/issuer"
)

// trust is which proxies are believed. The ranges were checked with the settings.
func (a *App) trust() forward.Trust {
	proxies, _ := a.settings.Proxies()
	return forward.Trust{Proxies: proxies, Header: forward.Header(a.settings.ProxyHeader)}
}

// cors is which pages of other origins may call.
func (a *App) cors() cors.Allow {
	return cors.Allow{Origins: a.settings.Origins(), MaxAge: a.settings.CORSMaxAge}
}

// vary is what answers depend on because of the edge.
func (a *App) vary() string {
	if a.cors().Varies() {
		return "Origin"
	}
	return ""
}

// issuer judges tokens from outside; nil when only our own count.
func (a *App) issuer() *issuer.Issuer {
	s := &a.settings
	if s.OIDCIssuer == "" {
		return nil
	}
	return issuer.New(issuer.Options{Issuer: s.OIDCIssuer, Audience: s.OIDCAudience, Username: s.OIDCUsername, Role: s.OIDCRole, Admin: s.OIDCAdmin, Now: a.DB.Now, Log: a.log})
}

// secured tells browsers to come back by HTTPS alone, where this service speaks it. A proxy that speaks it says so itself.
func (a *App) secured(next http.Handler) http.Handler {
	if !a.settings.TLS() || a.settings.HSTS <= 0 {
		return next
	}
	value := []string{"max-age=" + strconv.Itoa(int(a.settings.HSTS.Seconds()))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			w.Header()["Strict-Transport-Security"] = value
		}
		next.ServeHTTP(w, r)
	})
}
