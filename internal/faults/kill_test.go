//go:build linux

package faults

import (
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"verbless/internal/db/dbtest"
)

// What a run with kills must reach to prove anything. A busy machine reaches several times as much.
const (
	leastAckedPerKill   = 40
	leastUnknownPerKill = 2
)

// TestKill ends the server at random moments under load, without warning. Nothing acknowledged may be lost, nothing
// may be there twice, and what nobody knows of is settled by sending it again with its key.
func TestKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s := start(t, launch{})
		killUnderLoad(t, s, pick(25, 200))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		s := start(t, launch{database: dbtest.Postgres(t)})
		killUnderLoad(t, s, pick(8, 60))
	})
}

func pick(short, long int) int {
	if soak {
		return long
	}
	return short
}

func killUnderLoad(t *testing.T, s *server, kills int) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("VERBLESS_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("VERBLESS_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	l := newLoad(s)
	stop := l.background(t, 8)
	done := 0
	for range kills {
		before := l.ledger.tally(acked)
		time.Sleep(150*time.Millisecond + time.Duration(random.Int64N(int64(400*time.Millisecond))))
		eventually(t, "the load gets through", func() bool { return l.ledger.tally(acked) >= before+leastAckedPerKill })
		s.kill()
		done++
		l.away()
		s = s.again(t)
		l.moved(s.url)
	}
	stop()
	settle(t, l, s)
	t.Logf("%d kills, %d acknowledged, %d unknown, %d refused, %d unsent", done, l.ledger.tally(acked), l.ledger.tally(unknown), l.ledger.tally(refused), l.ledger.tally(unsent))
	if done != kills || l.ledger.tally(acked) < kills*leastAckedPerKill || l.ledger.tally(unknown) < kills*leastUnknownPerKill {
		t.Errorf("too little happened to prove anything")
	}
}

// settle compares the ledger with the store, sends again what is open, and compares once more.
func settle(t testing.TB, l *load, s *server) {
	t.Helper()
	at := s.store()
	report(t, "before the replay", append(l.ledger.audit(at.rows(t)), l.reread(l.ledger.sorted())...))
	again, replayed := l.replay(t)
	t.Logf("%d creates sent again, %d of them had been kept", len(again), replayed)
	report(t, "after the replay", append(l.ledger.audit(at.rows(t)), l.reread(again)...))
	s.kill() // once more, so that the file is read as a crash leaves it
	report(t, "after the last kill", l.ledger.audit(at.rows(t)))
	at.check(t)
}

// report fails the test with the first findings.
func report(t testing.TB, when string, found findings) {
	t.Helper()
	for _, text := range found[:min(5, len(found))] {
		t.Errorf("%s: %s", when, text)
	}
	if len(found) > 5 {
		t.Errorf("%s: and %d more", when, len(found)-5)
	}
}

// store is a database, seen without the service.
type store struct{ driver, address string }

func (s *server) store() store {
	if s.how.database != "sqlite" {
		return store{"pgx", s.how.database}
	}
	return store{"sqlite", "file:" + filepath.Join(s.how.dir, "verbless.db") + "?_busy_timeout=30000"}
}

func (s store) rows(t testing.TB) []row {
	t.Helper()
	return stored(t, s.driver, s.address)
}

// titles reads the titles of all articles.
func (s store) titles(t testing.TB) []string {
	t.Helper()
	pool, err := sql.Open(s.driver, s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	rows, err := pool.QueryContext(t.Context(), "SELECT title FROM articles")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var title string
		if err := rows.Scan(&title); err != nil {
			t.Fatal(err)
		}
		all = append(all, title)
	}
	return all
}

// check asks the engine whether the file is whole.
func (s store) check(t testing.TB) {
	t.Helper()
	if s.driver != "sqlite" {
		return
	}
	pool, err := sql.Open(s.driver, s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var verdict string
	if err := pool.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity_check: %s %v", verdict, err)
	}
	var broken int
	if err := pool.QueryRow("SELECT COUNT(*) FROM pragma_foreign_key_check").Scan(&broken); err != nil || broken != 0 {
		t.Errorf("foreign_key_check: %d rows, %v", broken, err)
	}
}
