//go:build linux

package faults

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// state is an article as a client knows it.
type state struct {
	body    string
	trashed bool
	answer  []byte // the representation that was acknowledged; nil when only the two above are known
}

func (s *state) same(r row) bool { return s != nil && s.body == r.body && s.trashed == r.trashed }

// entry is the account of one article.
type entry struct {
	key   string // its title, in its metadata, and its Idempotency-Key
	id    string // known from the acknowledgement
	kept  *state // what was acknowledged last; nil: not even its creation
	maybe *state // what a change would make of it of which nobody knows whether it was kept
}

// request is the body that creates the article.
func (e *entry) request() string {
	return fmt.Sprintf(`{"title":%q,"body":%q,"metadata":{"key":%q}}`, e.key, e.first(), e.key)
}

func (e *entry) first() string { return "first text of " + e.key }

// change is one acknowledged step of a worker.
type change struct {
	key string
	now state
}

// ledger is what clients sent, and what they were told.
type ledger struct {
	mu      sync.Mutex
	entries map[string]*entry
	steps   map[string][]change // by worker, in order: each waits for its answer before it goes on
	count   map[outcome]int
	codes   map[string]int // of 503
	bad     []string       // answers that may not be
}

func newLedger() *ledger {
	return &ledger{entries: map[string]*entry{}, steps: map[string][]change{}, count: map[outcome]int{}, codes: map[string]int{}}
}

func (l *ledger) open(key string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &entry{key: key}
	l.entries[key] = e
	return e
}

// book writes down what came of sending a change.
func (l *ledger) book(worker string, e *entry, o outcome, note string, next state) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[o]++
	switch o {
	case acked:
		e.kept, e.maybe = &next, nil
		l.steps[worker] = append(l.steps[worker], change{e.key, next})
	case unknown:
		e.maybe = &next
	case wrong:
		l.bad = append(l.bad, e.key+": "+note)
	}
	if note != "" && o != wrong {
		l.codes[note]++
	}
}

// tally is how many changes came to an outcome so far.
func (l *ledger) tally(o outcome) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count[o]
}

// sorted gives the entries in order of their keys. Nobody may write to the ledger any more.
func (l *ledger) sorted() []*entry {
	var all []*entry
	for _, key := range slices.Sorted(maps.Keys(l.entries)) {
		all = append(all, l.entries[key])
	}
	return all
}

// row is an article as it is stored.
type row struct {
	id, key, body string
	trashed       bool
}

// stored reads all articles with plain SQL.
func stored(t testing.TB, driver, address string) []row {
	t.Helper()
	pool, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	rows, err := pool.QueryContext(t.Context(), "SELECT id, title, body, status, metadata FROM articles")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []row
	for rows.Next() {
		var r row
		var title, status, metadata string
		if err := rows.Scan(&r.id, &title, &r.body, &status, &metadata); err != nil {
			t.Fatal(err)
		}
		var own struct{ Key string }
		if err := json.Unmarshal([]byte(metadata), &own); err != nil {
			t.Errorf("article %s has the metadata %s", r.id, metadata)
		}
		if r.key, r.trashed = title, status == "trashed"; own.Key != title { // not one of a ledger, or damaged
			r.key = title + " with the metadata " + metadata
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// The kinds of findings.
const (
	lost    = "lost"    // acknowledged, and not there
	altered = "altered" // there, but not as acknowledged
	twice   = "twice"   // one key, more than one article
	phantom = "phantom" // there, and never sent or refused
	badWord = "answer"  // an answer that may not be
)

// findings are broken promises, each with its kind.
type findings []string

func (f *findings) add(kind, format string, args ...any) {
	*f = append(*f, kind+": "+fmt.Sprintf(format, args...))
}

// count is how many there are of a kind.
func (f findings) count(kind string) int {
	n := 0
	for _, text := range f {
		if strings.HasPrefix(text, kind+": ") {
			n++
		}
	}
	return n
}

// first gives one finding as its kind and its text.
func (f findings) first() (kind, text string) {
	kind, text, _ = strings.Cut(f[0], ": ")
	return kind, text
}

// readList reads a page of articles.
func readList(body []byte) ([]row, error) {
	var page struct {
		Articles []struct{ ID, Title, Body, Status string }
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return nil, fmt.Errorf("%w: %s", err, body)
	}
	var all []row
	for _, a := range page.Articles {
		all = append(all, row{a.ID, a.Title, a.Body, a.Status == "trashed"})
	}
	return all, nil
}

// audit compares the ledger with what is stored.
func (l *ledger) audit(rows []row) findings {
	var found findings
	for _, text := range l.bad {
		found.add(badWord, "%s", text)
	}
	byKey := map[string][]row{}
	for _, r := range rows {
		byKey[r.key] = append(byKey[r.key], r)
		if l.entries[r.key] == nil {
			found.add(phantom, "%s was never sent", r.key)
		}
	}
	for _, e := range l.sorted() {
		have := byKey[e.key]
		switch {
		case len(have) > 1:
			found.add(twice, "%s is there %d times", e.key, len(have))
		case len(have) == 0 && e.kept != nil:
			found.add(lost, "%s was acknowledged as %s", e.key, e.id)
		case len(have) == 0:
		case e.kept == nil && e.maybe == nil:
			found.add(phantom, "%s was not sent, or refused, but is there", e.key)
		case !e.kept.same(have[0]) && !e.maybe.same(have[0]):
			found.add(altered, "%s: acknowledged %+v, perhaps %+v, stored %+v", e.key, e.kept, e.maybe, have[0])
		case e.kept != nil && e.id != have[0].id:
			found.add(altered, "%s: acknowledged with id %s, stored with %s", e.key, e.id, have[0].id)
		}
	}
	return found
}

func TestAudit(t *testing.T) {
	t.Parallel()
	kept := func(text string) *state { return &state{body: text} }
	tests := []struct {
		name string
		was  entry
		rows []row
		want string
	}{
		{"as acknowledged", entry{id: "1", kept: kept("a")}, []row{{"1", "k", "a", false}}, ""},
		{"unknown and not there", entry{maybe: kept("a")}, nil, ""},
		{"unknown and there", entry{maybe: kept("a")}, []row{{"1", "k", "a", false}}, ""},
		{"an unknown change was kept", entry{id: "1", kept: kept("a"), maybe: kept("b")}, []row{{"1", "k", "b", false}}, ""},
		{"lost", entry{id: "1", kept: kept("a")}, nil, lost},
		{"old text", entry{id: "1", kept: kept("b")}, []row{{"1", "k", "a", false}}, altered},
		{"back from the trash", entry{id: "1", kept: &state{"a", true, nil}}, []row{{"1", "k", "a", false}}, altered},
		{"other id", entry{id: "1", kept: kept("a")}, []row{{"2", "k", "a", false}}, altered},
		{"twice", entry{id: "1", kept: kept("a")}, []row{{"1", "k", "a", false}, {"2", "k", "a", false}}, twice},
		{"refused, and there", entry{}, []row{{"1", "k", "a", false}}, phantom},
		{"never sent", entry{}, []row{{"1", "other", "a", false}}, phantom},
	}
	for _, test := range tests {
		l := newLedger()
		test.was.key = "k"
		l.entries["k"] = &test.was
		found := l.audit(test.rows)
		if test.want == "" && len(found) > 0 || test.want != "" && (len(found) != 1 || found.count(test.want) != 1) {
			t.Errorf("%s: found %q, want %q", test.name, found, test.want)
		}
	}
}
