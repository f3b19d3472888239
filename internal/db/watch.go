package db

import (
	"context"
	"time"

	"verbless/internal/fault"
	"verbless/internal/metric"
	"verbless/internal/trace"
)

// counts is what is told of commits.
type counts struct {
	committed, failed, unknown *metric.Counter
	took, members              *metric.Histogram
}

// Watch tells a registry of commits, statements and connections from now on. Call it before the database is used.
func (d *DB) Watch(r *metric.Registry) {
	commits := func(outcome string) *metric.Counter {
		return r.Counter("verbless_db_commits_total", "Commits, by what came of them.", "outcome", outcome)
	}
	d.counts = counts{
		committed: commits("committed"), failed: commits("failed"), unknown: commits("unknown"),
		took:    r.Durations("verbless_db_commit_duration_seconds", "How long a commit took until it was on disk."),
		members: r.Sizes("verbless_db_commit_transactions", "Transactions that shared one commit.", []int64{1, 2, 4, 8, 16, 32, 64, 128}),
	}
	r.CounterFunc("verbless_db_reads_total", "Statements run outside transactions.", func() float64 { return float64(d.Reads()) })
	connections := func(state string, value func(poolState) int) {
		r.GaugeFunc("verbless_db_connections", "Connections for reading on SQLite, all of them on PostgreSQL.", func() float64 { return float64(value(d.poolState())) }, "state", state)
	}
	connections("used", func(s poolState) int { return s.used })
	connections("idle", func(s poolState) int { return s.idle })
	r.GaugeFunc("verbless_db_connections_max", "Most connections that there may be.", func() float64 { return float64(d.poolState().most) })
	r.CounterFunc("verbless_db_connection_waits_total", "How often somebody had to wait for a connection.", func() float64 { return float64(d.poolState().waits) })
	r.CounterFunc("verbless_db_connection_wait_seconds_total", "How long they waited.", func() float64 { return d.poolState().waited.Seconds() })
	if d.lite != nil {
		r.GaugeFunc("verbless_db_writers_waiting", "Transactions that wait for their turn to write.", func() float64 { return float64(d.lite.waiting.Load()) })
	}
}

// commit counts one commit of so many transactions.
func (c *counts) commit(began time.Time, members int, err error) {
	switch {
	case err == nil:
		c.committed.Add(1)
		c.members.Observe(int64(members))
	case fault.Is(err, fault.OutcomeUnknown):
		c.unknown.Add(1)
	default:
		c.failed.Add(1)
	}
	c.took.Took(time.Since(began))
}

// startCommit begins the span of a commit: from the end of the work until it is on disk.
func startCommit(ctx context.Context, engine string) *trace.Span {
	_, span := trace.Start(ctx, "COMMIT", trace.Client)
	span.Set("db.system.name", engine)
	span.Set("db.operation.name", "COMMIT")
	return span
}

// endSpan marks a span as failed only when the store failed: a refusal is an answer like any other.
func endSpan(span *trace.Span, err error) {
	if span != nil && err != nil {
		f := fault.As(Fault(err))
		if info, _ := fault.Lookup(f.Code); info.Kind == fault.KindInternal || info.Kind == fault.KindUnavailable {
			span.Fail(string(f.Code))
		}
	}
	span.End()
}

type poolState struct {
	used, idle, most int
	waits            int64
	waited           time.Duration
}

func (d *DB) poolState() poolState {
	if d.lite != nil {
		used, idle, most, waits, waited := d.readers.State()
		return poolState{used, idle, most, waits, waited}
	}
	s := d.pool.Stats()
	return poolState{s.InUse, s.Idle, s.MaxOpenConnections, s.WaitCount, s.WaitDuration}
}
