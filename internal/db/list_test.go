package db_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/query"
	"verbless/internal/table"
)

// TestPages walks lists forwards and backwards, over many ties, and compares every page with a sorted slice.
func TestPages(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		table := thingTable(d)
		var all []thing
		ok(t, d.Do(ctx, func(ctx context.Context) error {
			for i := range 40 {
				all = append(all, *add(t, ctx, table, thing{ID: fmt.Sprintf("%02d", (i*7)%40), Rank: i % 5, Ready: i%3 == 0}))
			}
			return nil
		}))
		rapid.Check(t, func(rt *rapid.T) {
			q := query.List{
				Sort:  rapid.SampledFrom([]string{"", "rank", "id", "created_at"}).Draw(rt, "sort"),
				Desc:  rapid.Bool().Draw(rt, "desc"),
				Limit: rapid.IntRange(1, 45).Draw(rt, "limit"),
				Count: rapid.Bool().Draw(rt, "count"),
			}
			if rapid.Bool().Draw(rt, "filter") {
				q.Where = []query.Cond{query.Is("ready", true)}
			}
			walk(rt, table, q, expect(all, q))
		})
	})
}

// expect is what the list should hold, in order.
func expect(all []thing, q query.List) []string {
	var rows []thing
	for _, v := range all {
		if q.Where == nil || v.Ready {
			rows = append(rows, v)
		}
	}
	slices.SortFunc(rows, func(a, b thing) int {
		order := cmp.Compare(a.ID, b.ID)
		if q.Sort == "rank" {
			order = cmp.Or(cmp.Compare(a.Rank, b.Rank), order)
		}
		if q.Desc {
			order = -order
		}
		return order
	})
	ids := []string{}
	for _, v := range rows {
		ids = append(ids, v.ID)
	}
	return ids
}

func walk(t *rapid.T, table *table.Table[thing], q query.List, want []string) {
	edge := func(row *thing, before bool) *query.Edge {
		e := &query.Edge{Before: before, Value: any(row.ID), Key: row.ID}
		switch q.Sort {
		case "rank":
			e.Value = int64(row.Rank)
		case "created_at":
			e.Value = row.Created.UnixMicro()
		}
		return e
	}
	for at := 0; ; {
		page, err := table.List(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		end := min(at+q.Limit, len(want))
		check(t, page, want[at:end], end < len(want))
		if q.Count && page.Total != int64(len(want)) {
			t.Fatalf("total %d, want %d", page.Total, len(want))
		}
		if len(page.Rows) > 0 {
			back := q
			back.Edge = edge(page.Rows[0], true)
			before, err := table.List(context.Background(), back)
			if err != nil {
				t.Fatal(err)
			}
			from := max(0, at-q.Limit)
			check(t, before, want[from:at], from > 0)
		}
		if !page.More {
			return
		}
		q.Edge = edge(page.Rows[len(page.Rows)-1], false)
		at = end
	}
}

func check(t *rapid.T, page query.Page[thing], want []string, more bool) {
	got := []string{}
	for _, row := range page.Rows {
		got = append(got, row.ID)
	}
	if !slices.Equal(got, want) || page.More != more {
		t.Fatalf("got %v more %v, want %v more %v", got, page.More, want, more)
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		table := thingTable(d)
		for i, note := range []*string{nil, p("x"), p("y"), p("z")} {
			add(t, ctx, table, thing{ID: fmt.Sprint(i), Rank: i, Note: note, Ready: i > 1})
		}
		for _, test := range []struct {
			cond query.Cond
			want string
		}{
			{query.Any("note"), "[]"},
			{query.Any("note", nil), "[0]"},
			{query.Any("note", "x"), "[1]"},
			{query.Any("note", "x", "y", "z"), "[1 2 3]"},
			{query.Any("note", nil, "x"), "[0 1]"},
			{query.Any("note", "x", nil, "z"), "[0 1 3]"},
			{query.Not("note"), "[0 1 2 3]"},
			{query.Not("note", nil), "[1 2 3]"},
			{query.Not("note", "x"), "[0 2 3]"},
			{query.Not("note", "x", nil, "y"), "[3]"},
			{query.Not("rank", 0, 1, 2), "[3]"},
			{query.Is("ready", true), "[2 3]"},
			{query.Cond{Column: "rank", Op: query.Gt, Values: []any{1}}, "[2 3]"},
			{query.Cond{Column: "rank", Op: query.Gte, Values: []any{int64(1)}}, "[1 2 3]"},
			{query.Cond{Column: "rank", Op: query.Lt, Values: []any{1}}, "[0]"},
			{query.Cond{Column: "created_at", Op: query.Lte, Values: []any{d.Now()}}, "[0 1 2 3]"},
			{query.Cond{Column: "note", Op: query.Lt, Values: []any{nil}}, "[]"},
		} {
			page, err := table.List(ctx, query.List{Where: []query.Cond{test.cond}, Columns: []string{"rank"}})
			ok(t, err)
			ranks := []int{}
			for _, row := range page.Rows {
				ranks = append(ranks, row.Rank)
			}
			if got := fmt.Sprint(ranks); got != test.want {
				t.Errorf("%+v: got %s, want %s", test.cond, got, test.want)
			}
		}
	})
}

// TestFirstOfEach: so many of each value, also one, and also of more values than one statement can hold.
func TestFirstOfEach(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		table := thingTable(d)
		const groups = 450
		values := make([]any, groups+100) // some have none
		ok(t, d.Do(ctx, func(ctx context.Context) error {
			for i := range values {
				values[i] = fmt.Sprint("group ", i)
			}
			for i := range groups * 3 {
				add(t, ctx, table, thing{ID: fmt.Sprintf("%05d", i), Rank: i, Note: p(fmt.Sprint("group ", i%groups))})
			}
			return nil
		}))
		for limit := 1; limit <= 4; limit++ {
			page, err := table.List(ctx, query.List{Where: []query.Cond{query.Any("note", values...)}, Per: "note", Sort: "rank", Desc: true, Limit: limit})
			ok(t, err)
			if len(page.Rows) != groups*min(limit, 3) || page.Rows[0].Rank < groups*2 {
				t.Errorf("%d of each: got %d, the first of rank %d", limit, len(page.Rows), page.Rows[0].Rank)
			}
		}
	})
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a = ? AND b IN (?, ?)`:              `a = $1 AND b IN ($2, $3)`,
		`x = 'it''s ?' AND "q?" = ? -- ? no`: `x = 'it''s ?' AND "q?" = $1 -- ? no`,
		"/* ? */ ? -- ?\n ?":                 "/* ? */ $1 -- ?\n $2",
		`'open ? `:                           `'open ? `,
	} {
		if got := db.Number(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}
