// Package certs gives a server its certificates: from files that are read again when they change, or from an authority by ACME.
//
// Connections that exist are never touched, and a certificate that cannot be read never replaces one that works. It does not
// listen anywhere; who does asks Config, and lets Challenge answer the authority on the plain port.
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"
)

// Source is where certificates come from.
type Source interface {
	// Config is how to speak TLS.
	Config() *tls.Config
	// Challenge answers the authority, and leaves other requests to next.
	Challenge(next http.Handler) http.Handler
	// Reload looks for new certificates at once.
	Reload() error
}

// every is how often files are looked at, when somebody connects.
const every = time.Second

// Files is a certificate and its key in two files.
type Files struct {
	cert, key string
	log       *slog.Logger
	now       func() time.Time

	mu      sync.Mutex
	current *tls.Certificate
	seen    [2]state // the files that current came from
	failed  [2]state // the files that were last found wrong
	looked  time.Time
}

// state tells one content of a file from another, most likely.
type state struct {
	changed time.Time
	size    int64
	file    os.FileInfo
}

func (s state) same(other state) bool {
	return s.changed.Equal(other.changed) && s.size == other.size && (s.file == nil) == (other.file == nil) && (s.file == nil || os.SameFile(s.file, other.file))
}

// OpenFiles reads a certificate chain and its key, in PEM. clock nil is the machine's.
func OpenFiles(cert, key string, log *slog.Logger, clock func() time.Time) (*Files, error) {
	if clock == nil {
		clock = time.Now
	}
	f := &Files{cert: cert, key: key, log: log, now: clock}
	return f, f.Reload()
}

// Config offers HTTP/2, and no TLS before 1.2.
func (f *Files) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: f.get}
}

// Challenge has nothing to answer.
func (f *Files) Challenge(next http.Handler) http.Handler { return next }

// get gives the certificate, after a look whether there is a newer one. It never waits for more than a small file.
func (f *Files) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if since := f.now().Sub(f.looked); since < 0 || since >= every {
		now := f.look()
		if !(now[0].same(f.seen[0]) && now[1].same(f.seen[1])) && !(now[0].same(f.failed[0]) && now[1].same(f.failed[1])) {
			if err := f.load(now); err != nil {
				f.log.Warn("the certificate has changed, but cannot be used; the old one stays", "error", err)
			}
		}
	}
	return f.current, nil
}

// Reload reads the files now, whether or not they seem to have changed. When they cannot be used the old certificate stays.
func (f *Files) Reload() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.load(f.look())
}

func (f *Files) look() (now [2]state) {
	f.looked = f.now()
	for i, name := range []string{f.cert, f.key} {
		if info, err := os.Stat(name); err == nil {
			now[i] = state{info.ModTime(), info.Size(), info}
		}
	}
	return now
}

// load takes both files or none. They may be replaced one after the other: a pair that does not fit is tried again when either changes.
func (f *Files) load(now [2]state) error {
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err == nil {
		pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0])
	}
	if err != nil {
		f.failed = now
		return fmt.Errorf("certificate: %w", err)
	}
	if f.current != nil {
		f.log.Info("using a new certificate", "until", pair.Leaf.NotAfter)
	}
	f.current, f.seen = &pair, now
	return nil
}
