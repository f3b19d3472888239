package db

import (
	"context"
	"database/sql"
)

// Querier runs SQL with ? placeholders. Exec is only sensible in a transaction.
// Errors come as faults, except those met while rows are read: give these to Fault or Note.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) Row
	Exec(ctx context.Context, sql string, args ...any) (Result, error)
}

// Result is what a statement without rows has done.
type Result interface {
	RowsAffected() (int64, error)
}

// affected is how many rows a statement has changed.
type affected int64

func (n affected) RowsAffected() (int64, error) { return int64(n), nil }

// Rows are read one after the other. Whoever stops before the end must call Close.
//
// Between Next and the following Next or Close the columns can be taken with Scan, or one by one and as they are, which
// costs less: the second result tells whether the column holds that.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error

	Null(column int) bool
	Int(column int) (int64, bool)   // also a boolean, as 0 or 1
	Text(column int) (string, bool) // also bytes
	Value(column int) any           // nil, int64, float64, bool, string or []byte
}

// openRows are rows that a transaction may have to close.
type openRows interface {
	Rows
	Over() bool
}

// Row is at most one row, as QueryRow gives it. Outside of a transaction, one that is never scanned holds its connection.
type Row struct {
	rows Rows
	err  error
}

// only makes a Row of the answer of Query.
func only(rows Rows, err error) Row { return Row{rows, err} }

// Err is the error of the statement; that of an empty answer comes with Scan.
func (r Row) Err() error { return r.err }

// Scan reads the row and lets go of it. Without a row it gives sql.ErrNoRows.
func (r Row) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	return r.rows.Close()
}
