package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"verbless/internal/cors"
)

// Edge is what stands between the service and the network: encryption, proxies, pages of other origins, and who is let in.
type Edge struct {
	TLSCert      string        `name:"tls-cert" env:"VERBLESS_TLS_CERT" group:"edge" placeholder:"FILE" help:"Certificate chain for HTTPS, in PEM. It is read again when it changes, and on SIGHUP."`
	TLSKey       string        `name:"tls-key" env:"VERBLESS_TLS_KEY" group:"edge" placeholder:"FILE" help:"Private key of the certificate, in PEM."`
	ACMEDomains  string        `name:"acme-domains" env:"VERBLESS_ACME_DOMAINS" group:"edge" placeholder:"NAMES" help:"Names to fetch certificates for by ACME, with commas between; keys and certificates are kept in the folder acme of the data folder."`
	ACMEEmail    string        `name:"acme-email" env:"VERBLESS_ACME_EMAIL" group:"edge" placeholder:"ADDRESS" help:"Where the certificate authority writes to when something is wrong."`
	ACMEURL      string        `name:"acme-url" env:"VERBLESS_ACME_URL" group:"edge" default:"https://acme-v02.api.letsencrypt.org/directory" placeholder:"URL" help:"ACME directory of the certificate authority, whose terms are accepted (${default})."`
	ACMERoots    string        `name:"acme-roots" env:"VERBLESS_ACME_ROOTS" group:"edge" placeholder:"FILE" help:"Certificates in PEM by which to know an ACME directory of your own. Left out: those of the system."`
	RedirectAddr string        `name:"redirect-addr" env:"VERBLESS_REDIRECT_ADDR" group:"edge" placeholder:"HOST:PORT" help:"Address, mostly :80, at which plain HTTP is sent on to HTTPS and ACME finds its answers. Left out: none."`
	HSTS         time.Duration `name:"hsts" env:"VERBLESS_HSTS" group:"edge" default:"4320h" placeholder:"TIME" help:"How long browsers are told to use HTTPS alone, when this service speaks it; 0 tells them nothing (${default})."`

	TrustedProxies string `name:"trusted-proxies" env:"VERBLESS_TRUSTED_PROXIES" group:"edge" placeholder:"RANGES" help:"Addresses of proxies that are believed when they say who the client is, like 10.1.0.0/16, with commas between. Left out: none."`
	ProxyHeader    string `name:"proxy-header" env:"VERBLESS_PROXY_HEADER" group:"edge" default:"X-Forwarded-For" enum:"X-Forwarded-For,Forwarded" placeholder:"NAME" help:"The header in which they say so, which must be one that they set and do not just pass on: ${enum} (${default})."`

	CORSOrigins string        `name:"cors-origins" env:"VERBLESS_CORS_ORIGINS" group:"edge" placeholder:"ORIGINS" help:"Origins whose pages may call this service, like https://app.example.com, with commas between, or *. Left out: none."`
	CORSMaxAge  time.Duration `name:"cors-max-age" env:"VERBLESS_CORS_MAX_AGE" group:"edge" default:"10m" placeholder:"TIME" help:"How long browsers may remember that (${default})."`

	RateLimit   int `name:"rate-limit" env:"VERBLESS_RATE_LIMIT" group:"edge" default:"0" placeholder:"COUNT" help:"Requests that each token may make in a minute, on each node; a 304 counts a tenth; 0 is no limit (${default})."`
	WrongTokens int `name:"wrong-tokens" env:"VERBLESS_WRONG_TOKENS" group:"edge" default:"100" placeholder:"COUNT" help:"Tokens that are not valid which an address may show in a minute, on each node; 0 is no limit (${default})."`

	OIDCIssuer   string `name:"oidc-issuer" env:"VERBLESS_OIDC_ISSUER" group:"edge" placeholder:"URL" help:"OpenID Connect issuer whose tokens are accepted too. Left out: none."`
	OIDCAudience string `name:"oidc-audience" env:"VERBLESS_OIDC_AUDIENCE" group:"edge" placeholder:"NAME" help:"What its tokens must name as their audience."`
	OIDCUsername string `name:"oidc-username" env:"VERBLESS_OIDC_USERNAME" group:"edge" default:"preferred_username" placeholder:"CLAIM" help:"Claim from which a user who is seen for the first time gets a username (${default})."`
	OIDCRole     string `name:"oidc-role" env:"VERBLESS_OIDC_ROLE" group:"edge" placeholder:"CLAIM" help:"Claim that holds the roles, with dots for what lies deeper, like realm_access.roles. Left out: roles are given here."`
	OIDCAdmin    string `name:"oidc-admin" env:"VERBLESS_OIDC_ADMIN" group:"edge" default:"admin" placeholder:"VALUE" help:"Value of that claim that makes an admin; everybody else is a member (${default})."`
}

// TLS tells whether the service speaks HTTPS itself.
func (e *Edge) TLS() bool { return e.TLSCert != "" || e.ACMEDomains != "" }

// Domains are the names that certificates are fetched for.
func (e *Edge) Domains() []string { return listed(e.ACMEDomains) }

// Origins are those whose pages may call.
func (e *Edge) Origins() []string { return listed(e.CORSOrigins) }

// Proxies are the addresses that are believed.
func (e *Edge) Proxies() ([]netip.Prefix, error) { return prefixes(e.TrustedProxies) }

// listed parts a text at commas and blanks.
func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// prefixes reads ranges of addresses.
func prefixes(text string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, one := range listed(text) {
		prefix, err := netip.ParsePrefix(one)
		if err != nil {
			return nil, err
		}
		all = append(all, prefix)
	}
	return all, nil
}

func (s *Settings) checkEdge(want func(ok bool, name, format string, args ...any)) {
	want((s.TLSCert == "") == (s.TLSKey == ""), "tls-key", "goes with tls-cert; set both or none")
	want(s.TLSCert == "" || s.ACMEDomains == "", "acme-domains", "cannot be set together with tls-cert")
	for _, name := range s.Domains() {
		want(strings.Contains(name, ".") && !strings.ContainsAny(name, "*:/") && net.ParseIP(name) == nil, "acme-domains", "%q is not a name that ACME gives certificates for this way", name)
	}
	want(validBase(s.ACMEURL), "acme-url", "%q is not an http or https address", s.ACMEURL)
	want(s.RedirectAddr == "" || validAddr(s.RedirectAddr), "redirect-addr", "%q is not an address like :80", s.RedirectAddr)
	want(s.RedirectAddr == "" || s.TLS(), "redirect-addr", "makes sense only with tls-cert or acme-domains")
	want(s.BaseURL == "" || !s.TLS() || strings.HasPrefix(s.BaseURL, "https://"), "base-url", "must begin with https:// when this service speaks HTTPS")
	want(s.HSTS >= 0, "hsts", "must not be negative, but is %s", s.HSTS)
	_, err := s.Proxies()
	want(err == nil, "trusted-proxies", "%q is not a list of address ranges like 10.1.0.0/16,fd00::/8", s.TrustedProxies)
	for _, origin := range s.Origins() {
		want(origin == "*" && len(s.Origins()) == 1 || cors.Valid(origin), "cors-origins", "%q is not an origin as browsers write it, like https://app.example.com; or * alone", origin)
	}
	want(s.CORSMaxAge >= 0 && s.CORSMaxAge <= 24*time.Hour, "cors-max-age", "must be 0 to 24h, not %s", s.CORSMaxAge)
	want(s.RateLimit >= 0 && s.RateLimit <= 1e8, "rate-limit", "must be 0 to 100000000, not %d", s.RateLimit)
	want(s.WrongTokens >= 0 && s.WrongTokens <= 1e6, "wrong-tokens", "must be 0 to 1000000, not %d", s.WrongTokens)
	want(s.OIDCIssuer == "" || validIssuer(s.OIDCIssuer), "oidc-issuer", "%q is not an https address (http on this machine alone)", s.OIDCIssuer)
	want((s.OIDCIssuer == "") == (s.OIDCAudience == ""), "oidc-audience", "goes with oidc-issuer; set both or none")
	want(s.OIDCUsername != "", "oidc-username", "names no claim")
	want(s.OIDCAdmin != "", "oidc-admin", "names no value")
}

func validIssuer(text string) bool {
	u, err := url.Parse(text)
	if err != nil || !validBase(text) {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
