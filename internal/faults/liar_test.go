//go:build linux

package faults

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"verbless/internal/ident"
)

// lie may answer a request itself, and then says so. count is how many of its method came so far, with this one.
type lie func(w http.ResponseWriter, r *http.Request, count int64, pass http.Handler) bool

// before puts a server that lies in front of one that does not.
func before(t *testing.T, s *server, tell lie) *load {
	t.Helper()
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(target)
	var posts, others atomic.Int64
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counter := &others
		if r.Method == http.MethodPost {
			counter = &posts
		}
		if !tell(w, r, counter.Add(1), pass) {
			pass.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(liar.Close)
	l := newLoad(s)
	l.moved(liar.URL)
	return l
}

// invent acknowledges what it has not done.
func invent(w http.ResponseWriter, status int) bool {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"id":%q}`, ident.New())
	return true
}

// The checker must find each of these, or it proves nothing about a server that has no findings.
func TestLiarsAreFound(t *testing.T) {
	t.Parallel()
	lies := map[string]struct {
		tell lie
		want string
	}{
		"creates that never were": {func(w http.ResponseWriter, r *http.Request, n int64, _ http.Handler) bool {
			return r.Method == http.MethodPost && n%10 == 0 && invent(w, http.StatusCreated)
		}, lost},
		"changes that never were": {func(w http.ResponseWriter, r *http.Request, n int64, _ http.Handler) bool {
			return r.Method == http.MethodPatch && n%10 == 0 && invent(w, http.StatusOK)
		}, altered},
		"keys are ignored": {func(w http.ResponseWriter, r *http.Request, n int64, pass http.Handler) bool {
			r.Header.Del("Idempotency-Key")
			if r.Method != http.MethodPost || n%10 != 0 {
				return false
			}
			pass.ServeHTTP(httptest.NewRecorder(), r) // it is done, but its answer is lost
			panic(http.ErrAbortHandler)
		}, twice},
		"refusals that were carried out": {func(w http.ResponseWriter, r *http.Request, n int64, pass http.Handler) bool {
			if r.Method != http.MethodPost || n%10 != 0 {
				return false
			}
			pass.ServeHTTP(httptest.NewRecorder(), r)
			w.Header().Set("Content-Type", "application/problem+json")
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"type":"t","title":"t","status":503,"code":"unavailable","message":"m","request_id":"r"}`)
			return true
		}, phantom},
		"errors nobody documented": {func(w http.ResponseWriter, r *http.Request, n int64, _ http.Handler) bool {
			if n%10 == 0 {
				http.Error(w, "oops", http.StatusInternalServerError)
			}
			return n%10 == 0
		}, badWord},
	}
	s := start(t, launch{})
	for name, test := range lies {
		t.Run(name, func(t *testing.T) { // one after the other: they share the store
			l := before(t, s, test.tell)
			l.run(t.Context(), 4, 30)
			l.moved(s.url)
			found := append(l.ledger.audit(l.mine(s.store().rows(t))), l.reread(l.ledger.sorted())...)
			if test.want == twice {
				l.replay(t)
				found = append(found, l.ledger.audit(l.mine(s.store().rows(t)))...)
			}
			t.Logf("%d findings, %d of them %s", len(found), found.count(test.want), test.want)
			if found.count(test.want) == 0 {
				t.Errorf("the lie was not found: %q", found)
			}
		})
	}
}

// mine leaves out what other ledgers account for.
func (l *load) mine(rows []row) []row {
	var own []row
	for _, r := range rows {
		if l.ledger.entries[r.key] != nil {
			own = append(own, r)
		}
	}
	return own
}
