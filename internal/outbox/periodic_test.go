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
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestOneTurnForAllNodes lets many nodes want the same turn: one takes it, and the next comes with the clock.
func TestOneTurnForAllNodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open(outbox.Migrations())
		var runs atomic.Int32
		job := outbox.Job{Name: "count", Every: time.Hour, Run: func(context.Context) error { runs.Add(1); return nil }}
		var nodes sync.WaitGroup
		for range 10 {
			nodes.Go(func() {
				if err := outbox.Turn(t.Context(), d, job); err != nil {
					t.Error(err)
				}
			})
		}
		nodes.Wait()
		if runs.Load() != 1 {
			t.Errorf("the turn was taken %d times", runs.Load())
		}
		later := func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE periodic_jobs SET next_at = next_at - ?`, time.Hour.Microseconds())
			return err
		}
		if err := d.Write(t.Context(), later); err != nil {
			t.Fatal(err)
		}
		failing := outbox.Job{Name: "count", Every: time.Hour, Run: func(context.Context) error { return errors.New("broken") }}
		if err := outbox.Turn(t.Context(), d, failing); err == nil {
			t.Error("a job's error was lost")
		}
		if err := outbox.Turn(t.Context(), d, job); err != nil || runs.Load() != 1 {
			t.Errorf("the turn after a failure came at once: %v", err)
		}
	})
}

// TestRunEnds starts the jobs and ends them with the context.
func TestRunEnds(t *testing.T) {
	d := dbtest.Open(t, dbtest.SQLite(t), outbox.Migrations())
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		outbox.Run(ctx, d, slog.New(slog.DiscardHandler), outbox.Job{Name: "once", Every: time.Hour, Run: func(context.Context) error { close(ran); return nil }})
	}()
	<-ran
	cancel()
	<-done
}
