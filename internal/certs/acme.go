package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Options is which names to ask for, and whom.
type Options struct {
	Domains []string
	Email   string
	URL     string // directory of the authority
	Roots   string // file by which to know it; empty: the system's
	Dir     string // where keys and certificates are kept
	Log     *slog.Logger
}

// ACME gets certificates from an authority, and renews them. It proves that a name is ours on the TLS port, or on the plain one.
type ACME struct {
	manager *autocert.Manager
	options Options
}

// NewACME asks nobody yet.
func NewACME(o Options) (*ACME, error) {
	client := &acme.Client{DirectoryURL: o.URL}
	if o.Roots != "" {
		text, err := os.ReadFile(o.Roots)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate", o.Roots)
		}
		client.HTTPClient = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, Proxy: http.ProxyFromEnvironment}}
	}
	return &ACME{options: o, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(o.Dir), HostPolicy: autocert.HostWhitelist(o.Domains...), Email: o.Email, Client: client,
	}}, nil
}

// Config speaks the protocol by which the authority looks at us, too.
func (a *ACME) Config() *tls.Config {
	config := a.manager.TLSConfig()
	config.MinVersion = tls.VersionTLS12
	return config
}

// Challenge answers the authority on the plain port, whichever number that has behind a proxy.
func (a *ACME) Challenge(next http.Handler) http.Handler {
	handler := a.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			r = r.WithContext(r.Context()) // a copy
			r.Host = host
		}
		handler.ServeHTTP(w, r)
	})
}

// Reload fetches what is missing.
func (a *ACME) Reload() error { return a.Fetch(context.Background()) }

// Fetch gets the certificates before anybody needs them, so that the first caller does not wait for the authority. What fails is
// tried again when somebody connects.
func (a *ACME) Fetch(ctx context.Context) error {
	var failed []error
	for _, name := range a.options.Domains {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, err := a.manager.GetCertificate(&tls.ClientHelloInfo{ServerName: name, SupportedProtos: []string{"h2", "http/1.1"},
			CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}, SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256}})
		if err != nil {
			a.options.Log.Warn("no certificate could be fetched; the next connection tries again", "name", name, "error", err)
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}
