package config

import (
	"strings"
	"testing"
)

// TestFaultsOfTheEdge: every setting of the edge that makes no sense is named.
func TestFaultsOfTheEdge(t *testing.T) {
	for args, want := range map[string]string{
		"--tls-cert=a.pem":    "tls-key: goes with tls-cert",
		"--tls-key=a.pem":     "tls-key: goes with tls-cert",
		"--redirect-addr=:80": "redirect-addr: makes sense only with",
		"--tls-cert=a --tls-key=b --acme-domains=x.example.com":    "acme-domains: cannot be set together",
		"--tls-cert=a --tls-key=b --base-url=http://x.example.com": "base-url: must begin with https://",
		"--tls-cert=a --tls-key=b --redirect-addr=80":              `redirect-addr: "80" is not an address`,
		"--acme-domains=*.example.com":                             `acme-domains: "*.example.com" is not a name`,
		"--acme-domains=localhost":                                 `acme-domains: "localhost" is not a name`,
		"--acme-domains=192.0.2.1":                                 `acme-domains: "192.0.2.1" is not a name`,
		"--acme-url=letsencrypt":                                   "acme-url:",
		"--hsts=-1s":                                               "hsts: must not be negative",
		"--trusted-proxies=10.0.0.1":                               "trusted-proxies:",
		"--proxy-header=X-Real-Ip":                                 "proxy-header",
		"--cors-origins=app.example.com":                           `cors-origins: "app.example.com" is not an origin`,
		"--cors-origins=*,https://a.test":                          `cors-origins: "*" is not an origin`,
		"--cors-origins=https://a.test/":                           "cors-origins:",
		"--cors-max-age=25h":                                       "cors-max-age:",
		"--rate-limit=-1":                                          "rate-limit:",
		"--wrong-tokens=-1":                                        "wrong-tokens:",
		"--oidc-issuer=https://id.example.com":                     "oidc-audience: goes with oidc-issuer",
		"--oidc-audience=api":                                      "oidc-audience: goes with oidc-issuer",
		"--oidc-issuer=http://id.example.com --oidc-audience=api":  "oidc-issuer:",
		"--oidc-username=":                                         "oidc-username: names no claim",
		"--oidc-admin=":                                            "oidc-admin: names no value",
	} {
		if _, _, err := load(t, "", strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

func TestBaseOfTheEdge(t *testing.T) {
	for args, want := range map[string]string{
		"--tls-cert=a --tls-key=b --addr=127.0.0.1:8443":                                   "https://127.0.0.1:8443",
		"--tls-cert=a --tls-key=b --addr=:443":                                             "https://localhost",
		"--acme-domains=api.example.com,www.example.com --addr=:443":                       "https://api.example.com",
		"--acme-domains=api.example.com --addr=:8443":                                      "https://api.example.com:8443",
		"--tls-cert=a --tls-key=b --base-url=https://x.example.com/":                       "https://x.example.com",
		"--oidc-issuer=http://127.0.0.1:9 --oidc-audience=api":                             "http://127.0.0.1:8080",
		"--oidc-issuer=https://id.example.com/realms/a --oidc-audience=api":                "http://127.0.0.1:8080",
		"--cors-origins=https://a.test,http://localhost:3000 --trusted-proxies=10.0.0.0/8": "http://127.0.0.1:8080",
		"--cors-origins=* --trusted-proxies=10.0.0.0/8,fd00::/8 --proxy-header=Forwarded":  "http://127.0.0.1:8080",
	} {
		s, _, err := load(t, "", strings.Fields(args)...)
		if err != nil {
			t.Errorf("%s: %v", args, err)
		} else if s.Base() != want {
			t.Errorf("%s: %s, want %s", args, s.Base(), want)
		}
	}
}
