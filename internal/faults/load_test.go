//go:build linux

package faults

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// load is clients that write, each its own articles, and keep the ledger.
type load struct {
	ledger *ledger
	token  string
	target atomic.Pointer[string] // where the server is; nil while it is known to be away
	client *http.Client
	name   string // of this load: no two share a key, because they may share a store
	serial atomic.Int64
}

func newLoad(s *server) *load {
	l := &load{ledger: newLedger(), token: s.token, client: newClient(), name: rand.Text()[:8]}
	l.moved(s.url)
	return l
}

// moved says where the server is now.
func (l *load) moved(url string) { l.target.Store(&url) }

// away says that it is nowhere.
func (l *load) away() { l.target.Store(nil) }

// run writes with several workers until ctx ends, or each has made most articles. It returns when all are done.
func (l *load) run(ctx context.Context, workers, most int) {
	var working sync.WaitGroup
	first := l.serial.Add(int64(workers)) - int64(workers)
	for i := range workers {
		working.Go(func() {
			name := fmt.Sprintf("%s worker %02d", l.name, first+int64(i))
			for n := 0; n < most && ctx.Err() == nil; n++ {
				l.article(ctx, name, n)
			}
		})
	}
	working.Wait()
}

// background is run that goes on until the function it gives is called.
func (l *load) background(t testing.TB, workers int) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx, workers, 1<<20)
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// article makes one article, changes it up to twice, and throws every fifth away. It stops where the outcome is unknown.
func (l *load) article(ctx context.Context, worker string, n int) {
	e := l.ledger.open(fmt.Sprintf("%s article %06d", worker, n))
	if !l.create(ctx, worker, e) {
		return
	}
	for i := range n % 3 {
		text := fmt.Sprintf("change %d of %s", i+1, e.key)
		if !l.patch(ctx, worker, e, text) {
			return
		}
	}
	if n%5 == 0 {
		l.trash(ctx, worker, e)
	}
}

// errAway is for what was never sent, because the test ended while the server was away.
var errAway = errors.New("the server is away")

// send waits while the server is away, and then sends once.
func (l *load) send(ctx context.Context, call, body string, headers ...string) (answer, error) {
	for {
		if at := l.target.Load(); at != nil {
			return send(l.client, *at, l.token, call, body, headers...)
		}
		select {
		case <-ctx.Done():
			return answer{}, errAway
		case <-time.After(pause):
		}
	}
}

func (l *load) create(ctx context.Context, worker string, e *entry) bool {
	a, err := l.send(ctx, "POST /articles", e.request(), "Idempotency-Key: "+e.keyHeader())
	o, note := judge(a, err, http.StatusCreated)
	if o == acked {
		e.id = a.text("id")
	}
	l.ledger.book(worker, e, o, note, state{body: e.first(), answer: a.body})
	if o != acked { // the next one will hardly fare better
		l.breathe(ctx)
	}
	return o == acked
}

func (e *entry) keyHeader() string { return `"` + e.key + `"` }

func (l *load) patch(ctx context.Context, worker string, e *entry, text string) bool {
	a, err := l.send(ctx, "PATCH /articles/"+e.id, fmt.Sprintf(`{"body":%q}`, text))
	o, note := judge(a, err, http.StatusOK)
	l.ledger.book(worker, e, o, note, state{body: text, answer: a.body})
	return o == acked
}

func (l *load) trash(ctx context.Context, worker string, e *entry) {
	a, err := l.send(ctx, "DELETE /articles/"+e.id, "")
	o, note := judge(a, err, http.StatusNoContent)
	l.ledger.book(worker, e, o, note, state{body: e.kept.body, trashed: true})
}

func (l *load) breathe(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// replay sends every create again that was not acknowledged, with its key. Afterwards all are.
func (l *load) replay(t testing.TB) (again []*entry, replayed int) {
	t.Helper()
	for _, e := range l.ledger.sorted() {
		if e.kept != nil {
			continue
		}
		again = append(again, e)
		if l.insist(t, e).header.Get("Idempotency-Replayed") == "true" {
			replayed++
		}
	}
	return again, replayed
}

// insist creates until it is told that it did.
func (l *load) insist(t testing.TB, e *entry) answer {
	t.Helper()
	var a answer
	eventually(t, "create "+e.key, func() bool {
		var err error
		a, err = l.send(t.Context(), "POST /articles", e.request(), "Idempotency-Key: "+e.keyHeader())
		switch {
		case err != nil || a.status == http.StatusServiceUnavailable:
			return false
		case a.status == http.StatusConflict && a.text("code") == "idempotency_in_progress":
			return false // a lost request may still run
		case a.status != http.StatusCreated:
			t.Fatalf("%s again: %s", e.key, a)
		}
		return true
	})
	e.id = a.text("id")
	e.kept, e.maybe = &state{body: e.first(), answer: a.body}, nil
	return a
}

// reread asks for articles over HTTP and compares.
func (l *load) reread(those []*entry) findings {
	var found findings
	var mu sync.Mutex
	var asking sync.WaitGroup
	entries := make(chan *entry)
	for range 4 {
		asking.Go(func() {
			for e := range entries {
				if kind, text := l.look(e); kind != "" {
					mu.Lock()
					found.add(kind, "over HTTP: %s: %s", e.key, text)
					mu.Unlock()
				}
			}
		})
	}
	for _, e := range those {
		entries <- e
	}
	close(entries)
	asking.Wait()
	return found
}

// look finds one article by its title, or in the trash by its id, and says what is wrong with it.
func (l *load) look(e *entry) (kind, text string) {
	get := func(path string) (answer, error) { return send(l.client, *l.target.Load(), l.token, "GET "+path, "") }
	a, err := get("/articles?title=" + url.QueryEscape(e.key))
	if err != nil || a.status != http.StatusOK {
		return badWord, fmt.Sprint(a, err)
	}
	have, err := readList(a.body)
	if err != nil {
		return badWord, err.Error()
	}
	if e.id != "" {
		a, err := get("/articles/trashed/" + e.id)
		if err != nil || a.status != http.StatusOK && a.status != http.StatusNotFound {
			return badWord, fmt.Sprint(a, err)
		}
		if a.status == http.StatusOK {
			have = append(have, row{e.id, a.text("title"), a.text("body"), a.text("status") == "trashed"})
		}
	}
	one := newLedger()
	one.entries[e.key] = e
	if found := one.audit(have); len(found) > 0 {
		return found.first()
	}
	if e.kept == nil || e.maybe != nil || e.kept.trashed {
		return "", ""
	}
	a, err = get("/articles/" + e.id)
	if err != nil || a.status != http.StatusOK || string(a.body) != string(e.kept.answer) {
		return altered, fmt.Sprintf("acknowledged %s, now %s %v", e.kept.answer, a, err)
	}
	return "", ""
}
