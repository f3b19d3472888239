package db_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/fault"
)

// coded is an error as SQLite gives it.
type coded int

func (c coded) Error() string { return fmt.Sprintf("injected %d", int(c)) }
func (c coded) Code() int     { return int(c) }

const (
	full       = coded(13)
	ioErrFsync = coded(10 | 4<<8)
)

// inGroup runs the functions in one group, in their order: each holds the lock until the next one waits for it.
func inGroup(t *testing.T, d *db.DB, fns ...func(ctx context.Context, tx *db.Tx) error) []error {
	t.Helper()
	d.Patient()
	errs := make([]error, len(fns))
	var wg sync.WaitGroup
	var run func(i int)
	run = func(i int) {
		defer wg.Done()
		defer func() {
			if p := recover(); p != nil {
				errs[i] = fmt.Errorf("panic: %v", p)
			}
		}()
		var once sync.Once
		errs[i] = d.Write(context.Background(), func(ctx context.Context, tx *db.Tx) error {
			once.Do(func() {
				if i+1 < len(fns) {
					go run(i + 1)
					for d.Waiting() == 0 {
						runtime.Gosched()
					}
				}
			})
			return fns[i](ctx, tx)
		})
	}
	wg.Add(len(fns))
	go run(0)
	wg.Wait()
	return errs
}

func insertBox(id int) func(ctx context.Context, tx *db.Tx) error {
	return func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (?, ?)", id, fmt.Sprint("box ", id))
		return err
	}
}

func openLite(t testing.TB) *db.DB { return dbtest.Open(t, dbtest.SQLite(t), things) }

// tally counts what is sent to the writing connection.
func tally(d *db.DB, text string) *atomic.Int32 {
	var n atomic.Int32
	d.Hook(func(sent string) error {
		if sent == text {
			n.Add(1)
		}
		return nil
	})
	return &n
}

func TestGroupSharesCommit(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	commits := tally(d, "COMMIT")
	var fns []func(context.Context, *db.Tx) error
	for i := range 64 {
		fns = append(fns, func(ctx context.Context, tx *db.Tx) error {
			if err := insertBox(i)(ctx, tx); err != nil {
				return err
			}
			switch i % 8 {
			case 3:
				return errRefused
			case 5:
				panic("boom")
			case 6:
				_, err := tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (?, 'box 0')", 1000+i)
				return err
			}
			return nil
		})
	}
	for i, err := range inGroup(t, d, fns...) {
		var want string
		switch i % 8 {
		case 3:
			want = "refused"
		case 5:
			want = "panic: boom"
		case 6:
			want = "already_exists"
		}
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("writer %d: got %v, want %q", i, err, want)
		}
		kept := count(t, d, "SELECT COUNT(*) FROM boxes WHERE id IN (?, ?)", i, 1000+i)
		if kept != map[bool]int{true: 1}[want == ""] {
			t.Errorf("writer %d: %d rows", i, kept)
		}
	}
	if n := commits.Load(); n != 1 {
		t.Errorf("%d commits for 64 writers", n)
	}
}

// A refusal that rests on another's work must not be told before that work is safe.
func TestRefusalWaitsForCommit(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	d.Hook(func(text string) error {
		if text == "COMMIT" {
			return full
		}
		return nil
	})
	errs := inGroup(t, d, insertBox(1), insertBox(1), insertBox(2))
	wantCode(t, errs[0], fault.StorageFull)
	wantCode(t, errs[1], fault.Unavailable)
	wantCode(t, errs[2], fault.StorageFull)
	d.Hook(nil)
	ok(t, d.Write(t.Context(), insertBox(1)))
	ok(t, d.Ping(t.Context()))
}

func TestBrokenGroup(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	var runs [4]atomic.Int32
	var hooks atomic.Int32
	member := func(i int) func(context.Context, *db.Tx) error {
		return func(ctx context.Context, tx *db.Tx) error {
			runs[i].Add(1)
			db.AfterCommit(ctx, func() { hooks.Add(1) })
			if i == 1 { // refused because of what 0 did: also to be run again
				return insertBox(0)(ctx, tx)
			}
			return insertBox(i)(ctx, tx)
		}
	}
	var autocommitted error
	errs := inGroup(t, d, member(0), member(1), member(2), func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.Exec(ctx, "PRAGMA max_page_count = 1"); err != nil { // no smaller than the file: no page more
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (99, ?)", strings.Repeat("x", 1<<20))
		_, autocommitted = tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (98, 'after the end')")
		return err
	}, member(3))
	lost := errs[0] // run again, either of the two may come first
	if lost == nil {
		lost = errs[1]
	} else {
		ok(t, errs[1])
	}
	wantCode(t, lost, fault.AlreadyExists)
	ok(t, errs[2])
	wantCode(t, errs[3], fault.StorageFull)
	wantCode(t, autocommitted, fault.StorageFull)
	ok(t, errs[4])
	if runs[0].Load() != 2 || runs[1].Load() != 2 || runs[2].Load() != 2 || runs[3].Load() != 1 || hooks.Load() != 3 {
		t.Errorf("runs %v %v %v %v, hooks %v", runs[0].Load(), runs[1].Load(), runs[2].Load(), runs[3].Load(), hooks.Load())
	}
	if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != 3 {
		t.Errorf("%d rows", n)
	}
}

func TestDiskFailureStopsWrites(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	ok(t, d.Write(t.Context(), insertBox(1)))
	d.Hook(func(text string) error {
		if text == "COMMIT" {
			return ioErrFsync
		}
		return nil
	})
	for _, err := range inGroup(t, d, insertBox(2), insertBox(3)) {
		wantCode(t, err, fault.OutcomeUnknown)
		if !errors.Is(err, ioErrFsync) {
			t.Errorf("the cause is lost: %v", err)
		}
	}
	d.Hook(nil) // the disk seems well again, but nobody knows what it forgot
	wantCode(t, d.Write(t.Context(), insertBox(4)), fault.Unavailable)
	wantCode(t, d.Ping(t.Context()), fault.Unavailable)
	if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// An I/O error in one statement: those who wait in the same group are refused too, and nothing of theirs is kept.
func TestDiskFailureInGroup(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	errs := inGroup(t, d, insertBox(1), func(ctx context.Context, tx *db.Tx) error { return tx.Fail(ioErrFsync) }, insertBox(2))
	for _, err := range errs {
		wantCode(t, err, fault.Unavailable)
	}
	if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

// A writer that gave up while waiting still commits for those who counted on it.
func TestCancelledWaiterCommits(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	ok(t, d.Write(t.Context(), func(inner context.Context, tx *db.Tx) error {
		go func() { done <- d.Write(ctx, insertBox(2)) }()
		for d.Waiting() == 0 {
			runtime.Gosched()
		}
		cancel()
		return insertBox(1)(inner, tx)
	}))
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != 1 {
		t.Fatalf("%d rows", n)
	}
}

// Constraints that are checked at COMMIT concern only the one who breaks them.
func TestDeferredConstraint(t *testing.T) {
	t.Parallel()
	deferred := schema("deferred", "0001_pairs.sql",
		`CREATE TABLE pairs (id BIGINT PRIMARY KEY, box BIGINT NOT NULL REFERENCES boxes (id) DEFERRABLE INITIALLY DEFERRED)`)
	bad := func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO pairs (id, box) VALUES (1, 77)")
		return err
	}
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open(things, deferred)
		wantCode(t, d.Write(t.Context(), bad), fault.StillReferenced)
		if !d.Postgres() {
			errs := inGroup(t, d, insertBox(1), bad, insertBox(2))
			ok(t, errs[0])
			wantCode(t, errs[1], fault.StillReferenced)
			ok(t, errs[2])
		}
		ok(t, d.Write(t.Context(), insertBox(3)))
		if n := count(t, d, "SELECT COUNT(*) FROM pairs"); n != 0 {
			t.Fatalf("%d pairs", n)
		}
	})
}

// TestLast puts work off to the end: it is done for every member, in order, once per group, and the one whose work fails
// fails alone.
func TestLast(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open(things)
		var g errgroup.Group
		for i := range 20 {
			g.Go(func() error {
				err := d.Write(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					tx.Last(func(ctx context.Context, tx *db.Tx) error {
						_, err := tx.Exec(ctx, "UPDATE boxes SET name = name || ? WHERE id = ?", " closed", i)
						if i == 7 {
							return fault.New(fault.AlreadyExists, "The lid is stuck.")
						}
						if i == 8 {
							panic("the lid broke")
						}
						return err
					})
					_, err := tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (?, ?)", i, "box "+strconv.Itoa(i))
					return err
				})
				if i == 7 && fault.Is(err, fault.AlreadyExists) || i == 8 && err != nil {
					return nil
				}
				return err
			})
		}
		ok(t, g.Wait())
		if n := count(t, d, "SELECT COUNT(*) FROM boxes WHERE name LIKE '% closed'"); n != 18 || count(t, d, "SELECT COUNT(*) FROM boxes") != 18 {
			t.Errorf("%d boxes are closed, want 18", n)
		}
	})
}
