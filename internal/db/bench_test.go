package db_test

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"testing"

	_ "modernc.org/sqlite" // the bare statement to compare with

	"verbless/internal/change"
	"verbless/internal/db/dbtest"
	"verbless/internal/query"
	"verbless/internal/table"
)

// filled gives a table of n things.
func filled(b *testing.B, n int) (*table.Table[thing], string, []string) {
	address := dbtest.SQLite(b)
	d := dbtest.Open(b, address, things)
	table := thingTable(d)
	var ids []string
	ok(b, d.Do(b.Context(), func(ctx context.Context) error {
		ids = nil
		for i := range n {
			ids = append(ids, add(b, ctx, table, thing{Name: "some name", Rank: i, Note: p("a note of some length"), Ready: true,
				Tags: []string{"one", "two"}, Maker: "maker"}).ID)
		}
		return nil
	}))
	return table, address, ids
}

func BenchmarkPointRead(b *testing.B) {
	table, _, ids := filled(b, 1000)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := table.Get(ctx, byID(ids[i%len(ids)])); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPointReadBare is the same row through database/sql alone.
func BenchmarkPointReadBare(b *testing.B) {
	_, address, ids := filled(b, 1000)
	pool, err := sql.Open("sqlite", address[len("sqlite:"):])
	ok(b, err)
	defer pool.Close()
	st, err := pool.Prepare("SELECT id, version, name, rank, note, size, ready, due_at, tags, extra, box, maker, created_at, updated_at FROM things WHERE id = ?")
	ok(b, err)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		var (
			id, name, note, tags, maker  string
			version, rank, made, changed int64
			size, due, extra, box        any
			ready                        bool
		)
		err := st.QueryRow(ids[i%len(ids)]).Scan(&id, &version, &name, &rank, &note, &size, &ready, &due, &tags, &extra, &box, &maker, &made, &changed)
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPointReadParallel(b *testing.B) {
	table, _, ids := filled(b, 1000)
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, err := table.Get(b.Context(), byID(ids[i%len(ids)])); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkList reads 25 rows of 12 columns from the middle.
func BenchmarkList(b *testing.B) {
	table, _, ids := filled(b, 1000)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	q := query.List{Sort: "rank", Limit: 25, Edge: &query.Edge{Value: 500, Key: ids[500]},
		Columns: []string{"id", "version", "name", "rank", "note", "size", "ready", "due_at", "tags", "extra", "created_at", "updated_at"}}
	b.ReportAllocs()
	for b.Loop() {
		if page, err := table.List(ctx, q); err != nil || len(page.Rows) != 25 {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			table, _, _ := filled(b, 1)
			var n atomic.Int64
			b.SetParallelism(max(1, writers/2)) // times GOMAXPROCS
			write := func() {
				_, err := table.Change(b.Context(), change.System, nil, func(*thing) (*thing, error) {
					return &thing{Name: "x", Rank: int(n.Add(1)), Maker: "m"}, nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			if writers == 1 {
				for b.Loop() {
					write()
				}
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					write()
				}
			})
		})
	}
}
