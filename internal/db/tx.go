package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"verbless/internal/trace"
)

// Tx is a transaction. Only the goroutine that runs the function it was given to may use it.
type Tx struct {
	db     *DB
	raw    Querier // the connection, errors as the driver gives them
	script func(ctx context.Context, text string) error
	now    time.Time
	outer  *Tx // the transaction of another database, further out in the context
	after  []func()
	last   []func(ctx context.Context, tx *Tx) error
	open   []openRows  // a forgotten one would hold the connection for ever
	failed error       // the first statement that failed: only a rollback can follow
	over   atomic.Bool // committed or rolled back; a context may outlive its transaction
}

type txKey struct{}

func innermost(ctx context.Context) *Tx {
	tx, _ := ctx.Value(txKey{}).(*Tx)
	return tx
}

// current is the transaction of this database that ctx carries, if it still runs.
func (d *DB) current(ctx context.Context) *Tx {
	for tx := innermost(ctx); tx != nil; tx = tx.outer {
		if tx.db == d && !tx.over.Load() {
			return tx
		}
	}
	return nil
}

// begin makes the Tx for one run of a function, and the context that carries it.
func (d *DB) begin(ctx context.Context, raw Querier, script func(context.Context, string) error) (context.Context, *Tx) {
	tx := &Tx{db: d, raw: raw, script: script, now: d.Now(), outer: innermost(ctx)}
	return context.WithValue(ctx, txKey{}, tx), tx
}

// Write runs fn in one transaction. If ctx already carries a transaction of this DB, fn joins it, and its error must be
// passed on if its work is to be undone. fn may run more than once, and must not call Write with another context.
func (d *DB) Write(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	if tx := d.current(ctx); tx != nil {
		return fn(ctx, tx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	write := d.writePostgres
	if d.lite != nil {
		write = d.writeSQLite
	}
	ctx, span := trace.Start(ctx, "transaction", trace.Internal)
	tx, err := write(ctx, fn)
	endSpan(span, err)
	if err != nil {
		return Fault(err)
	}
	for _, hook := range tx.after {
		hook()
	}
	return nil
}

// Do is Write for callers that know nothing of SQL: the transaction travels in ctx.
func (d *DB) Do(ctx context.Context, fn func(ctx context.Context) error) error {
	return d.Write(ctx, func(ctx context.Context, _ *Tx) error { return fn(ctx) })
}

// Reader gives the transaction in ctx, or the read pool.
func (d *DB) Reader(ctx context.Context) Querier {
	if tx := d.current(ctx); tx != nil {
		return tx
	}
	return d.reader
}

// Quick is the context for reads that end sooner than it takes to watch one: on SQLite they are not cancelled.
func (d *DB) Quick(ctx context.Context) context.Context {
	if d.Postgres() {
		return ctx
	}
	return context.Background()
}

// AfterCommit runs fn after the transaction in ctx has committed, not when it is rolled back, and at once when there is none.
func AfterCommit(ctx context.Context, fn func()) {
	if tx := innermost(ctx); tx != nil && !tx.over.Load() {
		tx.after = append(tx.after, fn)
		return
	}
	fn()
}

// Last runs fn at the very end of the transaction, in the order asked for; its error undoes everything. On SQLite that is
// the end of the whole group: it is for work that is cheaper once than under every savepoint, such as an index of words.
func (t *Tx) Last(fn func(ctx context.Context, tx *Tx) error) { t.last = append(t.last, fn) }

// runLast runs what was put off. A panic becomes an error, because others may depend on the commit.
func runLast(ctx context.Context, tx *Tx, fns []func(context.Context, *Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("db: panic at the end of a transaction: %v", p)
		}
	}()
	for _, fn := range fns {
		if err := fn(ctx, tx); err != nil {
			return err
		}
	}
	return tx.failed
}

// Now is the time of the transaction: the same for everything in it.
func (t *Tx) Now() time.Time { return t.now }

// Next takes the next number of a counter, from 1. A rollback gives it back, so there are no gaps; others wait for it.
func (t *Tx) Next(ctx context.Context, counter string) (int64, error) {
	var n int64
	err := t.QueryRow(ctx, `INSERT INTO counters (name, value) VALUES (?, 1)
		ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`, counter).Scan(&n)
	return n, Fault(err)
}

// Query runs a statement that gives rows.
func (t *Tx) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	if err := t.unusable(); err != nil {
		return nil, err
	}
	rows, err := t.raw.Query(ctx, text, args...)
	if err != nil {
		return nil, t.note(err)
	}
	t.remember(rows.(openRows))
	return rows, nil
}

// QueryRow runs a statement that gives one row.
func (t *Tx) QueryRow(ctx context.Context, text string, args ...any) Row {
	return only(t.Query(ctx, text, args...))
}

// Exec runs a statement that gives no rows.
func (t *Tx) Exec(ctx context.Context, text string, args ...any) (Result, error) {
	if err := t.unusable(); err != nil {
		return nil, err
	}
	res, err := t.raw.Exec(ctx, text, args...)
	return res, t.note(err)
}

// note translates an error and remembers it: PostgreSQL has given up the transaction, and SQLite may have.
func (t *Tx) note(err error) error {
	if err == nil {
		return nil
	}
	if t.db.lite != nil {
		t.db.lite.suspect(err)
	}
	err = Fault(err)
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// Note translates an error that came while rows of q were read; a transaction remembers it.
func Note(q Querier, err error) error {
	if tx, ok := q.(*Tx); ok {
		return tx.note(err)
	}
	return Fault(err)
}

// end closes what was left open; afterwards nothing can be done with the transaction.
func (t *Tx) end() {
	t.over.Store(true)
	for _, rows := range t.open {
		rows.Close()
	}
	t.open = nil
}

// remember keeps rows until they are closed.
func (t *Tx) remember(rows openRows) {
	if rows.Over() {
		return
	}
	if len(t.open) >= 16 {
		t.open = slices.DeleteFunc(t.open, openRows.Over)
	}
	t.open = append(t.open, rows)
}

// verdict is what a run came to: a failed statement counts even when fn kept silent about it.
func (t *Tx) verdict(err error) error {
	if err == nil {
		return t.failed
	}
	return err
}

func (t *Tx) unusable() error {
	if t.over.Load() {
		return errors.New("db: the transaction is over")
	}
	return t.failed
}
