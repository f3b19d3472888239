package invoices_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/db/dbtest"
)

func stringReader(s string) io.Reader { return strings.NewReader(s) }

// TestNumbersHaveNoGaps when many publish at once, on two nodes where there can be two, and some of them fail.
func TestNumbersHaveNoGaps(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) { noGaps(t, s, s) })
	t.Run("two nodes", func(t *testing.T) {
		t.Parallel()
		s := apptest.Start(t, dbtest.Postgres(t))
		noGaps(t, s, s.Beside(t))
	})
}

func noGaps(t *testing.T, nodes ...*apptest.Server) {
	s := nodes[0]
	paths := make([]string, 40)
	for i := range paths {
		paths[i], _ = bill(t, s)
	}
	var published atomic.Int64
	together(len(paths)*2, func(i int) {
		headers := []string{}
		if i%3 == 0 {
			headers = append(headers, `If-Match: "stale.tag"`)
		}
		body := to1("published")
		if i%5 == 0 { // refused by the rule, after the number was taken in the same transaction or before
			body = `{"data":{"attributes":{"status":"published","currency":"XXX"}}}`
		}
		if a := nodes[i%len(nodes)].Call(t, s.Alice, "PATCH "+paths[i/2], body, headers...); a.Status == 200 {
			published.Add(1)
		} else if a.Status != 412 && a.Status != 400 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	})
	for _, path := range paths { // those that failed
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("published"))
	}
	got := numbersOf(t, s)
	for i, number := range got {
		if want := fmt.Sprintf("INV-%06d", i+1); number != want {
			t.Fatalf("number %d is %s; all are %v", i+1, number, got)
		}
	}
	if len(got) != len(paths) || published.Load() == 0 {
		t.Errorf("%d numbers, %d published at once", len(got), published.Load())
	}
}

func numbersOf(t *testing.T, s *apptest.Server) []string {
	var numbers []string
	for next := s.URL + "/invoices?fields=number&limit=1"; next != ""; {
		page := s.Want(t, 200, s.Alice, "GET "+next, "")
		numbers = append(numbers, page.Text("data.0.attributes.number"))
		next = page.Text("links.next")
	}
	slices.Sort(numbers)
	return numbers
}

// TestTwoMoves of one invoice: exactly one wins, and the history has no fork.
func TestTwoMoves(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) { twoMoves(t, s, s) })
	t.Run("two nodes", func(t *testing.T) {
		t.Parallel()
		s := apptest.Start(t, dbtest.Postgres(t))
		twoMoves(t, s, s.Beside(t))
	})
}

func twoMoves(t *testing.T, nodes ...*apptest.Server) {
	s := nodes[0]
	for range 5 {
		path, _ := bill(t, s, "published", "sent")
		statuses := make([]int, 8)
		together(len(statuses), func(i int) {
			statuses[i] = nodes[i%len(nodes)].Call(t, s.Alice, "PATCH "+path, to1("failed"), "If-Match: *").Status
		})
		// Those that come second find it failed already, and change nothing.
		history := s.Want(t, 200, s.Alice, "GET "+path+"/transitions?to=failed", "", "Prefer: count=exact")
		if history.Get("meta.total") == nil || fmt.Sprint(history.Get("meta.total")) != "1" {
			t.Errorf("the history: %s", history.Body)
		}
		if n := s.Count(t, `SELECT COUNT(*) FROM notices WHERE invoice_id = ? AND event = 'failed'`, path[len("/invoices/"):]); n != 2 {
			t.Errorf("%d notices", n)
		}
		tag := s.Want(t, 200, s.Alice, "GET "+path, "").Header.Get("ETag")
		together(len(statuses), func(i int) {
			statuses[i] = nodes[i%len(nodes)].Call(t, s.Alice, "PATCH "+path, to1("paid"), "If-Match: "+tag).Status
		})
		slices.Sort(statuses)
		if statuses[0] != 200 || statuses[1] != 412 {
			t.Errorf("with one tag: %v", statuses)
		}
	}
}
