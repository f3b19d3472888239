package db

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"verbless/internal/fault"
	"verbless/internal/lite"
	"verbless/internal/trace"
)

// A group is as large as waiting writers make it, within these limits.
const (
	groupSize = 128
	groupTime = 20 * time.Millisecond
)

// writer is the one connection that writes to SQLite. Writers that wait for each other form a group: each runs its
// function in the group's transaction, under a savepoint, and the last one commits for all. There is no goroutine
// behind it: whoever holds the lock when nobody else waits does the commit.
type writer struct {
	db   *DB
	file string

	waiting atomic.Int32 // writers that want mu; each of them will get it
	mu      sync.Mutex
	conn    *lite.Conn // nil when there is none; the next writer opens it
	closed  bool
	group   *group // the open transaction, nil when there is none

	patience time.Duration // how long a group may stay open for more

	poison atomic.Pointer[error]   // an I/O error: what is on disk is no longer certain
	hook   func(text string) error // tests put errors here, by the text of BEGIN, COMMIT and so on
}

// group is one transaction of several members.
type group struct {
	members int                                // whose work is in it
	last    []func(context.Context, *Tx) error // what they put off to the end
	began   time.Time
	done    chan struct{}
	err     error // of COMMIT, for all
	broken  bool  // rolled back as a whole: whoever waits must run again, alone
}

// disconnect gives up the connection with whatever was open on it.
func (w *writer) disconnect() error {
	err := w.conn.Close()
	w.conn = nil
	return err
}

// control runs BEGIN, COMMIT and the like.
func (w *writer) control(text string) error {
	if w.hook != nil {
		if err := w.hook(text); err != nil {
			w.suspect(err)
			return err
		}
	}
	_, err := w.conn.Exec(context.Background(), text, nil)
	w.suspect(err)
	return err
}

// suspect refuses all further writes after an I/O error: the kernel forgets what it could not write, so that a second
// fsync would succeed without the data. Only a new start reads what is really there.
func (w *writer) suspect(err error) {
	code, ok := sqliteCode(err)
	if !ok || code&0xff != codeIOErr || code == codeIOErrNoMem {
		return
	}
	if w.poison.CompareAndSwap(nil, &err) {
		w.db.log.Error("the disk failed under the database: no more writes are taken until the service is started again", slog.Any("error", err))
	}
}

// refusal is the answer to writes after an I/O error.
func (w *writer) refusal() error {
	if cause := w.poison.Load(); cause != nil {
		return fault.New(fault.Unavailable, "The disk under the database failed. Nothing is written until the service is started again.").After(30 * time.Second).Because(*cause)
	}
	return nil
}

func (d *DB) writeSQLite(ctx context.Context, fn func(context.Context, *Tx) error) (*Tx, error) {
	tx, again, err := d.lite.member(ctx, fn, false)
	if again {
		tx, _, err = d.lite.member(ctx, fn, true)
	}
	return tx, err
}

// member runs fn in the open group, or opens one, and waits for its end. alone keeps others out.
// again tells that the group broke through no fault of fn, and that fn must be run once more.
func (w *writer) member(ctx context.Context, fn func(context.Context, *Tx) error, alone bool) (_ *Tx, again bool, _ error) {
	w.waiting.Add(1)
	w.mu.Lock() // not to be cancelled: the one before may count on this one to commit
	w.waiting.Add(-1)

	if err := ctx.Err(); err != nil {
		w.settle(false)
		w.mu.Unlock()
		return nil, false, err
	}
	g, err := w.enter(alone)
	if err != nil {
		w.mu.Unlock()
		return nil, false, err
	}
	ctx, tx := w.db.begin(ctx, liteTx{w}, liteTx{w}.script)
	guilty := false
	var span *trace.Span
	func() {
		err = errUnfinished
		defer func() { // also when fn panics: that goes on in its own caller, after the others are safe
			tx.end()
			if tx.verdict(err) == nil {
				span = startCommit(ctx, "sqlite")
			}
			guilty = w.leave(g, tx, tx.verdict(err), alone)
			w.mu.Unlock()
		}()
		err = fn(ctx, tx)
	}()
	err = tx.verdict(err)

	<-g.done // also after an error: it may rest on work of others that is not yet committed
	span.SetInt("verbless.commit.transactions", g.members)
	endSpan(span, g.err)
	switch {
	case g.broken && !guilty:
		return nil, true, nil
	case err != nil && g.err != nil:
		return nil, false, unavailable(g.err) // nothing of fn was kept, but its reason is in doubt
	case err != nil:
		return nil, false, err
	}
	return tx, false, g.err
}

// enter opens a group, or a savepoint in the open one.
func (w *writer) enter(alone bool) (*group, error) {
	if w.group != nil && alone {
		w.commit()
	}
	if err := w.refusal(); err != nil {
		return nil, err // no group is open: the one that met the error was broken up
	}
	if w.group != nil {
		if err := w.control("SAVEPOINT member"); err != nil {
			w.breakUp()
			return nil, err
		}
		return w.group, nil
	}
	if err := w.connect(); err != nil {
		return nil, unavailable(err)
	}
	if err := w.control("BEGIN IMMEDIATE"); err != nil {
		w.disconnect()
		return nil, err
	}
	w.group = &group{began: time.Now(), done: make(chan struct{})}
	return w.group, nil
}

// leave keeps or undoes what a member did, and commits if it is the last. It tells whether the member's own error broke the group.
func (w *writer) leave(g *group, tx *Tx, err error, alone bool) (guilty bool) {
	switch {
	case g.members == 0 && err != nil: // the first has no savepoint: nobody else is in the transaction
		if w.control("ROLLBACK") != nil { // SQLite was faster
			w.disconnect()
		}
		w.group = nil
		close(g.done)
		return true
	case g.members == 0:
	case err != nil:
		undone := w.control("ROLLBACK TO member") == nil && w.control("RELEASE member") == nil
		if !undone || w.refusal() != nil { // after an I/O error nothing is committed, also not for others
			w.breakUp()
			return true
		}
		w.settle(alone)
		return false
	default:
		if w.control("RELEASE member") != nil {
			w.breakUp()
			return false
		}
	}
	g.members++
	g.last = append(g.last, tx.last...)
	w.settle(alone)
	return false
}

// settle commits, unless another writer waits and can do it.
func (w *writer) settle(now bool) {
	g := w.group
	if g == nil {
		return
	}
	if now || w.waiting.Load() == 0 || g.members >= groupSize || time.Since(g.began) >= w.patience {
		w.commit()
	}
}

// commit ends the group for all its members.
func (w *writer) commit() {
	g := w.group
	w.group = nil
	defer close(g.done)
	if err := w.finish(g); err != nil { // nothing was committed, for certain
		w.disconnect()
		if g.broken = g.members > 1; !g.broken {
			g.err = Fault(err)
		}
		return
	}
	began := time.Now()
	err := w.control("COMMIT")
	defer func() { w.db.counts.commit(began, g.members, cmp.Or(g.err, err)) }()
	if err == nil {
		return
	}
	code, _ := sqliteCode(err)
	w.disconnect() // rolls back if SQLite has not, and no state is left in doubt
	switch {
	case code&0xff == codeFull: // the frame that makes a commit is the last to be written to the log, and was not: nothing is kept
		g.err = Fault(err)
	case code&0xff != codeConstraint:
		g.err = outcomeUnknown(err)
		w.db.log.Error("a commit failed", slog.Any("error", err), slog.Int("writers", g.members))
	case g.members > 1: // a deferred constraint: one broke it, so each must try alone
		g.broken = true
	default:
		g.err = Fault(err)
	}
}

// finish does what the members put off to the end.
func (w *writer) finish(g *group) error {
	if len(g.last) == 0 {
		return nil
	}
	ctx, tx := w.db.begin(context.Background(), liteTx{w}, liteTx{w}.script)
	defer tx.end()
	return runLast(ctx, tx, g.last)
}

// breakUp gives up a transaction that SQLite has rolled back as a whole.
func (w *writer) breakUp() {
	g := w.group
	w.group = nil
	g.broken = true
	w.disconnect()
	close(g.done)
}

// close waits for the last commit and moves the log into the main file.
func (w *writer) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn != nil && w.refusal() == nil {
		var busy, pages, moved int
		row := liteTx{w}.QueryRow(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
		if err := row.Scan(&busy, &pages, &moved); err != nil {
			w.db.log.Warn("the log was not moved into the database file; the next start does it", slog.Any("error", err))
		}
	}
	w.closed = true
	if w.conn == nil {
		return nil
	}
	return w.disconnect()
}
