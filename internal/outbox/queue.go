package outbox

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"verbless/internal/db"
	"verbless/internal/ident"
	"verbless/internal/stamp"
	"verbless/internal/trace"
)

// Work is how tasks of one kind are done.
type Work struct {
	Kind  string
	Run   func(ctx context.Context, t Task) error
	Tries int                                                // then the task is dead; 0: it never is
	Most  time.Duration                                      // longest wait between two tries; an hour when left out
	Dead  func(ctx context.Context, t Task, why error) error // runs in the transaction that buries the task

	counts taskCounts
}

// Task is one piece of work. Its key says what it is about, and is there once for each kind.
type Task struct {
	ID, Kind, Key string
	Attempt       int64 // 1 for the first
	until         int64 // the end of the lease, which also tells whose it is
}

// Queue does tasks at least once each, on any node, one at a time each: a node leases a task, and renews the lease while it works.
type Queue struct {
	db    *db.DB
	log   *slog.Logger
	works map[string]Work
	wake  chan struct{}
	lease time.Duration
	poll  time.Duration // other nodes put tasks here, too
	grace time.Duration // how long a running task may take when the service stops

	tracer *trace.Tracer
}

const (
	workers = 4
	batch   = 16
)

// NewQueue makes a queue; grace is how long running tasks may take when the service stops.
func NewQueue(d *db.DB, log *slog.Logger, grace time.Duration) *Queue {
	return &Queue{db: d, log: log, works: map[string]Work{}, wake: make(chan struct{}, 1), lease: 30 * time.Second, poll: 5 * time.Second, grace: grace}
}

// Handle says how tasks of a kind are done. All kinds are known before the queue runs.
func (q *Queue) Handle(w Work) {
	if w.Most == 0 {
		w.Most = time.Hour
	}
	q.works[w.Kind] = w
}

// Put adds a task in the transaction of ctx, to be done once it has committed and the delay has passed. A key that is there
// already stays as it is.
func (q *Queue) Put(ctx context.Context, kind, key string, delay time.Duration) error {
	return q.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO tasks (id, kind, key, run_at, attempts, created_at) VALUES (?, ?, ?, ?, 0, ?) ON CONFLICT (kind, key) DO NOTHING`,
			ident.New(), kind, key, stamp.Micros(tx.Now().Add(delay)), stamp.Micros(tx.Now()))
		db.AfterCommit(ctx, q.ring)
		return err
	})
}

// Drop takes a task away in the transaction of ctx, because what it was for is done.
func (q *Queue) Drop(ctx context.Context, kind, key string) error {
	return q.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM tasks WHERE kind = ? AND key = ?`, kind, key)
		return err
	})
}

// Revive makes a task due again in the transaction of ctx, with all its tries, dead or not.
func (q *Queue) Revive(ctx context.Context, kind, key string) error {
	if err := q.Drop(ctx, kind, key); err != nil {
		return err
	}
	return q.Put(ctx, kind, key, 0)
}

// ring wakes the queue of this node.
func (q *Queue) ring() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Run does tasks until ctx ends, then waits for those that run.
func (q *Queue) Run(ctx context.Context) {
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(q.grace, cancel) })
	defer stop()
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, workers)
	for {
		wait := q.poll
		due, next, err := q.due(ctx)
		if err != nil && ctx.Err() == nil {
			q.log.Error("the queue cannot be read", "error", err)
		}
		if next > 0 {
			wait = min(wait, max(time.Duration(next-stamp.Micros(q.db.Now()))*time.Microsecond, time.Millisecond))
		}
		for _, t := range due {
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			running.Go(func() {
				defer func() { <-slots }()
				q.do(working, t)
			})
		}
		if len(due) == batch {
			continue // there may be more
		}
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		case <-time.After(wait):
		}
	}
}

// Drain does what is due now, one after the other, and tells how many tasks that were.
func (q *Queue) Drain(ctx context.Context) (int, error) {
	done := 0
	for {
		due, _, err := q.due(ctx)
		if err != nil || len(due) == 0 {
			return done, err
		}
		for _, t := range due {
			q.do(ctx, t)
			done++
		}
	}
}
