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

	const kept, refused, unknown = 1, 2, 3
	var ledger sync.Map
	var next atomic.Int64
	var failures atomic.Int32
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				id := int(next.Add(1))
				switch err := d.Write(context.Background(), insertBox(id)); {
				case err == nil:
					ledger.Store(id, kept)
				case fault.Is(err, fault.OutcomeUnknown):
					ledger.Store(id, unknown)
					failures.Add(1)
				case fault.Is(err, fault.Unavailable):
					ledger.Store(id, refused)
					failures.Add(1)
				default:
					t.Errorf("got %v", err)
				}
			}
		})
	}
	for range 3 {
		ok(t, cluster.Restart())
		for before := next.Load(); next.Load() < before+50; { // until they write again
		}
	}
	close(stop)
	writers.Wait()
	ok(t, d.Write(t.Context(), insertBox(-1)))

	present := map[int]bool{}
	rows, err := d.Reader(t.Context()).Query(t.Context(), "SELECT id FROM boxes")
	ok(t, err)
	defer rows.Close()
	for rows.Next() {
		var id int
		ok(t, rows.Scan(&id))
		present[id] = true
	}
	ok(t, rows.Err())
	ledger.Range(func(id, fate any) bool {
		if fate == kept && !present[id.(int)] || fate == refused && present[id.(int)] {
			t.Errorf("row %v with fate %v: present %v", id, fate, present[id.(int)])
		}
		return true
	})
	if failures.Load() == 0 {
		t.Error("nothing failed: the test proves nothing")
	}
	t.Logf("%d rows, %d failures", len(present), failures.Load())
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
