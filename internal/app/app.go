// Package app puts the service together: open, migrate, mount, run, close. The binary and the tests use the same.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"verbless/internal/articles"
	"verbless/internal/auth"
	"verbless/internal/avatars"
	"verbless/internal/blob"
	"verbless/internal/certs"
	"verbless/internal/config"
	"verbless/internal/db"
	"verbless/internal/describe"
	"verbless/internal/fetch"
	"verbless/internal/gateway"
	"verbless/internal/invoices"
	"verbless/internal/mail"
	"verbless/internal/meter"
	"verbless/internal/metric"
	"verbless/internal/outbox"
	"verbless/internal/picture"
	"verbless/internal/replay"
	"verbless/internal/rest"
	"verbless/internal/stamp"
	"verbless/internal/trace"
	"verbless/internal/trip"
	"verbless/internal/uploads"
)

// App is the service, ready to serve.
type App struct {
	DB       *db.DB
	API      *rest.API
	Invoices *invoices.Book
	Queue    *outbox.Queue
	settings config.Settings
	log      *slog.Logger // says in each line which request it belongs to
	lines    *slog.Logger // says only what it is told
	keys     *replay.Keys
	process  string // begins the names of requests
	requests atomic.Uint64
	blobs    blob.Store
	pictures *avatars.Avatars
	source   atomic.Pointer[certs.Source] // of certificates, while it serves
	Uploads  *uploads.Uploads
	work     []outbox.Job // that comes back by the clock

	Metrics *metric.Registry // nil: nothing is counted
	tracer  *trace.Tracer    // nil: nothing is traced
	traffic *traffic
	scheme  string
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
	lines := log
	log = slog.New(trip.Log(log.Handler()))
	a := &App{DB: d, settings: s, log: log, lines: lines, keys: replay.New(d, s.Idempotency()), process: rand.Text()[:12], Queue: outbox.NewQueue(d, log, s.StopTimeout)}
	if err := a.observe(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := a.openBlobs(); err != nil {
		a.tracer.Close()
		return nil, errors.Join(err, d.Close())
	}
	if a.Invoices, err = a.book(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	options := rest.Options{
		Base: s.Base(), Secret: secret, Identify: auth.NewGate(d, a.issuer()).Identify, Policy: auth.Policy(), Atomic: d, Keys: a.keys,
		Log: log, MaxBody: int64(s.MaxBody), Version: Version(), Deprecations: deprecations(), Meter: meter.New(s.RateLimit, s.WrongTokens, d.Now), Vary: a.vary(), Headers: headers(),
	}
	if s.UploadURL != "" {
		options.Elsewhere = []string{s.Uploads()}
	}
	if s.Only == "uploads" {
		options.Only = onlyUploads
	}
	a.API = describe.New(options, resources(d, s, a.pictures, a.Uploads, a.Invoices, a.Metrics, log)...)
	a.Queue.Watch(a.Metrics, a.tracer)
	a.work = outbox.Watch(a.Metrics, a.tracer, a.jobs()...)
	return a, nil
}

// book opens the invoices with what they need from outside: a payment gateway, and a way to send mail.
func (a *App) book() (*invoices.Book, error) {
	s := &a.settings
	base, err := url.Parse(s.Base())
	if err != nil {
		return nil, err
	}
	sender, err := mail.Open(mail.Config{URL: s.SMTP, From: s.MailFrom, Host: base.Hostname(), Dir: filepath.Join(s.Data, "mail"), Timeout: 30 * time.Second})
	if err != nil {
		return nil, err
	}
	o := invoices.Options{DB: a.DB, Queue: a.Queue, Gateway: gateway.Test{DB: a.DB}, Timeout: s.GatewayTimeout, Payable: s.PayableStatuses(), Base: s.Base(), Log: a.log}
	if s.Gateway == "stripe" {
		o.Gateway = gateway.NewStripe(s.StripeKey, s.StripeURL)
	}
	o.Gateway, o.Mail = gateway.Watched(o.Gateway, s.Gateway, a.Metrics), mail.Watched(sender, a.Metrics)
	return invoices.Open(o), nil
}

// openBlobs opens the storage of files, and what lives there.
func (a *App) openBlobs() (err error) {
	s := &a.settings
	if a.blobs, err = blob.Open(blob.Options{URL: s.Blobs, Dir: s.Data, Endpoint: s.S3Endpoint, Region: s.S3Region, Key: s.S3Key, Secret: s.S3Secret}); err != nil {
		return err
	}
	options := avatarOptions(*s)
	allow, err := s.Fetchable()
	if err == nil {
		options.Files, err = a.blobs.Area("avatars")
	}
	if err != nil {
		return errors.Join(err, a.blobs.Close())
	}
	options.Fetch, options.Log = fetch.New(fetch.Options{Allow: allow}), a.log
	options.Judge = picture.NewJudge(picture.Limits{Side: s.AvatarSide, Pixels: s.AvatarPixels, Animation: s.AvatarAnimation})
	a.pictures = avatars.New(a.DB, options)
	sent := uploadOptions(*s)
	if sent.Files, err = a.blobs.Area("uploads"); err != nil {
		return errors.Join(err, a.blobs.Close())
	}
	sent.Queue, sent.Log, sent.Metrics = a.Queue, a.log, a.Metrics
	a.Uploads = uploads.New(a.DB, sent)
	return nil
}

// uploadOptions are what a description shows.
func uploadOptions(s config.Settings) uploads.Options {
	return uploads.Options{Address: s.Uploads(), Max: int64(s.MaxUpload), Keep: time.Duration(s.UploadDays) * 24 * time.Hour}
}

// avatarOptions are what a description shows.
func avatarOptions(s config.Settings) avatars.Options {
	return avatars.Options{Address: s.Media(), Max: int64(s.MaxAvatar)}
}

// Describe gives the OpenAPI description. It needs no store: nothing is asked of it.
func Describe(s config.Settings) map[string]any {
	return describe.OpenAPI(describe.New(rest.Options{Base: s.Base(), Policy: auth.Policy(), Version: Version(), Deprecations: deprecations(), Headers: headers()},
		resources(nil, s, avatars.New(nil, avatarOptions(s)), uploads.New(nil, uploadOptions(s)), invoices.Open(invoices.Options{}), nil, slog.New(slog.DiscardHandler))...))
}

// Close ends the service.
func (a *App) Close() error {
	a.tracer.Close()
	return errors.Join(a.blobs.Close(), a.DB.Close())
}

// jobs is the work that comes back by the clock.
func (a *App) jobs() []outbox.Job {
	jobs := []outbox.Job{
		{Name: "forget idempotency keys", Every: time.Hour, Run: a.keys.Purge},
		{Name: "sweep files of avatars", Every: time.Hour, Run: a.pictures.Sweep},
		{Name: "end old uploads", Every: time.Hour, Run: a.Uploads.Expire},
		{Name: "sweep files of uploads", Every: 6 * time.Hour, Run: a.Uploads.Sweep},
	}
	if kept := a.settings.Trash(); kept > 0 {
		jobs = append(jobs, outbox.Job{Name: "empty the trash", Every: time.Hour, Run: func(ctx context.Context) error {
			return articles.Purge(ctx, a.DB, kept)
		}})
	}
	return jobs
}

// Serve answers requests until ctx ends. Then it takes no new ones, finishes those that run, and returns.
func (a *App) Serve(ctx context.Context, l net.Listener) error {
	if a.settings.Gateway == "test" {
		a.log.Info("payments go to the test gateway, which moves no money")
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	if err := a.serveMetrics(working); err != nil {
		return err
	}
	jobs := make(chan struct{})
	go func() {
		defer close(jobs)
		if a.settings.Only != "" {
			return // the server of all of it does this work
		}
		var running sync.WaitGroup
		running.Go(func() { a.Queue.Run(working) })
		outbox.Run(working, a.DB, a.log, a.work...)
		running.Wait()
	}()
	servers, failed, err := a.listen(working, l)
	if err != nil {
		stop()
		<-jobs
		return err
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	a.log.Info("stopping", "finish_within", a.settings.StopTimeout.String())
	a.Uploads.Stop()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.settings.StopTimeout)
	defer cancel()
	for _, server := range servers {
		if end := server.Shutdown(limit); end != nil {
			err = errors.Join(err, fmt.Errorf("some requests did not finish in %s: %w", a.settings.StopTimeout, errors.Join(end, server.Close())))
		}
	}
	<-jobs
	return err
}
