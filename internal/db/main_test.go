package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/fault"
	"verbless/internal/query"
	"verbless/internal/table"
)

func TestMain(m *testing.M) {
	if run := os.Getenv("VERBLESS_TEST_HELPER"); run != "" {
		helper(run)
		return
	}
	dbtest.Main(m)
}

// schema is a set of migrations from file names and their texts.
func schema(name string, files ...string) db.Migrations {
	fs := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fs[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return db.Migrations{Name: name, Files: fs}
}

var things = schema("things", "0001_things.sql", `
	CREATE TABLE boxes (id BIGINT PRIMARY KEY, name TEXT NOT NULL UNIQUE);
	CREATE TABLE things (
		id TEXT PRIMARY KEY, version BIGINT NOT NULL, name TEXT NOT NULL, rank BIGINT NOT NULL, note TEXT, size BIGINT,
		ready BOOLEAN NOT NULL, due_at BIGINT, tags TEXT NOT NULL, extra TEXT, box BIGINT REFERENCES boxes (id),
		maker TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL);
	CREATE INDEX things_rank ON things (rank, id);`)

// stamps is embedded, as resources will.
type stamps struct {
	Created time.Time `db:"created_at,born"`
	Updated time.Time `db:"updated_at,touch"`
	Name    int       `db:"name"` // shadowed
}

type state string

type thing struct {
	ID      string          `db:"id,key"`
	Version int64           `db:"version,version"`
	Name    state           `db:"name"`
	Rank    int             `db:"rank"`
	Note    *string         `db:"note"`
	Size    *int64          `db:"size"`
	Ready   bool            `db:"ready"`
	Due     *time.Time      `db:"due_at"`
	Tags    []string        `db:"tags"`
	Extra   json.RawMessage `db:"extra"`
	Box     *int64          `db:"box"`
	Maker   string          `db:"maker,fixed"`
	Links   map[string]string
	stamps
}

type box struct {
	ID   int64  `db:"id,key"`
	Name string `db:"name"`
}

func thingTable(d *db.DB) *table.Table[thing] {
	return table.New(d, table.Config[thing]{Name: "things"})
}

func boxTable(d *db.DB) *table.Table[box] { return table.New(d, table.Config[box]{Name: "boxes"}) }

func byID(id any) []query.Cond { return []query.Cond{query.Is("id", id)} }

// add puts one thing into a table.
func add[T any](t testing.TB, ctx context.Context, table *table.Table[T], v T) *T {
	t.Helper()
	c, err := table.Change(ctx, change.System, nil, func(*T) (*T, error) { return &v, nil })
	if err != nil {
		t.Fatal(err)
	}
	return c.Now
}

func update[T any](ctx context.Context, table *table.Table[T], id any, edit func(*T)) (*change.Change[T], error) {
	return table.Change(ctx, change.System, byID(id), func(was *T) (*T, error) {
		now := *was
		edit(&now)
		return &now, nil
	})
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func count(t testing.TB, d *db.DB, text string, args ...any) int {
	t.Helper()
	var n int
	ok(t, d.Reader(t.Context()).QueryRow(context.Background(), text, args...).Scan(&n))
	return n
}

func p[T any](v T) *T { return &v }

var errRefused = errors.New("refused")
