package outbox_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/outbox"
	"verbless/internal/stamp"
)

// desk is a queue on a database whose clock a test can move.
type desk struct {
	*outbox.Queue
	db    *db.DB
	clock *atomic.Int64 // how far it was moved
}

func each(t *testing.T, fn func(t *testing.T, d *desk)) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &atomic.Int64{}
			d, err := db.Open(context.Background(), db.Options{URL: address(t), Clock: func() time.Time { return stamp.Now().Add(time.Duration(clock.Load())) }})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { d.Close() })
			if err := d.Migrate(context.Background(), outbox.Migrations()); err != nil {
				t.Fatal(err)
			}
			fn(t, &desk{newQueue(d), d, clock})
		})
	}
}

func newQueue(d *db.DB) *outbox.Queue {
	return outbox.NewQueue(d, slog.New(slog.DiscardHandler), time.Second)
}

func (d *desk) later(by time.Duration) { d.clock.Add(int64(by)) }

func (d *desk) drain(t *testing.T) int {
	t.Helper()
	n, err := d.Drain(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (d *desk) count(t *testing.T, where string) (n int) {
	t.Helper()
	if err := d.db.Reader(context.Background()).QueryRow(context.Background(), `SELECT COUNT(*) FROM tasks WHERE `+where).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPutIsPartOfTheTransaction: a task is there exactly when the change is.
func TestPutIsPartOfTheTransaction(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		var done []string
		d.Handle(outbox.Work{Kind: "k", Run: func(_ context.Context, task outbox.Task) error {
			done = append(done, task.Key)
			return nil
		}})
		undone := errors.New("undone")
		err := d.db.Do(context.Background(), func(ctx context.Context) error {
			return errors.Join(d.Put(ctx, "k", "never", 0), undone)
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		for range 3 { // one key, one task
			ok(t, d.Put(context.Background(), "k", "once", 0))
		}
		ok(t, d.Put(context.Background(), "k", "later", time.Hour))
		ok(t, d.Put(context.Background(), "k", "dropped", 0))
		ok(t, d.Drop(context.Background(), "k", "dropped"))
		if n := d.drain(t); n != 1 || len(done) != 1 || done[0] != "once" {
			t.Errorf("%d tasks, done %v", n, done)
		}
		d.later(2 * time.Hour)
		if n := d.drain(t); n != 1 || len(done) != 2 {
			t.Errorf("%d tasks, done %v", n, done)
		}
		if n := d.count(t, "1 = 1"); n != 0 {
			t.Errorf("%d tasks are left", n)
		}
	})
}

// TestRetries come later and later, and end with a dead task that can be revived.
func TestRetries(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		var attempts []int64
		var buried error
		broken := true
		d.Handle(outbox.Work{Kind: "k", Tries: 4, Run: func(_ context.Context, task outbox.Task) error {
			attempts = append(attempts, task.Attempt)
			switch {
			case !broken:
				return nil
			case task.Attempt == 2:
				panic("as bad as an error")
			}
			return errors.New("broken\nin two lines")
		}, Dead: func(_ context.Context, _ outbox.Task, why error) error {
			buried = why
			return nil
		}})
		ok(t, d.Put(context.Background(), "k", "a", 0))
		for i, pause := range []time.Duration{0, 5 * time.Second, 10 * time.Second, 20 * time.Second} {
			if i > 0 {
				d.later(pause/2 - time.Second)
				if n := d.drain(t); n != 0 {
					t.Errorf("try %d came before half of %s", i+1, pause)
				}
			}
			d.later(pause/2 + time.Second)
			if n := d.drain(t); n != 1 {
				t.Errorf("try %d did not come within %s", i+1, pause)
			}
		}
		if buried == nil || d.count(t, "dead_at IS NOT NULL AND problem = 'broken'") != 1 || len(attempts) != 4 {
			t.Fatalf("buried %v after %v", buried, attempts)
		}
		d.later(24 * time.Hour)
		if d.drain(t) != 0 {
			t.Error("the dead task was done")
		}
		broken = false
		ok(t, d.Revive(context.Background(), "k", "a"))
		if d.drain(t) != 1 || d.count(t, "1 = 1") != 0 || attempts[4] != 1 {
			t.Errorf("revived: %v", attempts)
		}
	})
}

func TestHopeless(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.Handle(outbox.Work{Kind: "k", Run: func(context.Context, outbox.Task) error { return outbox.Hopeless(errors.New("no")) },
			Dead: func(context.Context, outbox.Task, error) error { return nil }})
		ok(t, d.Put(context.Background(), "k", "a", 0))
		ok(t, d.Put(context.Background(), "nobody knows it", "a", 0))
		if d.drain(t); d.count(t, "dead_at IS NOT NULL") != 1 || d.count(t, "dead_at IS NULL AND attempts = 1") != 1 {
			t.Error("one task should be dead, and one wait for a program that knows it")
		}
	})
}

// TestNodeDies: a task whose lease has run out is done by another, and what the first one says afterwards counts no more.
func TestNodeDies(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		started, release := make(chan struct{}), make(chan struct{})
		d.Handle(outbox.Work{Kind: "k", Run: func(context.Context, outbox.Task) error {
			close(started)
			<-release
			return outbox.Hopeless(errors.New("it says that it failed"))
		}})
		other := &desk{newQueue(d.db), d.db, d.clock}
		fail := true
		var attempt int64
		other.Handle(outbox.Work{Kind: "k", Run: func(_ context.Context, task outbox.Task) error {
			if attempt = task.Attempt; fail {
				return errors.New("not yet")
			}
			return nil
		}})
		ok(t, d.Put(context.Background(), "k", "a", 0))
		var first sync.WaitGroup
		first.Go(func() { d.Drain(context.Background()) })
		<-started
		if other.drain(t) != 0 {
			t.Error("a leased task was taken")
		}
		d.later(2 * time.Minute)
		if other.drain(t) != 1 || attempt != 2 {
			t.Errorf("not taken over: attempt %d", attempt)
		}
		close(release)
		first.Wait()
		if d.count(t, "dead_at IS NULL AND attempts = 2") != 1 {
			t.Error("the word of the first node counted")
		}
		fail = false
		d.later(time.Hour)
		if other.drain(t) != 1 || d.count(t, "1 = 1") != 0 {
			t.Error("the task was not ended")
		}
	})
}

// TestLeasesAreRenewed while the work goes on.
func TestLeasesAreRenewed(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.Hurry(300*time.Millisecond, time.Hour)
		started, release := make(chan struct{}), make(chan struct{})
		d.Handle(outbox.Work{Kind: "k", Run: func(context.Context, outbox.Task) error {
			close(started)
			<-release
			return nil
		}})
		ok(t, d.Put(context.Background(), "k", "a", 0))
		var first sync.WaitGroup
		first.Go(func() { d.Drain(context.Background()) })
		<-started
		renewed, last := 0, int64(0)
		for tries := 0; renewed < 5 && tries < 2000; tries++ { // five times is longer than a lease lasts
			var until int64
			if err := d.db.Reader(context.Background()).QueryRow(context.Background(), `SELECT run_at FROM tasks`).Scan(&until); err != nil {
				t.Fatal(err)
			}
			if until != last {
				renewed, last = renewed+1, until
			}
			time.Sleep(5 * time.Millisecond)
		}
		if renewed < 5 || d.count(t, "attempts = 1") != 1 {
			t.Errorf("renewed %d times", renewed)
		}
		close(release)
		first.Wait()
		if d.count(t, "1 = 1") != 0 {
			t.Error("the task was not ended")
		}
	})
}

// TestRun is woken by a commit, works on several tasks at once, and ends what it has begun.
func TestRun(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.Hurry(time.Minute, time.Hour) // it would not look by itself
		arrived := make(chan string)
		release := make(chan struct{})
		var ended atomic.Int64
		d.Handle(outbox.Work{Kind: "k", Run: func(_ context.Context, task outbox.Task) error {
			arrived <- task.Key
			<-release
			ended.Add(1)
			return nil
		}})
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { d.Run(ctx) })
		ok(t, d.Put(context.Background(), "k", "a", 0))
		<-arrived
		ok(t, d.Put(context.Background(), "k", "b", 0))
		<-arrived // while the first still runs
		stop()
		close(release)
		running.Wait()
		if ended.Load() != 2 || d.count(t, "1 = 1") != 0 {
			t.Errorf("%d tasks ended", ended.Load())
		}
	})
}

// TestManyNodes do each task once.
func TestManyNodes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		const tasks, nodes = 60, 4
		var mu sync.Mutex
		seen := map[string]int{}
		ok(t, d.db.Do(context.Background(), func(ctx context.Context) error {
			for i := range tasks {
				if err := d.Put(ctx, "k", string(rune('a'+i%26))+string(rune('a'+i/26)), 0); err != nil {
					return err
				}
			}
			return nil
		}))
		var all sync.WaitGroup
		for range nodes {
			q := newQueue(d.db)
			q.Handle(outbox.Work{Kind: "k", Run: func(_ context.Context, task outbox.Task) error {
				mu.Lock()
				defer mu.Unlock()
				seen[task.Key]++
				return nil
			}})
			all.Go(func() { q.Drain(context.Background()) })
		}
		all.Wait()
		if len(seen) != tasks || d.count(t, "1 = 1") != 0 {
			t.Errorf("%d of %d tasks were done", len(seen), tasks)
		}
		for key, n := range seen {
			if n != 1 {
				t.Errorf("%s was done %d times", key, n)
			}
		}
	})
}
