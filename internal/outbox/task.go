package outbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"verbless/internal/db"
	"verbless/internal/stamp"
)

// due lists tasks that can be taken now, and when the next one will be.
func (q *Queue) due(ctx context.Context) (tasks []Task, next int64, err error) {
	rows, err := q.db.Reader(ctx).Query(ctx, `SELECT id, kind, key, attempts, run_at FROM tasks WHERE dead_at IS NULL ORDER BY run_at, id LIMIT `+strconv.Itoa(batch))
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	now := stamp.Micros(q.db.Now())
	for rows.Next() {
		var t Task
		if err := rows.Scan(&t.ID, &t.Kind, &t.Key, &t.Attempt, &t.until); err != nil {
			return nil, 0, err
		}
		if t.until > now {
			return tasks, t.until, nil
		}
		tasks = append(tasks, t)
	}
	return tasks, 0, db.Fault(rows.Err())
}

// do takes a task, works on it, and writes down what came of it.
func (q *Queue) do(ctx context.Context, t Task) {
	work, known := q.works[t.Kind]
	if !known {
		work.Run = func(context.Context, Task) error { return errors.New("this program does not know such tasks") }
		work.Most = time.Hour
	}
	t.Attempt++
	if mine, err := q.extend(ctx, &t, true); err != nil || !mine {
		if err != nil && ctx.Err() == nil {
			q.log.Error("a task cannot be taken", "kind", t.Kind, "key", t.Key, "error", err)
		}
		return
	}
	began := time.Now()
	ctx, span := q.tracer.Root(ctx, "task "+t.Kind)
	err := q.attend(ctx, work, &t)
	work.counts.count(began, err, work.hopeless(t, err))
	defer func() { span.Finish(err) }()
	if err != nil {
		q.log.WarnContext(ctx, "a task failed", "kind", t.Kind, "key", t.Key, "attempt", t.Attempt, "error", err)
	}
	if err := q.conclude(context.WithoutCancel(ctx), work, t, err); err != nil {
		q.log.ErrorContext(ctx, "what came of a task cannot be kept; it will be done again", "kind", t.Kind, "key", t.Key, "error", err)
	}
}

// extend moves the end of the lease on. It fails to when another has the task: attempts and the end as last seen must still be there.
func (q *Queue) extend(ctx context.Context, t *Task, first bool) (mine bool, err error) {
	until, attempts := int64(0), t.Attempt
	if first {
		attempts--
	}
	err = q.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		until = max(stamp.Micros(tx.Now().Add(q.lease)), t.until+1)
		res, err := tx.Exec(ctx, `UPDATE tasks SET run_at = ?, attempts = ? WHERE id = ? AND run_at = ? AND attempts = ? AND dead_at IS NULL`, until, t.Attempt, t.ID, t.until, attempts)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		mine = n == 1
		return err
	})
	if err == nil && mine {
		t.until = until
	}
	return mine, err
}

// attend runs the work while the lease is renewed; a lease that is lost ends it.
func (q *Queue) attend(ctx context.Context, w Work, t *Task) (err error) {
	task := *t
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(q.lease / 3):
				if mine, err := q.extend(context.WithoutCancel(ctx), t, false); err == nil && !mine {
					cancel()
					return
				}
			}
		}
	})
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		close(ended)
		renewing.Wait()
		cancel()
	}()
	return w.Run(ctx, task)
}

// conclude forgets a task that is done, and keeps the others for another try, or as dead.
func (q *Queue) conclude(ctx context.Context, w Work, t Task, failed error) error {
	return q.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		const mine = ` WHERE id = ? AND run_at = ? AND attempts = ?`
		if failed == nil {
			_, err := tx.Exec(ctx, `DELETE FROM tasks`+mine, t.ID, t.until, t.Attempt)
			return err
		}
		now, problem := tx.Now(), firstLine(failed)
		if !w.hopeless(t, failed) {
			_, err := tx.Exec(ctx, `UPDATE tasks SET run_at = ?, problem = ?`+mine, stamp.Micros(now.Add(w.pause(t.Attempt))), problem, t.ID, t.until, t.Attempt)
			return err
		}
		res, err := tx.Exec(ctx, `UPDATE tasks SET dead_at = ?, problem = ?`+mine, stamp.Micros(now), problem, t.ID, t.until, t.Attempt)
		if err != nil || w.Dead == nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return w.Dead(ctx, t, failed)
	})
}

// hopeless tells whether a task that failed is not tried again.
func (w Work) hopeless(t Task, failed error) bool {
	var hopeless *hopeless
	return errors.As(failed, &hopeless) || failed != nil && w.Tries > 0 && t.Attempt >= int64(w.Tries)
}

// pause doubles from five seconds up to the most, less up to a half by chance, so that tasks do not come back all at once.
func (w Work) pause(attempt int64) time.Duration {
	wait := min(5*time.Second<<min(attempt-1, 20), w.Most)
	return wait - rand.N(wait/2)
}

// Hopeless marks an error after which no further try makes sense.
func Hopeless(err error) error { return &hopeless{err} }

type hopeless struct{ error }

func (h *hopeless) Unwrap() error { return h.error }

func firstLine(err error) string {
	text := []rune(err.Error())
	for i, r := range text {
		if r == '\n' || i == 500 {
			return string(text[:i])
		}
	}
	return string(text)
}
