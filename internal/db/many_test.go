package db_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/fault"
	"verbless/internal/query"
	"verbless/internal/table"
)

// many makes n things called after their place.
func many(n int) (rows []*thing, judged []error) {
	for i := range n {
		rows = append(rows, &thing{Name: state(fmt.Sprint(i)), Rank: i, Maker: "me", Tags: []string{}})
	}
	return rows, make([]error, n)
}

func TestCreateMany(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		var ruled, resolved, after int
		table := table.New(d, table.Config[thing]{Name: "things",
			Resolve: func(_ context.Context, _ *db.Tx, now []*thing) ([]error, error) {
				resolved++
				for _, v := range now {
					v.Note = p("resolved")
				}
				return make([]error, len(now)), nil
			},
			Rule: func(c *change.Change[thing]) error {
				if ruled++; !c.Born() || c.By != change.System || c.Now.ID == "" || c.Now.Created != c.At || *c.Now.Note != "resolved" {
					return errRefused
				}
				c.Now.Ready = true
				return nil
			},
			After: func(ctx context.Context, tx *db.Tx, c *change.Change[thing]) error {
				after++
				return nil
			},
		})
		for _, n := range []int{1, 2, 3, 63, 64, 65, 300} {
			ruled, resolved, after = 0, 0, 0
			rows, judged := many(n)
			made, err := table.CreateMany(ctx, change.System, rows, judged)
			ok(t, err)
			if ruled != n || after != n || resolved != 1 || len(made) != n || rows[0].ID != "" {
				t.Fatalf("%d rows: %d ruled, %d after, %d resolved, %d made; given %+v", n, ruled, after, resolved, len(made), rows[0])
			}
			for i, row := range made {
				kept, err := table.Get(ctx, byID(row.ID))
				ok(t, err)
				if !reflect.DeepEqual(kept, row) || kept.Rank != i || kept.Version != 1 || !kept.Ready {
					t.Fatalf("%d of %d: kept %+v, said %+v", i, n, kept, row)
				}
			}
			ok(t, d.Write(ctx, func(ctx context.Context, tx *db.Tx) error { _, err := tx.Exec(ctx, "DELETE FROM things"); return err }))
		}
	})
}

// TestCreateManyIsAllOrNothing: every fault is told below its index, and nothing is left of the others.
func TestCreateManyIsAllOrNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		judges := map[string]bool{}
		table := table.New(d, table.Config[thing]{Name: "things",
			Resolve: func(_ context.Context, _ *db.Tx, now []*thing) ([]error, error) {
				judged := make([]error, len(now))
				judged[1], judged[3] = fault.Invalid(fault.UnknownReference, "/box", "No."), fault.Invalid(fault.UnknownReference, "/box", "No.")
				return judged, nil
			},
			Rule: func(c *change.Change[thing]) error {
				judges[string(c.Now.Name)] = true
				if c.Now.Rank == 2 {
					return fault.New(fault.ForbiddenCode, "Not yours.").At("/rank")
				}
				return nil
			},
		})
		rows, judged := many(5)
		judged[3] = fault.Invalid(fault.Required, "/name", "Missing.")
		judged[4] = fault.New(fault.WrongType, "No object.")
		_, err := table.CreateMany(ctx, change.System, rows, judged)
		var got []string
		for _, part := range fault.As(err).Parts {
			got = append(got, string(part.Code)+" "+part.Pointer)
		}
		want := []string{"unknown_reference /1/box", "forbidden /2/rank", "required /3/name", "unknown_reference /3/box", "wrong_type /4"}
		if !reflect.DeepEqual(got, want) || !fault.Is(err, fault.ValidationFailed) {
			t.Errorf("got %v %v", got, err)
		}
		if !reflect.DeepEqual(judges, map[string]bool{"0": true, "2": true}) {
			t.Errorf("the rule saw %v: it judges only what is otherwise right", judges)
		}
		if n := count(t, d, "SELECT COUNT(*) FROM things"); n != 0 {
			t.Errorf("%d things were kept", n)
		}
	})
}

// TestCreateManyFails: what is no fault of the caller's stays what it is, and a constraint undoes all.
func TestCreateManyFails(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d, ctx := open(things), t.Context()
		refusing := table.New(d, table.Config[thing]{Name: "things", Rule: func(*change.Change[thing]) error { return errRefused }})
		rows, judged := many(2)
		if _, err := refusing.CreateMany(ctx, change.System, rows, judged); !errors.Is(err, errRefused) {
			t.Errorf("got %v", err)
		}
		rows, judged = many(130)
		rows[129].ID, rows[3].ID = "same", "same"
		_, err := thingTable(d).CreateMany(ctx, change.System, rows, judged)
		wantCode(t, err, fault.AlreadyExists)
		rows[129].ID, rows[129].Box = "", p(int64(99))
		_, err = thingTable(d).CreateMany(ctx, change.System, rows, judged)
		wantCode(t, err, fault.StillReferenced)
		if n := count(t, d, "SELECT COUNT(*) FROM things"); n != 0 {
			t.Errorf("%d things were kept", n)
		}
		boxes, err := boxTable(d).CreateMany(ctx, change.System, []*box{{Name: "a"}, {Name: "b"}}, make([]error, 2))
		ok(t, err)
		page, err := boxTable(d).List(ctx, query.List{Limit: 5})
		ok(t, err)
		if len(page.Rows) != 2 || boxes[0].ID != 1 || boxes[1].ID != 2 {
			t.Errorf("numbered keys: %+v %+v", boxes, page.Rows)
		}
	})
}
