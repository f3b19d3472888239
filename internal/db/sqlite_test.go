package db_test

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/query"
	"verbless/internal/table"
)

func TestSQLiteSettings(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	check := func(q db.Querier, want map[string]string) {
		for name, value := range want {
			var got string
			ok(t, q.QueryRow(t.Context(), "PRAGMA "+name).Scan(&got))
			if got != value {
				t.Errorf("%s is %s, want %s", name, got, value)
			}
		}
	}
	both := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000"}
	check(d.Reader(t.Context()), both)
	check(d.Reader(t.Context()), map[string]string{"query_only": "1"})
	ok(t, d.Write(t.Context(), func(_ context.Context, tx *db.Tx) error {
		check(tx, both)
		check(tx, map[string]string{"query_only": "0"})
		return nil
	}))
	var n int
	if d.Reader(t.Context()).QueryRow(t.Context(), `SELECT "misspelt" FROM boxes`).Scan(&n) == nil {
		t.Error("a misspelt column became a string")
	}
}

// More texts than the caches hold, some of them still being read.
func TestManyStatements(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	for i := range 3 {
		ok(t, d.Write(t.Context(), insertBox(i)))
	}
	read := func(q db.Querier) error {
		open, err := q.Query(t.Context(), "SELECT id FROM boxes ORDER BY id")
		if err != nil {
			return err
		}
		defer open.Close()
		open.Next()
		for i := range 600 {
			var n int
			if err := q.QueryRow(t.Context(), fmt.Sprintf("SELECT COUNT(*) + %d FROM boxes", i)).Scan(&n); err != nil || n != i+3 {
				return fmt.Errorf("%d: %d, %w", i, n, err)
			}
		}
		rest := 0
		for open.Next() {
			rest++
		}
		if rest != 2 {
			return fmt.Errorf("%d rows left", rest)
		}
		return open.Err()
	}
	ok(t, read(d.Reader(t.Context())))
	for range 2 {
		ok(t, d.Write(t.Context(), func(_ context.Context, tx *db.Tx) error { return read(tx) }))
	}
}

// point has a column form of its own.
type point struct{ x, y int }

func (p point) Value() (driver.Value, error) { return []byte(fmt.Sprintf("%d/%d", p.x, p.y)), nil }

func (p *point) Scan(v any) error {
	if v == nil {
		return nil
	}
	s, isText := v.(string)
	if !isText {
		return errors.New("not text")
	}
	_, err := fmt.Sscanf(s, "%d/%d", &p.x, &p.y)
	return err
}

type shape struct {
	ID    int64     `db:"id,key"`
	At    point     `db:"at"`
	To    *point    `db:"towards"`
	Words []string  `db:"words"`
	Raw   []byte    `db:"raw"`
	Seen  time.Time `db:"seen"`
}

func TestOwnTypes(t *testing.T) {
	t.Parallel()
	shapes := schema("shapes", "0001_shapes.sql",
		"CREATE TABLE shapes (id BIGINT PRIMARY KEY, at TEXT, towards TEXT, words TEXT, raw TEXT, seen BIGINT)")
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(shapes), t.Context()
		table := table.New(d, table.Config[shape]{Name: "shapes"})
		awkward := []string{"", `a","b`, `\`, "é<&>", "[]", " x ", "\x00"[:0]}
		made := add(t, ctx, table, shape{At: point{1, 2}, To: &point{3, 4}, Words: awkward, Raw: []byte("raw")})
		got, err := table.Get(ctx, byID(made.ID))
		ok(t, err)
		if got.At != made.At || *got.To != *made.To || fmt.Sprintf("%q", got.Words) != fmt.Sprintf("%q", awkward) || string(got.Raw) != "raw" || !got.Seen.IsZero() {
			t.Fatalf("%+v", got)
		}
		c, err := update(ctx, table, made.ID, func(s *shape) { s.To = &point{3, 4} })
		ok(t, err)
		if c.Now != c.Was {
			t.Fatal("equal values are not equal")
		}
		_, err = update(ctx, table, made.ID, func(s *shape) { s.To, s.Raw = nil, nil })
		ok(t, err)
		page, err := table.List(ctx, query.List{Where: []query.Cond{query.Any("towards", nil), query.Any("raw", nil), query.Is("at", "1/2")}})
		ok(t, err)
		if len(page.Rows) != 1 || page.Rows[0].To != nil || page.Rows[0].Raw != nil {
			t.Fatalf("%+v", page)
		}
		// Statements written by hand take the same values.
		at := time.Date(2026, 5, 6, 7, 8, 9, 1000, time.UTC)
		ok(t, d.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE shapes SET seen = ?, raw = ? WHERE id = ?", at, json.RawMessage(`{}`), made.ID)
			return err
		}))
		if n := count(t, d, "SELECT COUNT(*) FROM shapes WHERE seen = ? AND raw = '{}' AND at = ?", &at, []byte("1/2")); n != 1 {
			t.Fatal("not found again")
		}
		if _, err := table.Change(ctx, change.System, nil, func(*shape) (*shape, error) { return nil, errRefused }); !errors.Is(err, errRefused) {
			t.Fatal(err)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "sqlite:", "file.db"} {
		if _, err := db.Open(t.Context(), db.Options{URL: address}); err == nil {
			t.Errorf("%q was accepted", address)
		}
	}
	if _, err := db.Open(t.Context(), db.Options{URL: "sqlite:/dev/null/x.db"}); err == nil || !strings.Contains(err.Error(), "open the database") {
		t.Errorf("got %v", err)
	}
}
