package db_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/query"
)

// Columns look the same on both engines, one by one and scanned, in a transaction and outside.
func TestRows(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		made := add(t, ctx, thingTable(d), thing{Name: "x", Rank: 7, Ready: true, Tags: []string{"a"}})
		const text = "SELECT name, rank, ready, note FROM things WHERE id = ?"
		check := func(q db.Querier) {
			rows, err := q.Query(ctx, text, made.ID)
			ok(t, err)
			defer rows.Close()
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
			name, isText := rows.Text(0)
			rank, isInt := rows.Int(1)
			ready, isBool := rows.Int(2)
			if name != "x" || rank != 7 || ready != 1 || !isText || !isInt || !isBool || !rows.Null(3) || rows.Null(0) {
				t.Errorf("%q %v, %d %v, %d %v", name, isText, rank, isInt, ready, isBool)
			}
			_, isInt = rows.Int(0)
			_, isText = rows.Text(1)
			if _, nothing := rows.Text(3); isInt || isText || nothing {
				t.Error("a column of another kind was accepted")
			}
			if rows.Value(0) != any("x") || rows.Value(1) != any(int64(7)) || rows.Value(3) != nil {
				t.Errorf("%#v %#v %#v", rows.Value(0), rows.Value(1), rows.Value(3))
			}
			var (
				s    state
				n    int
				b    bool
				note sql.NullString
			)
			ok(t, rows.Scan(&s, &n, &b, &note))
			if s != "x" || n != 7 || !b || note.Valid {
				t.Errorf("%v %v %v %v", s, n, b, note)
			}
			if rows.Next() || rows.Err() != nil {
				t.Errorf("a second row, or %v", rows.Err())
			}
			if err := q.QueryRow(ctx, text, "nobody").Scan(&s, &n, &b, &note); !errors.Is(err, sql.ErrNoRows) {
				t.Errorf("got %v", err)
			}
		}
		check(d.Reader(ctx))
		ok(t, d.Write(ctx, func(_ context.Context, tx *db.Tx) error { check(tx); return nil }))
		ok(t, d.Write(ctx, func(_ context.Context, tx *db.Tx) error {
			res, err := tx.Exec(ctx, "UPDATE things SET rank = 8")
			ok(t, err)
			if n, err := res.RowsAffected(); n != 1 || err != nil {
				t.Errorf("%d rows, %v", n, err)
			}
			return err
		}))
	})
}

// A list that nobody waits for any more ends, and says that it was cancelled, not that the database failed.
func TestCancelledList(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open(things)
		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			rows, err := d.Reader(ctx).Query(ctx, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000) SELECT i FROM n")
			ok(t, err)
			rows.Next()
			cancel()
			for rows.Next() {
			}
			if err := db.Fault(rows.Err()); !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
			if _, err := thingTable(d).List(ctx, query.List{Limit: 1}); !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v", err)
			}
		}
		ok(t, d.Ping(t.Context()))
	})
}

// Rows of a transaction that nobody closed, of one text and of many, hold up neither the transaction nor the next.
func TestForgottenInTransaction(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	for i := range 3 {
		ok(t, d.Write(t.Context(), insertBox(i)))
	}
	var left []db.Rows
	for range 2 {
		ok(t, d.Write(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			for range 40 {
				rows, err := tx.Query(ctx, "SELECT id FROM boxes")
				ok(t, err)
				rows.Next()
				left = append(left, rows)
				ok(t, tx.QueryRow(ctx, "SELECT name FROM boxes").Err())
			}
			return nil
		}))
	}
	for _, rows := range left {
		if rows.Next() {
			t.Fatal("rows outlived their transaction")
		}
		ok(t, rows.Close())
	}
	ok(t, d.Write(t.Context(), insertBox(3)))
	if count(t, d, "SELECT COUNT(*) FROM boxes") != 4 {
		t.Fatal("a box is missing")
	}
}
