package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// bench is everything that runs while it is measured.
type bench struct {
	options
	dir      string // goes away afterwards
	binary   string
	data     string // of the real server
	twin     string // of the limit of writes
	kept     string // file of answers
	requests *requests
	servers  map[string]*process // ours, bare, commit, file
	number   int                 // of the next request

	largeSize int64  // of a large file
	slow      string // address of a slow system that keeps locations
}

// measure does it all in a folder below base, and leaves nothing behind.
func measure(ctx context.Context, root, base string, o options) (r *report, err error) {
	b := &bench{options: o, servers: map[string]*process{}}
	if b.dir, err = os.MkdirTemp(base, "run-"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	r = &report{articles: o.articles, rounds: o.rounds, disk: fileSystem(b.dir)}
	if r.disk == "tmpfs" {
		say("The store lies in memory (tmpfs), not on a disk: durable writes cost nothing there, so those rows mean nothing.")
	}
	if err := b.prepare(ctx, root); err != nil {
		return nil, err
	}
	if o.only == "" || o.only == startUp {
		if err := b.startUps(ctx, r); err != nil {
			return nil, err
		}
	}
	if o.only == startUp {
		return r, nil
	}
	if err := b.large(ctx, r); err != nil || strings.HasPrefix(o.only, "large") {
		return r, err
	}
	stop, err := b.startSlow()
	if err != nil {
		return nil, err
	}
	defer stop()
	err = b.startAll(ctx)
	if err == nil {
		err = b.rounds(ctx, r)
	}
	for _, p := range b.servers {
		err = errors.Join(err, p.stop())
	}
	return r, err
}

// prepare builds the binary and fills the stores.
func (b *bench) prepare(ctx context.Context, root string) (err error) {
	b.data, b.twin, b.kept = filepath.Join(b.dir, "data"), filepath.Join(b.dir, "twin"), filepath.Join(b.dir, "answers.json")
	if err := errors.Join(os.Mkdir(b.data, 0o700), os.Mkdir(b.twin, 0o700)); err != nil {
		return err
	}
	say("Building the binary …")
	if b.binary, err = build(ctx, root, b.dir); err != nil {
		return err
	}
	began := time.Now()
	say("Filling a store with %s articles, and as many messages and invoices …", thousands(float64(b.articles)))
	filled, err := seed(ctx, b.data, b.articles)
	if err != nil {
		return err
	}
	say("… took %s", time.Since(began).Round(time.Second/10))
	b.requests = newRequests(filled)
	if err := copyStore(b.data, b.twin); err != nil {
		return err
	}
	return b.learn(ctx)
}

// learn lets the real server answer once, so that the limits know what to say.
func (b *bench) learn(ctx context.Context) error {
	p, _, err := start(ctx, b.dir, b.requests.one, serveCommand(b.binary, b.data))
	if err != nil {
		return err
	}
	b.number++
	kept, err := b.requests.learn(p.address, b.number)
	if err := errors.Join(err, p.stop()); err != nil {
		return err
	}
	return writeAnswers(b.kept, kept)
}

// startAll starts the real server and the limits. The idle ones cost the busy one nothing.
func (b *bench) startAll(ctx context.Context) (err error) {
	if b.servers["ours"], _, err = start(ctx, b.dir, b.requests.one, serveCommand(b.binary, b.data, "--locations-url", b.slow)); err != nil {
		delete(b.servers, "ours")
		return err
	}
	for _, which := range []string{"bare", "commit", "file"} {
		p, _, err := start(ctx, b.dir, b.requests.one, childCommand(which, b.kept, b.twin))
		if err != nil {
			return fmt.Errorf("%s: %w", which, err)
		}
		b.servers[which] = p
	}
	return nil
}

// startUps measures the time from the start of a process to its first 200, in turns with the bare one.
func (b *bench) startUps(ctx context.Context, r *report) error {
	for range starts {
		ours, took, err := start(ctx, b.dir, b.requests.one, serveCommand(b.binary, b.data))
		if err != nil {
			return err
		}
		limit, least, err := start(ctx, b.dir, b.requests.one, childCommand("bare", b.kept))
		if err := errors.Join(err, ours.stop()); err != nil {
			return err
		}
		if err := limit.stop(); err != nil {
			return err
		}
		r.startUp = append(r.startUp, pair{took.Seconds() * 1000, least.Seconds() * 1000})
	}
	say("start-up: %.0f ms and %.0f ms", median(r.startUp, first), median(r.startUp, second))
	return nil
}
