// Package app puts the service together: open, migrate, mount, run, close. The binary and the tests use the same.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"verbless/internal/articles"
	"verbless/internal/auth"
	"verbless/internal/config"
	"verbless/internal/db"
	"verbless/internal/outbox"
	"verbless/internal/replay"
	"verbless/internal/rest"
	"verbless/internal/stamp"
)

// App is the service, ready to serve.
type App struct {
	DB       *db.DB
	API      *rest.API
	settings config.Settings
	log      *slog.Logger
	keys     *replay.Keys
	process  string // begins the names of requests
	requests atomic.Uint64
}

// OpenStore opens the store and brings its schema up to date. Every command begins here.
func OpenStore(ctx context.Context, s config.Settings, log *slog.Logger, clock stamp.Clock) (*db.DB, error) {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, db.Options{URL: s.Database, Dir: s.Data, Log: log, Clock: clock})
	if err != nil {
		return nil, err
	}
	if err := d.Migrate(ctx, migrations()...); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Open makes the service. clock nil is the machine's.
func Open(ctx context.Context, s config.Settings, log *slog.Logger, clock stamp.Clock) (*App, error) {
	d, err := OpenStore(ctx, s, log, clock)
	if err != nil {
		return nil, err
	}
	secret, err := d.Secret(ctx, "api")
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	a := &App{DB: d, settings: s, log: log, keys: replay.New(d, s.Idempotency()), process: rand.Text()[:12]}
	a.API = rest.New(rest.Options{
		Base: s.Base(), Secret: secret, Identify: auth.NewGate(d).Identify, Policy: auth.Policy(), Atomic: d, Keys: a.keys,
		Log: log, MaxBody: int64(s.MaxBody), Version: Version(), Deprecations: deprecations(),
	}, resources(d, s, log)...)
	return a, nil
}

// Describe gives the OpenAPI description. It needs no store: nothing is asked of it.
func Describe(s config.Settings) map[string]any {
	return rest.New(rest.Options{Base: s.Base(), Policy: auth.Policy(), Version: Version(), Deprecations: deprecations()}, resources(nil, s, slog.New(slog.DiscardHandler))...).OpenAPI()
}

// Close ends the service.
func (a *App) Close() error { return a.DB.Close() }

// jobs is the work that comes back by the clock.
func (a *App) jobs() []outbox.Job {
	jobs := []outbox.Job{{Name: "forget idempotency keys", Every: time.Hour, Run: a.keys.Purge}}
	if kept := a.settings.Trash(); kept > 0 {
		jobs = append(jobs, outbox.Job{Name: "empty the trash", Every: time.Hour, Run: func(ctx context.Context) error {
			return articles.Purge(ctx, a.DB, kept)
		}})
	}
	return jobs
}

// Serve answers requests until ctx ends. Then it takes no new ones, finishes those that run, and returns.
func (a *App) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           a.Handler(),
		ReadHeaderTimeout: a.settings.HeaderTimeout,
		IdleTimeout:       a.settings.IdleTimeout,
		MaxHeaderBytes:    int(a.settings.MaxHeader),
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	jobs := make(chan struct{})
	go func() {
		defer close(jobs)
		outbox.Run(working, a.DB, a.log, a.jobs()...)
	}()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	a.log.Info("stopping", "finish_within", a.settings.StopTimeout.String())
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.settings.StopTimeout)
	defer cancel()
	err := server.Shutdown(limit)
	if err != nil {
		err = fmt.Errorf("some requests did not finish in %s: %w", a.settings.StopTimeout, errors.Join(err, server.Close()))
	}
	<-jobs
	return err
}
