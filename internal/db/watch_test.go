package db_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/metric"
)

// TestCommitsAreCounted: every transaction is in exactly one commit, however many share it, and one that was undone in none.
func TestCommitsAreCounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open()
		r := metric.New()
		d.Watch(r)
		const writers = 40
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				err := d.Write(context.Background(), func(ctx context.Context, tx *db.Tx) error {
					if _, err := tx.Next(ctx, "counted"+strconv.Itoa(i)); err != nil {
						return err
					}
					if i%4 == 0 {
						return errors.New("undone")
					}
					return nil
				})
				if (err != nil) != (i%4 == 0) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		text := r.Text()
		read := func(name string) (v float64) {
			found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (.+)$`).FindSubmatch(text)
			if found == nil {
				t.Fatalf("%s is not in\n%s", name, text)
			}
			fmt.Sscan(string(found[1]), &v)
			return v
		}
		commits, transactions := read(`verbless_db_commits_total{outcome="committed"}`), read("verbless_db_commit_transactions_sum")
		if transactions != writers*3/4 || commits < 1 || commits > transactions || read("verbless_db_commit_transactions_count") != commits || read("verbless_db_commit_duration_seconds_count") != commits {
			t.Errorf("%v transactions in %v commits", transactions, commits)
		}
		if read("verbless_db_connections_max") < 2 || read(`verbless_db_connections{state="used"}`) != 0 || read(`verbless_db_commits_total{outcome="unknown"}`) != 0 {
			t.Errorf("got\n%s", text)
		}
	})
}
