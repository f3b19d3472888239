// Package outbox is work that happens after a change, or by the clock.
//
// A task is put into the queue in the transaction of the change it follows, so it exists exactly when the change does. It is
// done at least once: a node that dies in the middle leaves it to another, so whoever does it must bear doing it again.
// A periodic job comes back by the clock, and each turn of it is taken by one node alone.
package outbox

import (
	"context"
	"embed"
	"log/slog"
	"sync"
	"time"

	"verbless/internal/db"
	"verbless/internal/stamp"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the tables of tasks and turns.
func Migrations() db.Migrations { return db.Embedded("outbox", files) }

// Job is work that comes back by the clock.
type Job struct {
	Name  string
	Every time.Duration
	Run   func(ctx context.Context) error
}

// Run looks after the jobs until ctx ends, then waits for those that run.
func Run(ctx context.Context, d *db.DB, log *slog.Logger, jobs ...Job) {
	var running sync.WaitGroup
	for _, job := range jobs {
		running.Go(func() {
			for {
				if err := Turn(ctx, d, job); err != nil && ctx.Err() == nil {
					log.Error("job failed", "job", job.Name, "error", err)
				}
				select {
				case <-ctx.Done():
					return
				case <-time.After(min(job.Every, time.Minute)):
				}
			}
		})
	}
	running.Wait()
}

// Turn runs a job if it is due and nobody else has taken the turn.
func Turn(ctx context.Context, d *db.DB, job Job) error {
	var next int64
	err := d.Reader(ctx).QueryRow(ctx, `SELECT COALESCE(MAX(next_at), 0) FROM periodic_jobs WHERE name = ?`, job.Name).Scan(&next)
	now := d.Now()
	if err != nil || next > stamp.Micros(now) {
		return db.Fault(err)
	}
	mine := false
	err = d.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		res, err := tx.Exec(ctx, `INSERT INTO periodic_jobs (name, next_at) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE periodic_jobs.next_at <= ?`,
			job.Name, stamp.Micros(now.Add(job.Every)), stamp.Micros(now))
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		mine = n == 1
		return err
	})
	if err != nil || !mine {
		return err
	}
	return job.Run(ctx)
}
