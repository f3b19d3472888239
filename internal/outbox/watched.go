package outbox

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"verbless/internal/metric"
	"verbless/internal/stamp"
	"verbless/internal/trace"
)

// Watch lets jobs be counted and traced, each turn as a trace of its own.
func Watch(r *metric.Registry, tracer *trace.Tracer, jobs ...Job) []Job {
	watched := make([]Job, len(jobs))
	for i, job := range jobs {
		turns := func(outcome string) *metric.Counter {
			return r.Counter("verbless_job_turns_total", "Turns of periodic jobs that this node took.", "job", job.Name, "outcome", outcome)
		}
		done, failed := turns("done"), turns("failed")
		last := r.Gauge("verbless_job_last_duration_seconds", "How long the last turn took.", "job", job.Name)
		ended := r.Gauge("verbless_job_last_success_timestamp_seconds", "When a turn on this node last went well.", "job", job.Name)
		last.Set(math.NaN())
		ended.Set(math.NaN())
		run := job.Run
		job.Run = func(ctx context.Context) error {
			ctx, span := tracer.Root(ctx, "job "+job.Name)
			began := time.Now()
			err := run(ctx)
			last.Set(time.Since(began).Seconds())
			if err == nil {
				done.Add(1)
				ended.Set(float64(time.Now().Unix()))
			} else {
				failed.Add(1)
			}
			span.Finish(err)
			return err
		}
		watched[i] = job
	}
	return watched
}

// taskCounts is what is told of tasks of one kind.
type taskCounts struct {
	done, failed, dead *metric.Counter
	took               *metric.Histogram
}

// count takes one try into account.
func (c taskCounts) count(began time.Time, failed error, dead bool) {
	c.took.Took(time.Since(began))
	switch {
	case failed == nil:
		c.done.Add(1)
	case dead:
		c.dead.Add(1)
	default:
		c.failed.Add(1)
	}
}

// asked is how often the table of tasks is asked for its depth at most, however often somebody wants to know.
const asked = 2 * time.Second

// Watch lets tasks be counted and traced. All kinds are known by then.
func (q *Queue) Watch(r *metric.Registry, tracer *trace.Tracer) {
	q.tracer = tracer
	for kind, work := range q.works {
		tries := func(outcome string) *metric.Counter {
			return r.Counter("verbless_outbox_tries_total", "Tries to do a task; a failed one is tried again, a dead one is not.", "kind", kind, "outcome", outcome)
		}
		work.counts = taskCounts{done: tries("done"), failed: tries("failed"), dead: tries("dead"),
			took: r.Durations("verbless_outbox_task_duration_seconds", "How long a try took.", "kind", kind)}
		q.works[kind] = work
	}
	waiting := r.Gauge("verbless_outbox_tasks", "Tasks on all nodes that are not done yet.", "state", "waiting")
	dead := r.Gauge("verbless_outbox_tasks", "Tasks on all nodes that are not done yet.", "state", "dead")
	age := r.Gauge("verbless_outbox_oldest_due_age_seconds", "How long the task that is due longest has been due.")
	var last atomic.Int64
	r.Before(func() {
		now := time.Now().UnixNano()
		if then := last.Load(); now-then < int64(asked) || !last.CompareAndSwap(then, now) {
			return
		}
		live, buried, oldest, err := q.depth()
		if err != nil { // it is not known, and the other metrics are wanted all the more
			live, buried, oldest = math.NaN(), math.NaN(), math.NaN()
		}
		waiting.Set(live)
		dead.Set(buried)
		age.Set(oldest)
	})
}

// depth asks how many tasks there are, and how late they are.
func (q *Queue) depth() (waiting, dead, age float64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), asked)
	defer cancel()
	now := stamp.Micros(q.db.Now())
	var live, buried, oldest int64
	err = q.db.Reader(ctx).QueryRow(ctx, `SELECT COUNT(*), COALESCE(MIN(run_at), ?) FROM tasks WHERE dead_at IS NULL`, now).Scan(&live, &oldest)
	if err == nil {
		err = q.db.Reader(ctx).QueryRow(ctx, `SELECT COUNT(*) FROM tasks WHERE dead_at IS NOT NULL`).Scan(&buried)
	}
	return float64(live), float64(buried), max(0, float64(now-oldest)/1e6), err
}
