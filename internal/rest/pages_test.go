package rest_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// heap is 23 notes with many ties in everything that can be sorted by, those of one title apart in time.
func heap(t *testing.T) *toy {
	t.Helper()
	s := serve(t)
	for i := range 23 {
		s.note(string("abc"[i%3]), func(n *Note) {
			n.Rank, n.Pinned, n.Due = int64(i*7%4), i%5 == 0, time.Date(2026, 3, 1, 12, 0, i%2, i%3*500_000_000, time.UTC)
		})
		if i%4 > 0 {
			s.world.clock = s.world.clock.Add(-time.Second) // born at the same moment as the next
		}
	}
	return s
}

// everyOrder is each sort in each direction.
func everyOrder() []string {
	var all []string
	for _, sort := range []string{"", "title", "rank", "pinned", "due_at", "created_at"} {
		for _, dir := range []string{"", "asc", "desc"} {
			var parts []string
			if sort != "" {
				parts = append(parts, "sort="+sort)
			}
			if dir != "" {
				parts = append(parts, "sort-dir="+dir)
			}
			all = append(all, strings.Join(parts, "&"))
		}
	}
	return all
}

// ordered sorts the notes without help of the store.
func ordered(notes []*Note, order string) []string {
	bit := map[bool]int{true: 1}
	by := func(a, b *Note) int { return a.Created.Compare(b.Created) }
	switch {
	case strings.Contains(order, "sort=title"):
		by = func(a, b *Note) int { return strings.Compare(a.Title, b.Title) }
	case strings.Contains(order, "sort=rank"):
		by = func(a, b *Note) int { return cmp.Compare(a.Rank, b.Rank) }
	case strings.Contains(order, "sort=pinned"):
		by = func(a, b *Note) int { return bit[a.Pinned] - bit[b.Pinned] }
	case strings.Contains(order, "sort=due_at"):
		by = func(a, b *Note) int { return a.Due.Compare(b.Due) }
	}
	sorted := slices.Clone(notes)
	slices.SortFunc(sorted, func(a, b *Note) int { return cmp.Or(by(a, b), strings.Compare(a.ID, b.ID)) })
	if strings.HasSuffix(order, "dir=desc") || order == "" {
		slices.Reverse(sorted)
	}
	ids := make([]string, len(sorted))
	for i, n := range sorted {
		ids[i] = n.ID
	}
	return ids
}

// page is one page of a walk.
type page struct {
	ids        []string
	next, prev string
}

func (s *toy) page(t *testing.T, address string) page {
	t.Helper()
	a := s.do(t, alice, "GET "+address, "")
	p := page{ids: a.all(t, "notes", "id")}
	p.next, _ = a.at(t, "links.next").(string)
	p.prev, _ = a.at(t, "links.prev").(string)
	links, _ := a.at(t, "links").(map[string]any)
	var header []string
	for _, rel := range []string{"self", "next", "prev"} {
		if links[rel] != nil {
			header = append(header, fmt.Sprintf(`<%s>; rel="%s"`, links[rel], rel))
		}
	}
	a.has(t, "Link", strings.Join(header, ", "))
	return p
}

// walk follows next to the end, and prev back to the start.
func (s *toy) walk(t *testing.T, address string, step func(i int)) (forth, back []string) {
	t.Helper()
	p := s.page(t, address)
	if p.prev != "" {
		t.Errorf("%s: the first page has a page before it", address)
	}
	forth = p.ids
	for i := 0; p.next != ""; i++ {
		step(i)
		p = s.page(t, p.next)
		forth = append(forth, p.ids...)
		if p.prev == "" || len(p.ids) == 0 || i > 50 {
			t.Fatalf("%s: page %d has %d rows, and before it %q", address, i, len(p.ids), p.prev)
		}
	}
	back = p.ids
	for i := 0; p.prev != ""; i++ {
		p = s.page(t, p.prev)
		back = append(slices.Clone(p.ids), back...)
		if p.next == "" || i > 50 {
			t.Fatalf("%s: going back, page %d has no next", address, i)
		}
	}
	return forth, back
}

func TestWalkEveryOrder(t *testing.T) {
	t.Parallel()
	for _, order := range everyOrder() {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			s := heap(t)
			want := ordered(s.notes.rows, order)
			for _, limit := range []string{"1", "4", "22", "23", "24"} {
				for _, view := range []string{"", "&fields=kind"} {
					forth, back := s.walk(t, "/notes?"+order+"&limit="+limit+view, func(int) {})
					if !slices.Equal(forth, want) || !slices.Equal(back, want) {
						t.Errorf("limit %s%s: forth\n%q\nback\n%q\nwant\n%q", limit, view, forth, back, want)
					}
				}
			}
		})
	}
}

// TestWalkWhileRowsCome: rows that come and go do not make a walk skip or repeat one that was there all along.
func TestWalkWhileRowsCome(t *testing.T) {
	t.Parallel()
	for _, order := range everyOrder() {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			s := heap(t)
			want := ordered(s.notes.rows, order)
			gone := want[len(want)-1]
			want = want[:len(want)-1]
			forth, back := s.walk(t, "/notes?limit=3&"+order, func(i int) {
				if i > 4 {
					return // or the walk would never end
				}
				for rank := range 4 {
					s.note(string("abc"[rank%3]), func(n *Note) { n.Rank, n.Pinned = int64(rank), rank%2 == 0 })
				}
				if i == 0 {
					s.want(t, 204, alice, "DELETE /notes/"+gone, "")
				}
			})
			old := func(ids []string) []string {
				return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(want, id) })
			}
			if !slices.Equal(old(forth), want) || !slices.Equal(old(back), want) {
				t.Errorf("forth\n%q\nback\n%q\nwant\n%q", old(forth), old(back), want)
			}
			for _, seen := range [][]string{forth, back} {
				slices.Sort(seen)
				if len(slices.Compact(seen)) != len(seen) {
					t.Error("a row came twice")
				}
			}
		})
	}
}

func TestWalkByKey(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i := range 5 {
		s.people.add(Person{ID: int64(i)*750_000_000_000_000_000 + 1, Name: "x"})
	}
	var got []string
	for next := "/people?limit=2"; next != ""; {
		a := s.want(t, 200, admin, "GET "+next, "")
		for _, row := range a.read(t)["people"].([]any) {
			got = append(got, string(row.(map[string]any)["id"].(json.Number)))
		}
		next, _ = a.at(t, "links.next").(string)
	}
	if want := []string{"3000000000000000001", "2250000000000000001", "1500000000000000001", "750000000000000001", "1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWalkWithFilter(t *testing.T) {
	t.Parallel()
	s := heap(t)
	var want []string
	for _, n := range s.notes.rows {
		if n.Rank != 2 && n.Title != "b" {
			want = append([]string{n.ID}, want...)
		}
	}
	got, _ := s.walk(t, "/notes?rank=0,1,3&title=a,c&limit=2", func(int) {})
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
