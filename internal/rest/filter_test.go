package rest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"verbless/internal/fault"
)

func equalLists(a, b []string) bool { return slices.Equal(a, b) }

// shelf is five notes that differ in every member that can be filtered by.
func shelf(t *testing.T) *toy {
	t.Helper()
	s := serve(t)
	at := func(sec, micro int) time.Time { return time.Date(2026, 3, 1, 12, 0, sec, micro*1000, time.UTC) }
	sub, done := "sub", at(0, 0)
	s.note("a", func(n *Note) { n.Kind, n.Rank, n.Due = "list", 1, at(0, 0) })
	s.note("b", func(n *Note) { n.Pinned, n.Rank, n.Due = true, 2, at(0, 999_999) })
	s.note("c", func(n *Note) { n.Subtitle, n.Rank, n.Due = &sub, 3, at(1, 0) })
	s.note("d", func(n *Note) { n.Done, n.Rank, n.Due = &done, 4, at(1, 1) })
	s.note("e", func(n *Note) { n.Owner, n.Rank, n.Due = 3, 5, at(2, 0) })
	return s
}

func TestFilters(t *testing.T) {
	t.Parallel()
	s := shelf(t)
	for query, want := range map[string]string{
		"title=a":                                 "a",
		"title=a,e":                               "ae",
		"title=a,a,nobody":                        "a",
		"title=":                                  "",
		"title=A":                                 "",
		"kind=list":                               "a",
		"kind=list,plain":                         "abcde",
		"rank=2,3":                                "bc",
		"rank=2&title=c":                          "",
		"rank=3&title=c":                          "c",
		"pinned=true":                             "b",
		"pinned=true,false":                       "abcde",
		"subtitle=sub":                            "c",
		"owner=3":                                 "e",
		"owner=2,3":                               "abcde",
		"due_at=2026-03-01 12:00:00Z":             "ab",
		"due_at=2026-03-01T12:00:00Z":             "ab",
		"due_at=2026-03-01T13:00:01+01:00":        "cd",
		"due_at=2026-03-01T12:00:01.000001Z":      "d",
		"due_at[gte]=2026-03-01 12:00:01Z":        "cde",
		"due_at[gt]=2026-03-01 12:00:00Z":         "cde",
		"due_at[gt]=2026-03-01 12:00:01Z":         "e",
		"due_at[lte]=2026-03-01 12:00:00Z":        "ab",
		"due_at[lt]=2026-03-01 12:00:01Z":         "ab",
		"due_at[gt]=2026-03-01T12:00:00.999998Z":  "bcde",
		"due_at[lte]=2026-03-01T12:00:00.999998Z": "a",
		"due_at[gte]=2026-03-01 12:00:00Z&due_at[lt]=2026-03-01 12:00:01Z":        "ab",
		"due_at[gt]=2026-03-01 12:00:00Z&due_at[lte]=2026-03-01 12:00:01Z&rank=4": "d",
		"done_at=2026-03-01 12:00:00Z":                                            "d",
		"done_at[gte]=2000-01-01 00:00:00Z":                                       "d",
		"created_at[gte]=2026-01-31 09:30:03Z":                                    "de",
	} {
		query = strings.NewReplacer(" ", "%20", "+", "%2B").Replace(query)
		if got := strings.Join(s.do(t, alice, "GET /notes?sort=title&"+query, "").all(t, "notes", "title"), ""); got != want {
			t.Errorf("%s gave %q, want %q", query, got, want)
		}
	}
}

func TestFiltersRefused(t *testing.T) {
	t.Parallel()
	s := shelf(t)
	for _, query := range []string{"rank=x", "rank=", "rank=1,x", "rank=1.0", "rank=99999999999999999999", "pinned=yes", "pinned=TRUE", "kind=other", "kind=", "kind=plain,", "owner=bob",
		"due_at=yesterday", "due_at=2026-03-01", "due_at=2026-03-01T12:00:00Z,2026-03-01T12:00:00Z", "due_at[gt]=", "due_at[lte]=1", "title=" + strings.Repeat(",", 100)} {
		name, _, _ := strings.Cut(query, "=")
		s.do(t, alice, "GET /notes?"+query, "").refused(t, fault.InvalidParameter, "invalid_parameter "+name)
	}
	s.want(t, 200, alice, "GET /notes?title="+strings.Repeat(",", 99), "")
	s.do(t, alice, "GET /notes?rank=x,y", "").refused(t, fault.InvalidParameter, "invalid_parameter rank", "invalid_parameter rank")
}

func TestSort(t *testing.T) {
	t.Parallel()
	s := shelf(t)
	for query, want := range map[string]string{
		"": "edcba", "sort-dir=asc": "abcde", "sort-dir=desc": "edcba", "sort=title": "abcde", "sort=title&sort-dir=desc": "edcba", "sort=rank&sort-dir=asc": "abcde",
		"sort=pinned": "acdeb", "sort=pinned&sort-dir=desc": "bedca", "sort=due_at": "abcde", "sort=created_at": "abcde",
	} {
		if got := strings.Join(s.do(t, alice, "GET /notes?"+query, "").all(t, "notes", "title"), ""); got != want {
			t.Errorf("%s gave %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"sort=kind", "sort=", "sort=id", "sort=Title", "sort=-title", "sort=title,rank", "sort=owner", "sort=secret"} {
		s.do(t, alice, "GET /notes?"+query, "").refused(t, fault.InvalidParameter, "invalid_parameter sort")
	}
	for _, query := range []string{"sort-dir=up", "sort-dir=", "sort-dir=ASC", "sort=title&sort-dir=descending"} {
		s.do(t, alice, "GET /notes?"+query, "").refused(t, fault.InvalidParameter, "invalid_parameter sort-dir")
	}
}
