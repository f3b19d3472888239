package db_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"

	"verbless/internal/change"
	"verbless/internal/db/dbtest"
	"verbless/internal/lite"
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

// processor reports the time of the processor, which tells more than that of the clock when others use the machine too.
func processor(b *testing.B) (report func()) {
	spent := func() int64 {
		var r syscall.Rusage
		ok(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
		return r.Utime.Nano() + r.Stime.Nano()
	}
	b.ReportAllocs()
	before := spent()
	return func() { b.ReportMetric(float64(spent()-before)/float64(b.N), "cpu-ns/op") }
}

func BenchmarkPointRead(b *testing.B) {
	table, _, ids := filled(b, 1000)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	defer processor(b)()
	for i := 0; b.Loop(); i++ {
		if _, err := table.Get(ctx, byID(ids[i%len(ids)])); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPointReadBare is the same row without a pool, a table or a type.
func BenchmarkPointReadBare(b *testing.B) {
	_, address, ids := filled(b, 1000)
	c, err := lite.Open(address[len("sqlite:"):])
	ok(b, err)
	defer c.Close()
	text := "SELECT id, version, name, rank, note, size, ready, due_at, tags, extra, box, maker, created_at, updated_at FROM things WHERE id = ?"
	defer processor(b)()
	for i := 0; b.Loop(); i++ {
		rows, err := c.Query(context.Background(), text, []any{ids[i%len(ids)]})
		if err != nil || !rows.Next() {
			b.Fatal(err)
		}
		for _, column := range []int{0, 2, 4, 8, 11} {
			rows.Text(column)
		}
		for _, column := range []int{1, 3, 5, 6, 7, 9, 10, 12, 13} {
			rows.Int(column)
		}
		rows.Close()
	}
}

// BenchmarkJoin is how every request finds out who asks.
func BenchmarkJoin(b *testing.B) {
	d := dbtest.Open(b, dbtest.SQLite(b), things)
	ok(b, d.Do(b.Context(), func(ctx context.Context) error {
		for i := range 100 {
			made := add(b, ctx, boxTable(d), box{Name: fmt.Sprint("box ", i)})
			add(b, ctx, thingTable(d), thing{Name: "some name", Rank: i, Box: &made.ID})
		}
		return nil
	}))
	defer processor(b)()
	for b.Loop() {
		var name string
		ok(b, d.Reader(b.Context()).QueryRow(context.Background(), "SELECT b.name FROM things t JOIN boxes b ON b.id = t.box WHERE t.rank = ?", 50).Scan(&name))
	}
}

func BenchmarkPointReadParallel(b *testing.B) {
	table, _, ids := filled(b, 1000)
	defer processor(b)()
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
	defer processor(b)()
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
			defer processor(b)()
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
