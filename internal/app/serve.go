package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"verbless/internal/certs"
)

// certificates is where certificates come from; nil when the service does not speak TLS.
func (a *App) certificates() (certs.Source, error) {
	s := &a.settings
	switch {
	case s.TLSCert != "":
		return certs.OpenFiles(s.TLSCert, s.TLSKey, a.log, nil)
	case s.ACMEDomains != "":
		return certs.NewACME(certs.Options{Domains: s.Domains(), Email: s.ACMEEmail, URL: s.ACMEURL, Roots: s.ACMERoots, Dir: filepath.Join(s.Data, "acme"), Log: a.log})
	}
	return nil, nil
}

// server is how connections are treated, whichever protocol they speak.
func (a *App) server(handler http.Handler) *http.Server {
	s := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: a.settings.HeaderTimeout,
		IdleTimeout:       a.settings.IdleTimeout,
		MaxHeaderBytes:    int(a.settings.MaxHeader),
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		Protocols:         new(http.Protocols),
		// A connection that nobody answers at is not kept for the sake of its streams.
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 250, SendPingTimeout: a.settings.IdleTimeout, WriteByteTimeout: a.answerTime()},
	}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetHTTP2(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	return s
}

// listen begins to answer: at l in the clear or encrypted, and on the plain port beside it when there is one.
func (a *App) listen(ctx context.Context, l net.Listener) ([]*http.Server, <-chan error, error) {
	failed := make(chan error, 2)
	main := a.server(a.Handler())
	source, err := a.certificates()
	if err != nil {
		return nil, nil, err
	}
	if source == nil {
		go func() { failed <- main.Serve(l) }()
		return []*http.Server{main}, failed, nil
	}
	a.source.Store(&source)
	servers := []*http.Server{main}
	if a.settings.RedirectAddr != "" {
		at, err := net.Listen("tcp", a.settings.RedirectAddr)
		if err != nil {
			return nil, nil, err
		}
		plain := a.server(source.Challenge(http.HandlerFunc(a.redirect)))
		servers = append(servers, plain)
		go func() { failed <- plain.Serve(at) }()
	}
	main.TLSConfig = source.Config()
	go func() { failed <- main.ServeTLS(l, "", "") }()
	if fetched, ok := source.(*certs.ACME); ok {
		go fetched.Fetch(ctx) // it says in the log what went wrong
	}
	return servers, failed, nil
}

// redirect sends readers to HTTPS. Others have sent what should not be sent in the clear, and are better told.
func (a *App) redirect(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "Use HTTPS.", http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, a.settings.Base()+r.URL.RequestURI(), http.StatusPermanentRedirect)
}

// Reload looks for new certificates at once.
func (a *App) Reload() {
	source := a.source.Load()
	if source == nil {
		return
	}
	begun := time.Now()
	if err := (*source).Reload(); err != nil {
		a.log.Error("the certificates could not be loaded again; the old ones stay", "error", err)
		return
	}
	a.log.Info("the certificates were loaded again", "took", time.Since(begun))
}
