package db_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/fault"
)

// TestPostgresRestarts crashes the server under load. What was acknowledged is there, what was refused is not, and the
// pool recovers by itself.
func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	dbtest.Postgres(t) // skips where there is none
	cluster, err := dbtest.Start()
	if err != nil {
		t.Skip("NOT TESTED WITH A RESTARTING SERVER: ", err)
	}
	t.Cleanup(cluster.Stop)
	d := dbtest.Open(t, cluster.URL, things)

	l := &ledger{db: d, stop: make(chan struct{})}
	for range 8 {
		l.writers.Go(func() { l.write(t) })
	}
	for range 3 {
		ok(t, cluster.Restart())
		for before := l.next.Load(); l.next.Load() < before+50; { // until they write again
		}
	}
	close(l.stop)
	l.writers.Wait()
	ok(t, d.Write(t.Context(), insertBox(-1)))
	l.compare(t)
}

// ledger knows of every row what its writer was told.
type ledger struct {
	db       *db.DB
	stop     chan struct{}
	writers  sync.WaitGroup
	next     atomic.Int64
	failures atomic.Int32
	told     sync.Map // id: kept, refused or unknown
}

func (l *ledger) write(t *testing.T) {
	for {
		select {
		case <-l.stop:
			return
		default:
		}
		id := int(l.next.Add(1))
		err := l.db.Write(context.Background(), insertBox(id))
		if err == nil {
			l.told.Store(id, "kept")
			continue
		}
		l.failures.Add(1)
		switch {
		case fault.Is(err, fault.OutcomeUnknown):
			l.told.Store(id, "unknown")
		case fault.Is(err, fault.Unavailable):
			l.told.Store(id, "refused")
		default:
			t.Errorf("got %v", err)
		}
	}
}

func (l *ledger) compare(t *testing.T) {
	present := map[int]bool{}
	rows, err := l.db.Reader(t.Context()).Query(t.Context(), "SELECT id FROM boxes")
	ok(t, err)
	defer rows.Close()
	for rows.Next() {
		var id int
		ok(t, rows.Scan(&id))
		present[id] = true
	}
	ok(t, rows.Err())
	l.told.Range(func(id, told any) bool {
		if there := present[id.(int)]; told == "kept" && !there || told == "refused" && there {
			t.Errorf("row %v was %v, but present is %v", id, told, there)
		}
		return true
	})
	if l.failures.Load() == 0 {
		t.Error("nothing failed: the test proves nothing")
	}
	t.Logf("%d rows, %d failures", len(present), l.failures.Load())
}

// Two nodes, or the service and a command, write to the same database.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		var writers sync.WaitGroup
		for node, d := range []*db.DB{open(things), open(things)} {
			for i := range 4 {
				writers.Go(func() {
					for j := range 10 {
						if err := d.Write(t.Context(), insertBox(node*1000+i*100+j)); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		writers.Wait()
		if n := count(t, open(things), "SELECT COUNT(*) FROM boxes"); n != 80 {
			t.Fatalf("%d rows", n)
		}
	})
}
