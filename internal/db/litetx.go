package db

import (
	"context"
	"errors"
)

// errUnfinished stands for a function that did not return: it panicked, or ended its goroutine.
var errUnfinished = errors.New("db: the function did not return")

// liteTx runs statements on the writing connection. Their context is never the caller's: an interrupt would roll back
// the work of the whole group.
type liteTx struct{ w *writer }

func (t liteTx) Query(_ context.Context, text string, args ...any) (Rows, error) {
	rows, err := t.w.conn.Query(context.Background(), text, bind(args))
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (t liteTx) QueryRow(ctx context.Context, text string, args ...any) Row {
	return only(t.Query(ctx, text, args...))
}

func (t liteTx) Exec(_ context.Context, text string, args ...any) (Result, error) {
	n, err := t.w.conn.Exec(context.Background(), text, bind(args))
	return affected(n), err
}

// script runs several statements at once.
func (t liteTx) script(_ context.Context, text string) error { return t.w.conn.Script(text) }
