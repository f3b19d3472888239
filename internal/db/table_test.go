package db_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/fault"
	"verbless/internal/ident"
	"verbless/internal/query"
	"verbless/internal/table"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		table := thingTable(d)
		due := time.Date(2026, 1, 31, 9, 30, 0, 123456000, time.FixedZone("", 3600))
		full := add(t, ctx, table, thing{Name: "full", Rank: -3, Note: p(""), Size: p(int64(1 << 60)), Ready: true, Due: &due,
			Tags: []string{"a", `b"é`}, Extra: json.RawMessage(`{"a": 1}`), Maker: "me"})
		bare := add(t, ctx, table, thing{ID: "chosen", Name: "bare"})

		if full.Version != 1 || !ident.Valid(full.ID) || full.Created.IsZero() || full.Created != full.Updated || bare.ID != "chosen" {
			t.Fatalf("not completed at birth: %+v %+v", full, bare)
		}
		got, err := table.Get(ctx, byID(full.ID))
		ok(t, err)
		want := *full
		want.Due = p(due.UTC())
		if !reflect.DeepEqual(*got, want) {
			t.Fatalf("got  %+v\nwant %+v", *got, want)
		}
		got, err = table.Get(ctx, byID("chosen"))
		ok(t, err)
		if got.Note != nil || got.Size != nil || got.Due != nil || got.Extra != nil || got.Tags == nil || len(got.Tags) != 0 || got.Ready {
			t.Fatalf("nulls came back as %+v", got)
		}
		got, err = table.Get(ctx, byID(full.ID), "rank", "rank")
		ok(t, err)
		if !reflect.DeepEqual(*got, thing{ID: full.ID, Version: 1, Rank: -3}) {
			t.Fatalf("only some columns: %+v", got)
		}
		_, err = table.Get(ctx, byID("nothing"))
		wantCode(t, err, fault.NotFoundCode)
	})
}

func TestChange(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		table := thingTable(d)
		made := add(t, ctx, table, thing{Name: "x", Maker: "me", Tags: []string{"a"}})

		c, err := update(ctx, table, made.ID, func(v *thing) {
			v.Rank, v.Maker, v.Version, v.Created, v.ID = 5, "other", 99, time.Now(), "moved"
		})
		ok(t, err)
		if c.Was.Rank != 0 || c.Now.Rank != 5 || c.Now.Version != 2 || c.Now.Maker != "me" || c.Now.ID != made.ID || c.Now.Created != made.Created {
			t.Fatalf("%+v", c.Now)
		}
		if c.Now.Updated != c.At || c.By != change.System {
			t.Fatal("not stamped with the time of the transaction")
		}
		got, err := table.Get(ctx, byID(made.ID))
		ok(t, err)
		if !reflect.DeepEqual(got, c.Now) {
			t.Fatalf("got %+v, said %+v", got, c.Now)
		}

		c, err = update(ctx, table, made.ID, func(v *thing) { v.Tags = []string{"a"}; v.Updated = time.Time{} })
		ok(t, err)
		if c.Now != c.Was || c.Now.Version != 2 {
			t.Fatalf("a change of nothing: %+v", c.Now)
		}
		c, err = table.Change(ctx, change.System, byID(made.ID), func(was *thing) (*thing, error) { was.Tags[0] = "b"; return was, nil })
		ok(t, err)
		if c.Now.Version != 3 {
			t.Fatal("a change in place was not noticed")
		}

		_, err = table.Change(ctx, change.System, byID(made.ID), func(*thing) (*thing, error) { return nil, nil })
		ok(t, err)
		_, err = update(ctx, table, made.ID, func(*thing) {})
		wantCode(t, err, fault.NotFoundCode)
		c, err = table.Change(ctx, change.System, nil, func(*thing) (*thing, error) { return nil, nil })
		ok(t, err)
		if c.Was != nil || c.Now != nil {
			t.Fatal("something came from nothing")
		}
	})
}

func TestHooksAndScope(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		var calls []string
		table := table.New(d, table.Config[thing]{
			Name:  "things",
			Scope: []query.Cond{query.Not("name", "trash")},
			Rule: func(c *change.Change[thing]) error {
				calls = append(calls, "rule")
				if c.Born() && c.Now.ID == "" {
					t.Error("the rule sees no key")
				}
				if c.Dying() {
					trash := *c.Was
					trash.Name = "trash"
					c.Becomes(&trash)
				}
				return nil
			},
			Before: func(_ context.Context, _ *db.Tx, c *change.Change[thing]) error {
				calls = append(calls, "before")
				c.Now.Note = p("completed")
				return nil
			},
			After: func(ctx context.Context, tx *db.Tx, c *change.Change[thing]) error {
				calls = append(calls, "after")
				return tx.QueryRow(ctx, "SELECT rank FROM things WHERE id = ?", c.Now.ID).Scan(&c.Now.Rank)
			},
			Missing: func(ctx context.Context, q db.Querier, key []query.Cond) error {
				var n int
				if err := q.QueryRow(ctx, "SELECT COUNT(*) FROM things WHERE id = ?", key[0].Values[0]).Scan(&n); err != nil || n == 0 {
					return err
				}
				return fault.New(fault.ArticleTrashed, "In the trash.")
			},
		})
		made := add(t, ctx, table, thing{Name: "x"})
		_, err := update(ctx, table, made.ID, func(v *thing) {})
		ok(t, err)
		if want := []string{"rule", "before", "after", "rule", "before"}; !reflect.DeepEqual(calls, want) {
			t.Fatalf("calls %v, want %v", calls, want)
		}
		c, err := table.Change(ctx, change.System, byID(made.ID), func(*thing) (*thing, error) { return nil, nil })
		ok(t, err)
		if c.Now.Name != "trash" || c.Now.Version != 2 {
			t.Fatalf("%+v", c.Now)
		}
		_, err = table.Get(ctx, byID(made.ID))
		wantCode(t, err, fault.ArticleTrashed)
		_, err = update(ctx, table, made.ID, func(v *thing) {})
		wantCode(t, err, fault.ArticleTrashed)
		_, err = table.Get(ctx, byID("never"))
		wantCode(t, err, fault.NotFoundCode)
		if page, err := table.List(ctx, query.List{Count: true}); err != nil || len(page.Rows) != 0 || page.Total != 0 {
			t.Fatalf("the scope does not hold for lists: %+v, %v", page, err)
		}
	})
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things, schema("restrict", "0001_lids.sql",
			`CREATE TABLE lids (id BIGINT PRIMARY KEY, box BIGINT NOT NULL REFERENCES boxes (id) ON DELETE RESTRICT)`)), t.Context()
		table, boxes := thingTable(d), boxTable(d)
		b := add(t, ctx, boxes, box{Name: "one"})
		if b.ID != 1 {
			t.Fatalf("the first number is %d", b.ID)
		}
		_, err := boxes.Change(ctx, change.System, nil, func(*box) (*box, error) { return &box{Name: "one"}, nil })
		wantCode(t, err, fault.AlreadyExists)
		_, err = boxes.Change(ctx, change.System, nil, func(*box) (*box, error) { return &box{ID: 1, Name: "two"}, nil })
		wantCode(t, err, fault.AlreadyExists)
		_, err = table.Change(ctx, change.System, nil, func(*thing) (*thing, error) { return &thing{Box: p(int64(7))}, nil })
		wantCode(t, err, fault.StillReferenced)

		made := add(t, ctx, table, thing{Box: &b.ID})
		remove := func(*box) (*box, error) { return nil, nil }
		_, err = boxes.Change(ctx, change.System, byID(b.ID), remove)
		wantCode(t, err, fault.StillReferenced)
		_, err = update(ctx, table, made.ID, func(v *thing) { v.Box = nil })
		ok(t, err)
		ok(t, d.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, "INSERT INTO lids (id, box) VALUES (1, ?)", b.ID)
			return err
		}))
		_, err = boxes.Change(ctx, change.System, byID(b.ID), remove)
		wantCode(t, err, fault.StillReferenced)

		next := add(t, ctx, boxes, box{Name: "three"})
		if next.ID != 2 {
			t.Fatalf("failed births left a gap: %d", next.ID)
		}
	})
}

func TestBadTags(t *testing.T) {
	t.Parallel()
	panics := func(name string, fn func()) {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			fn()
		})
	}
	panics("no key", func() {
		table.New(nil, table.Config[struct {
			A string `db:"a"`
		}]{Name: "x"})
	})
	panics("type", func() {
		table.New(nil, table.Config[struct {
			A float32 `db:"a,key"`
		}]{Name: "x"})
	})
	panics("option", func() {
		table.New(nil, table.Config[struct {
			A string `db:"a,key,what"`
		}]{Name: "x"})
	})
	panics("name", func() {
		table.New(nil, table.Config[struct {
			A string `db:"a b,key"`
		}]{Name: "x"})
	})
	panics("table", func() { table.New(nil, table.Config[box]{Name: "x y"}) })
	panics("scope", func() {
		table.New(nil, table.Config[box]{Name: "x", Scope: []query.Cond{query.Is("nope", 1)}})
	})
	panics("twice", func() {
		table.New(nil, table.Config[struct {
			A string `db:"a,key"`
			B string `db:"a"`
		}]{Name: "x"})
	})
	panics("column", func() {
		table.New(nil, table.Config[box]{Name: "x"}).Get(context.Background(), []query.Cond{query.Is(`id" OR 1`, 1)})
	})
}
