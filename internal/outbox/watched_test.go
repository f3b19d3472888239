package outbox_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"verbless/internal/metric"
	"verbless/internal/outbox"
	"verbless/internal/trace"
	"verbless/internal/trace/tracetest"
)

// TestJobsAreWatched: each turn is counted, timed, and a trace of its own; its error stays what it was.
func TestJobsAreWatched(t *testing.T) {
	c := tracetest.Start(t)
	tracer, err := trace.New(trace.Options{Endpoint: c.URL, Sample: 1, Log: slog.New(slog.DiscardHandler)})
	ok(t, err)
	r := metric.New()
	broken := errors.New("broken")
	var fail error
	job := outbox.Watch(r, tracer, outbox.Job{Name: "tidy up", Run: func(ctx context.Context) error {
		_, inner := trace.Start(ctx, "inner", trace.Internal)
		inner.End()
		return fail
	}})[0]
	if strings.Contains(string(r.Text()), "verbless_job_last_duration_seconds{") {
		t.Error("a job that never ran took time")
	}
	ok(t, job.Run(context.Background()))
	fail = broken
	if err := job.Run(context.Background()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	text := string(r.Text())
	for _, want := range []string{`verbless_job_turns_total{job="tidy up",outcome="done"} 1`, `verbless_job_turns_total{job="tidy up",outcome="failed"} 1`, `verbless_job_last_duration_seconds{job="tidy up"} `, `verbless_job_last_success_timestamp_seconds{job="tidy up"} 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	tracer.Close()
	turns, inner := tracetest.Named(c.Spans(), "job tidy up"), tracetest.Named(c.Spans(), "inner")
	if len(turns) != 2 || turns[0].Failed || !turns[1].Failed || turns[0].Trace == turns[1].Trace || len(inner) != 2 || inner[0].Parent != turns[0].ID {
		t.Errorf("got %+v, %+v", turns, inner)
	}
}

// TestTasksAreWatched: every try counts as what came of it, and what is left is told with its age.
func TestTasksAreWatched(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		results := []error{errors.New("not yet"), nil, outbox.Hopeless(errors.New("no"))}
		d.Handle(outbox.Work{Kind: "k", Run: func(context.Context, outbox.Task) error {
			result := results[0]
			results = results[1:]
			return result
		}})
		r := metric.New()
		d.Watch(r, nil)
		ok(t, d.Put(context.Background(), "k", "a", 0))
		d.drain(t)
		d.later(time.Minute)
		d.drain(t)
		ok(t, d.Put(context.Background(), "k", "b", 0))
		d.drain(t)
		ok(t, d.Put(context.Background(), "k", "c", 0))
		d.later(time.Minute)
		text := string(r.Text())
		for _, want := range []string{
			`verbless_outbox_tries_total{kind="k",outcome="done"} 1`, `verbless_outbox_tries_total{kind="k",outcome="failed"} 1`, `verbless_outbox_tries_total{kind="k",outcome="dead"} 1`,
			`verbless_outbox_task_duration_seconds_count{kind="k"} 3`, `verbless_outbox_tasks{state="waiting"} 1`, `verbless_outbox_tasks{state="dead"} 1`, `verbless_outbox_oldest_due_age_seconds 6`,
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s is not in\n%s", want, text)
			}
		}
		d.db.Close() // what cannot be asked is left out, and the rest is told
		fresh := metric.New()
		d.Watch(fresh, nil)
		if text := string(fresh.Text()); strings.Contains(text, "verbless_outbox_tasks") || !strings.Contains(text, "verbless_outbox_tries_total") {
			t.Errorf("without a database:\n%s", text)
		}
	})
}
