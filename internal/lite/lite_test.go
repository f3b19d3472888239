package lite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
)

// count is a list that takes as long as one likes.
const count = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n"

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "a file?.db") }

func connect(t testing.TB, settings ...string) *Conn {
	t.Helper()
	c, err := Create(file(t), settings...)
	ok(t, err)
	t.Cleanup(func() { ok(t, c.Close()) })
	return c
}

// pool is one of two connections, and knows how many were opened.
func pool(t testing.TB) (p *Pool, opened *int) {
	name := file(t)
	opened = new(int)
	p = NewPool(2, func() (*Conn, error) { *opened++; return Create(name) })
	t.Cleanup(func() { ok(t, p.Close()) })
	return p, opened
}

func TestScanEveryType(t *testing.T) {
	t.Parallel()
	type word string
	type small int8
	c := connect(t)
	for _, test := range []struct {
		column string
		dest   any
		want   any // a string that begins with ! is part of the error
	}{
		{"'x'", new(string), "x"},
		{"7", new(string), "7"},
		{"x'6162'", new(string), "ab"},
		{"'x'", new(word), word("x")},
		{"NULL", new(string), "!NULL"},
		{"-9223372036854775808", new(int64), int64(-1 << 63)},
		{"'12'", new(int64), int64(12)},
		{"'x'", new(int64), "!invalid syntax"},
		{"1.5", new(int64), "!invalid syntax"},
		{"NULL", new(int64), "!NULL"},
		{"8", new(int), 8},
		{"127", new(small), small(127)},
		{"128", new(small), "!out of range"},
		{"1", new(bool), true},
		{"0", new(bool), false},
		{"'true'", new(bool), true},
		{"'perhaps'", new(bool), "!invalid syntax"},
		{"1.5", new(float64), 1.5},
		{"'x'", new([]byte), []byte("x")},
		{"x''", new([]byte), []byte{}},
		{"NULL", new([]byte), []byte(nil)},
		{"NULL", new(any), nil},
		{"1", new(any), int64(1)},
		{"1.5", new(any), 1.5},
		{"'x'", new(any), "x"},
		{"x'61'", new(any), []byte("a")},
		{"NULL", new(*string), (*string)(nil)},
		{"3", new(sql.NullInt64), sql.NullInt64{Int64: 3, Valid: true}},
		{"NULL", new(sql.NullInt64), sql.NullInt64{}},
		{"'x'", new(sql.NullString), sql.NullString{String: "x", Valid: true}},
		{"1", new(sql.NullBool), sql.NullBool{Bool: true, Valid: true}},
		{"1", new(struct{}), "!cannot hold"},
		{"1", 1, "!cannot hold"},
		{"1", (*word)(nil), "!cannot hold"},
	} {
		rows, err := c.Query(t.Context(), "SELECT "+test.column, nil)
		ok(t, err)
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		err = rows.Scan(test.dest)
		rows.Close()
		if part, wrong := test.want.(string); wrong && strings.HasPrefix(part, "!") {
			if err == nil || !strings.Contains(err.Error(), part[1:]) {
				t.Errorf("%s into a %T: got %v", test.column, test.dest, err)
			}
			continue
		}
		got := reflect.ValueOf(test.dest).Elem().Interface()
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s into a %T: got %#v, %v", test.column, test.dest, got, err)
		}
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	type word string
	c := connect(t)
	given := []any{nil, "a\x00b", int64(5), 6, true, 2.5, []byte{0, 1}, word("w"), sql.NullString{}, new("p")}
	rows, err := c.Query(t.Context(), "SELECT "+strings.Repeat("?, ", len(given)-1)+"?", given)
	ok(t, err)
	defer rows.Close()
	if rows.Scan() == nil {
		t.Error("a Scan before Next")
	}
	rows.Next()
	if err := rows.Scan(new(any)); err == nil || !strings.Contains(err.Error(), "10 columns") {
		t.Errorf("got %v", err)
	}
	var got []any
	for i := range given {
		got = append(got, rows.Value(i))
		_, number := rows.Int(i)
		_, text := rows.Text(i)
		if kinds := []bool{rows.Null(i), number, text}; fmt.Sprint(kinds) != []string{
			"[true false false]", "[false false true]", "[false true false]", "[false true false]", "[false true false]",
			"[false false false]", "[false false true]", "[false false true]", "[true false false]", "[false false true]"}[i] {
			t.Errorf("column %d: %v", i, kinds)
		}
	}
	if want := []any{nil, "a\x00b", int64(5), int64(6), int64(1), 2.5, []byte{0, 1}, "w", nil, "p"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v", got)
	}
	for _, args := range [][]any{{}, {1, 2}, {struct{}{}}, {time.Now()}} {
		if _, err := c.Query(t.Context(), "SELECT ?", args); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}

// However many texts there are, a bounded number of statements is kept, the latest among them.
func TestStatementsAreBounded(t *testing.T) {
	t.Parallel()
	c := connect(t)
	open, err := c.Query(t.Context(), count, []any{3})
	ok(t, err)
	for i := range 3 * statementsKept {
		_, err := c.Exec(t.Context(), fmt.Sprintf("SELECT %d", i), nil)
		ok(t, err)
		_, err = c.Exec(t.Context(), "SELECT 'always'", nil)
		ok(t, err)
	}
	if len(c.stmts) != statementsKept || c.stmts["SELECT 'always'"] == nil || c.stmts["SELECT 0"] != nil {
		t.Errorf("%d statements are kept", len(c.stmts))
	}
	if got := all(open); fmt.Sprint(got) != "[1 2 3]" || open.Err() != nil {
		t.Errorf("rows that were open: %v, %v", got, open.Err())
	}
}

func all(rows *Rows) (got []int64) {
	for rows.Next() {
		n, _ := rows.Int(0)
		got = append(got, n)
	}
	return got
}

// The same text twice at once: each has its own place.
func TestSameTextTwice(t *testing.T) {
	t.Parallel()
	c := connect(t)
	outer, err := c.Query(t.Context(), count, []any{3})
	ok(t, err)
	for outer.Next() {
		inner, err := c.Query(t.Context(), count, []any{2})
		ok(t, err)
		if got := all(inner); fmt.Sprint(got) != "[1 2]" {
			t.Errorf("got %v", got)
		}
	}
	ok(t, outer.Err())
}

// Rows that came to an end, or to an error, hold nothing although nobody closed them.
func TestForgottenRows(t *testing.T) {
	t.Parallel()
	p, opened := pool(t)
	for range 10 {
		rows, err := p.Query(t.Context(), count, []any{3})
		ok(t, err)
		all(rows)
		_, err = p.Query(t.Context(), "SELECT 1 WHERE 1 = 0", nil) // no rows at all
		ok(t, err)
		for _, wrong := range []string{"SELECT nothing", "SELECT 1; SELECT 2", "SELECT ?", "SELECT abs(-9223372036854775808)"} {
			if _, err = p.Query(t.Context(), wrong, nil); err == nil {
				t.Fatalf("%s is right", wrong)
			}
		}
		late, err := p.Query(t.Context(), "SELECT 1 UNION ALL SELECT abs(-9223372036854775808)", nil)
		ok(t, err)
		if got := all(late); len(got) != 1 || late.Err() == nil {
			t.Fatalf("got %v, %v", got, late.Err())
		}
	}
	if *opened != 1 || len(p.slots) != 0 {
		t.Errorf("%d connections, %d in use", *opened, len(p.slots))
	}
}

// More lists than connections: those who find none wait, unless they give up.
func TestPoolExhausted(t *testing.T) {
	t.Parallel()
	p, opened := pool(t)
	var held []*Rows
	for range 2 {
		rows, err := p.Query(t.Context(), count, []any{100})
		ok(t, err)
		held = append(held, rows)
	}
	impatient, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	go func() {
		_, err := p.Query(impatient, count, []any{1})
		gaveUp <- err
	}()
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var others sync.WaitGroup
	for range 20 {
		others.Go(func() {
			rows, err := p.Query(t.Context(), count, []any{100})
			if err != nil {
				t.Error(err)
			} else if got := all(rows); len(got) != 100 || rows.Err() != nil {
				t.Errorf("%d rows, %v", len(got), rows.Err())
			}
		})
	}
	for _, rows := range held {
		ok(t, rows.Close())
		ok(t, rows.Close())
	}
	others.Wait()
	if *opened != 2 || len(p.slots) != 0 {
		t.Errorf("%d connections, %d in use", *opened, len(p.slots))
	}
}

func TestPoolClosed(t *testing.T) {
	t.Parallel()
	p, _ := pool(t)
	rows, err := p.Query(t.Context(), count, []any{3})
	ok(t, err)
	ok(t, p.Close())
	if got := all(rows); len(got) != 3 || rows.Err() != nil {
		t.Errorf("%v, %v", got, rows.Err())
	}
	if _, err := p.Query(t.Context(), count, []any{3}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// The end of a context stops a list at once, and only that list.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	p, opened := pool(t)
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := p.Query(ctx, count, []any{1 << 60})
		ok(t, err)
		rows.Next()
		cancel()
		for rows.Next() {
		}
		if !errors.Is(rows.Err(), context.Canceled) {
			t.Fatalf("got %v", rows.Err())
		}
		rows, err = p.Query(t.Context(), count, []any{3})
		ok(t, err)
		if got := all(rows); len(got) != 3 {
			t.Fatalf("the next is stopped too: %v, %v", got, rows.Err())
		}
	}
	// In the midst of a step, and before the first row.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.Query(ctx, "SELECT COUNT(*) FROM ("+count+")", []any{1 << 60}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if _, err := p.Query(ctx, "SELECT 1", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	if *opened != 1 || len(p.slots) != 0 {
		t.Errorf("%d connections, %d in use", *opened, len(p.slots))
	}
}

// A context that ends just when its rows do must not harm those that follow.
func TestInterruptTooLate(t *testing.T) {
	t.Parallel()
	p, _ := pool(t)
	for range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := p.Query(ctx, count, []any{3})
		ok(t, err)
		go cancel()
		rows.Close()
		rows, err = p.Query(t.Context(), count, []any{3})
		ok(t, err)
		if got := all(rows); len(got) != 3 {
			t.Fatalf("%v, %v", got, rows.Err())
		}
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	c := connect(t)
	ok(t, c.Script(" \n-- nothing; yet\n;/* ; */ CREATE TABLE a (b TEXT); -- after\nINSERT INTO a VALUES ('x;'), ('y'); SELECT * FROM a;\n-- the end"))
	ok(t, c.Script(""))
	ok(t, c.Script("/* never closed"))
	n, err := c.Exec(t.Context(), "UPDATE a SET b = b || ?", []any{"!"})
	if err != nil || n != 2 {
		t.Errorf("%d rows, %v", n, err)
	}
	var coded Error
	if err := c.Script("DELETE FROM a; CREATE TABLE a (b TEXT); DROP TABLE a"); !errors.As(err, &coded) || coded.Code() != int(sqlite.ResultError) {
		t.Errorf("got %v", err)
	}
	if n, err = c.Exec(t.Context(), "DROP TABLE a", nil); err != nil {
		t.Errorf("the script went on: %v", err)
	}
}

// A join must not be planned again for every value. The driver has no word for it: this tells when it has changed.
func TestPlansAreKept(t *testing.T) {
	t.Parallel()
	c := connect(t)
	ok(t, c.Script(`CREATE TABLE users (id BIGINT PRIMARY KEY, name TEXT);
		CREATE TABLE tokens (hash TEXT PRIMARY KEY, user_id BIGINT, made BIGINT);
		CREATE INDEX tokens_user ON tokens (user_id, made)`))
	const join = "SELECT u.name FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = ?"
	plans := func() int32 {
		for i := range 5 {
			_, err := c.Exec(t.Context(), join, []any{fmt.Sprint(i)})
			ok(t, err)
		}
		handle := reflect.ValueOf(c.stmts[join].Stmt).Elem().FieldByName("stmt")
		return lib.Xsqlite3_stmt_status(libc.NewTLS(), uintptr(handle.Uint()), lib.SQLITE_STMTSTATUS_REPREPARE, 0)
	}
	if n := plans(); n != 0 {
		t.Errorf("planned again %d times", n)
	}
	ok(t, keepPlans(c.Conn, 0))
	c.trim(0)
	if plans() == 0 {
		t.Error("never planned again: the setting is no longer needed")
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	name := file(t)
	if c, err := Open(name); err == nil {
		c.Close()
		t.Error("there is no such file")
	}
	if _, err := Create(name, "synchronous = FULL", "synchronous ="); err == nil {
		t.Error("no such setting")
	}
	c, err := Open(name, "query_only = ON")
	ok(t, err)
	defer c.Close()
	_, err = c.Exec(t.Context(), "CREATE TABLE a (b TEXT)", nil)
	var coded Error
	if !errors.As(err, &coded) || coded.Code() != int(sqlite.ResultReadOnly) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Exec(t.Context(), `SELECT "misspelt"`, nil); err == nil {
		t.Error("a misspelt column became a string")
	}
}
