package db

import (
	"context"
	"database/sql"
	"errors"
)

// errUnfinished stands for a function that did not return: it panicked, or ended its goroutine.
var errUnfinished = errors.New("db: the function did not return")

// liteTx runs statements on the writing connection. Their context is never the caller's: an interrupt would roll back
// the work of the whole group, and watching a context costs a goroutine per statement.
type liteTx struct{ w *writer }

func (t liteTx) Query(_ context.Context, text string, args ...any) (*sql.Rows, error) {
	st, err := t.w.stmts.take(text)
	if err != nil {
		return nil, err
	}
	defer t.w.stmts.put(st)
	return st.QueryContext(context.Background(), args...)
}

func (t liteTx) QueryRow(_ context.Context, text string, args ...any) *sql.Row {
	st, err := t.w.stmts.take(text)
	if err != nil {
		return deadRow(t.w.pool, err)
	}
	defer t.w.stmts.put(st)
	return st.QueryRowContext(context.Background(), args...)
}

func (t liteTx) Exec(_ context.Context, text string, args ...any) (sql.Result, error) {
	st, err := t.w.stmts.take(text)
	if err != nil {
		return nil, err
	}
	defer t.w.stmts.put(st)
	return st.ExecContext(context.Background(), args...)
}

// script runs several statements at once.
func (t liteTx) script(_ context.Context, text string) error {
	_, err := t.w.conn.ExecContext(context.Background(), text)
	return err
}
