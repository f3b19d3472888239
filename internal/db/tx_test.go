package db_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/fault"
)

func TestCounterHasNoGaps(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open()
		var mu sync.Mutex
		seen := map[int64]bool{}
		var g errgroup.Group
		for i := range 60 {
			g.Go(func() error {
				var n int64
				err := d.Write(t.Context(), func(ctx context.Context, tx *db.Tx) (err error) {
					if n, err = tx.Next(ctx, "c"); err == nil && i%3 == 0 {
						err = errRefused
					}
					return err
				})
				if i%3 == 0 {
					if !errors.Is(err, errRefused) {
						return fmt.Errorf("got %v", err)
					}
					return nil
				}
				mu.Lock()
				defer mu.Unlock()
				if seen[n] {
					t.Errorf("%d twice", n)
				}
				seen[n] = true
				return err
			})
		}
		ok(t, g.Wait())
		for n := int64(1); n <= 40; n++ {
			if !seen[n] {
				t.Errorf("%d is missing", n)
			}
		}
	})
}

func TestJoin(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		boxes := boxTable(d)
		var hooks []string
		hook := func(ctx context.Context, name string) { db.AfterCommit(ctx, func() { hooks = append(hooks, name) }) }

		err := d.Do(ctx, func(ctx context.Context) error {
			hook(ctx, "lost")
			made := add(t, ctx, boxes, box{Name: "one"})
			if _, err := boxes.Get(ctx, byID(made.ID)); err != nil {
				t.Errorf("own work is not seen: %v", err)
			}
			if _, err := boxes.Get(context.Background(), byID(made.ID)); !fault.Is(err, fault.NotFoundCode) {
				t.Errorf("seen from outside: %v", err)
			}
			return errRefused
		})
		if !errors.Is(err, errRefused) {
			t.Fatal(err)
		}
		if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != 0 || hooks != nil {
			t.Fatalf("%d rows and hooks %v are left", n, hooks)
		}
		var late context.Context
		ok(t, d.Write(ctx, func(ctx context.Context, outer *db.Tx) error {
			late = ctx
			return d.Write(ctx, func(ctx context.Context, inner *db.Tx) error {
				if inner != outer || inner.Now() != outer.Now() {
					t.Error("not the same transaction")
				}
				hook(ctx, "a")
				hook(ctx, "b")
				return nil
			})
		}))
		ok(t, d.Do(late, func(ctx context.Context) error { hook(ctx, "c"); return nil })) // the transaction in late is over
		hook(late, "d")
		if got := fmt.Sprint(hooks); got != "[a b c d]" {
			t.Fatalf("hooks %s", got)
		}
	})
}

// After a failed statement a transaction can only end, on both engines.
func TestFailedStatementEndsTransaction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		add(t, ctx, boxTable(d), box{Name: "one"})
		err := d.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
			tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (5, 'five')")
			tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (6, 'one')")
			_, err := tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (7, 'seven')")
			wantCode(t, err, fault.AlreadyExists)
			var n int
			wantCode(t, tx.QueryRow(ctx, "SELECT 1").Scan(&n), fault.AlreadyExists)
			return nil
		})
		wantCode(t, err, fault.AlreadyExists)
		if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != 1 {
			t.Fatalf("%d rows", n)
		}
		// Rows that nobody closed must not hold up anything.
		ok(t, d.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
			rows, err := tx.Query(ctx, "SELECT id FROM boxes")
			rows.Next()
			return err
		}))
		ok(t, d.Write(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.QueryRow(ctx, "SELECT 1").Err() }))
		_, err = d.Reader(ctx).Exec(ctx, "DELETE FROM boxes")
		if err == nil {
			t.Fatal("a write outside of a transaction")
		}
	})
}

func TestPanicUndoes(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		func() {
			defer func() {
				if got := recover(); got != "boom" {
					t.Errorf("recovered %v", got)
				}
			}()
			d.Do(ctx, func(ctx context.Context) error { add(t, ctx, boxTable(d), box{Name: "one"}); panic("boom") })
		}()
		if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != 0 {
			t.Fatalf("%d rows", n)
		}
		add(t, ctx, boxTable(d), box{Name: "one"})
	})
}

func TestNoLostUpdates(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		table := thingTable(d)
		made := add(t, ctx, table, thing{Name: "x"})
		var g errgroup.Group
		for range 20 {
			g.Go(func() error { _, err := update(ctx, table, made.ID, func(v *thing) { v.Rank++ }); return err })
		}
		ok(t, g.Wait())
		got, err := table.Get(ctx, byID(made.ID))
		ok(t, err)
		if got.Rank != 20 || got.Version != 21 {
			t.Fatalf("rank %d, version %d", got.Rank, got.Version)
		}

		var won atomic.Int32
		for i := range 20 {
			g.Go(func() error {
				_, err := table.Change(ctx, change.System, byID(made.ID), func(was *thing) (*thing, error) {
					if was.Version != got.Version {
						return nil, fault.New(fault.PreconditionFailed, "Stale.")
					}
					now := *was
					now.Rank = 100 + i
					return &now, nil
				})
				if err == nil {
					won.Add(1)
				} else if !fault.Is(err, fault.PreconditionFailed) {
					return err
				}
				return nil
			})
		}
		ok(t, g.Wait())
		if won.Load() != 1 {
			t.Fatalf("%d won", won.Load())
		}
	})
}

func TestSecret(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		nodes := []*db.DB{open(), open()}
		var mu sync.Mutex
		var first []byte
		var g errgroup.Group
		for i := range 8 {
			g.Go(func() error {
				secret, err := nodes[i%2].Secret(t.Context(), "etag")
				mu.Lock()
				defer mu.Unlock()
				if first == nil {
					first = secret
				}
				if len(secret) != 32 || !bytes.Equal(secret, first) {
					t.Errorf("%x is not %x", secret, first)
				}
				return err
			})
		}
		ok(t, g.Wait())
		other, err := nodes[0].Secret(t.Context(), "cursor")
		ok(t, err)
		if bytes.Equal(other, first) {
			t.Fatal("two names, one secret")
		}
	})
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open(things)
		ctx, cancel := context.WithCancel(t.Context())
		err := d.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
			add(t, ctx, boxTable(d), box{Name: "one"})
			cancel()
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err := d.Do(ctx, func(context.Context) error { t.Error("ran"); return nil }); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if _, err := boxTable(d).Get(ctx, byID(1)); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != 0 {
			t.Fatalf("%d rows", n)
		}
		ok(t, d.Ping(t.Context()))
	})
}

func TestClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 2, 3, 4, 5, 678901234, time.FixedZone("", 7200))
	d, err := db.Open(t.Context(), db.Options{URL: "sqlite", Dir: t.TempDir() + "/a folder?", Clock: func() time.Time { return at }})
	ok(t, err)
	defer d.Close()
	if got, want := d.Now().String(), "2030-01-02 01:04:05.678901 +0000 UTC"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}
