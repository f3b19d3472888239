package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	pgTries         = 10
	rollbackTimeout = 5 * time.Second
)

// writePostgres runs fn in a transaction, and again when it lost a race to another one.
func (d *DB) writePostgres(ctx context.Context, fn func(context.Context, *Tx) error) (*Tx, error) {
	for try := 1; ; try++ {
		tx, err := d.oncePostgres(ctx, fn)
		if err == nil || try == pgTries || !raced(err) {
			return tx, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rand.N(time.Millisecond << min(try, 7))):
		}
	}
}

// raced tells whether the server undid the transaction for the sake of another: serialization failure or deadlock.
func raced(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "40001" || pg.Code == "40P01")
}

func (d *DB) oncePostgres(ctx context.Context, fn func(context.Context, *Tx) error) (*Tx, error) {
	conn, err := d.beginPostgres(ctx)
	if err != nil {
		return nil, err
	}
	raw := pgTx{conn, d.texts}
	inner, tx := d.begin(ctx, raw, raw.script)
	committed := false
	defer func() { // also when fn panics
		tx.end()
		if !committed {
			raw.rollback(ctx)
		}
		conn.Close()
	}()
	if err = fn(inner, tx); err == nil {
		err = runLast(inner, tx, tx.last)
	}
	tx.end()
	if raced(tx.failed) {
		err = tx.failed // whatever fn made of it, running again is the answer
	}
	if err = tx.verdict(err); err == nil {
		err = ctx.Err() // the last moment at which giving up is certain
	}
	if err != nil {
		return nil, err
	}
	committed = true // or not known: there is nothing to roll back
	began, span := time.Now(), startCommit(inner, "postgresql")
	err = raw.commit(ctx)
	d.counts.commit(began, 1, err)
	endSpan(span, err)
	return tx, err
}

// beginPostgres opens a transaction. A pooled connection may have died unseen; nothing was done on it, so others are tried.
func (d *DB) beginPostgres(ctx context.Context) (*sql.Conn, error) {
	for try := 1; ; try++ {
		conn, err := d.pool.Conn(ctx)
		if err != nil {
			return nil, err
		}
		err = control(ctx, conn, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", "BEGIN")
		if err == nil {
			return conn, nil
		}
		discard(conn)
		if try == 2 || !lost(err) || ctx.Err() != nil {
			return nil, err
		}
	}
}

type pgTx struct {
	conn  *sql.Conn
	texts *placeholders
}

func (t pgTx) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	return pgAnswer(t.conn.QueryContext(ctx, t.texts.numbered(text), planned(bind(args))...))
}

func (t pgTx) QueryRow(ctx context.Context, text string, args ...any) Row {
	return only(t.Query(ctx, text, args...))
}

func (t pgTx) Exec(ctx context.Context, text string, args ...any) (Result, error) {
	return t.conn.ExecContext(ctx, t.texts.numbered(text), bind(args)...)
}

// script runs several statements at once; without arguments the driver sends them as they are.
func (t pgTx) script(ctx context.Context, text string) error {
	_, err := t.conn.ExecContext(ctx, text)
	return err
}

// commit is not cancelled by the caller: once it is sent, only its answer tells what happened.
func (t pgTx) commit(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), statementTimeout)
	defer cancel()
	err := control(ctx, t.conn, "COMMIT", "COMMIT")
	if err == nil {
		return nil
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Severity == "ERROR" || pg.SeverityUnlocalized == "ERROR") || errors.Is(err, errUndone) {
		return err // the server says that it rolled back
	}
	discard(t.conn)
	return outcomeUnknown(err) // a lost connection, or a server that died: it may have been before or after
}

func (t pgTx) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	if control(ctx, t.conn, "ROLLBACK", "ROLLBACK") != nil {
		discard(t.conn)
	}
}

var errUndone = errors.New("db: the transaction had already failed and was rolled back")

// control sends a statement and insists on the server's word for it: COMMIT of a failed transaction answers ROLLBACK, without an error.
func control(ctx context.Context, conn *sql.Conn, text, want string) error {
	return conn.Raw(func(c any) error {
		tag, err := c.(*stdlib.Conn).Conn().Exec(ctx, text)
		if err == nil && tag.String() != want {
			return errUndone
		}
		return err
	})
}

// discard takes a connection out of the pool.
func discard(conn *sql.Conn) {
	conn.Raw(func(any) error { return driver.ErrBadConn })
	conn.Close()
}
