package rest_test

import (
	"net/url"
	"strings"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

// cursorOf is the cursor of a list's second page.
func cursorOf(t *testing.T, s *toy, who, list, address string) string {
	t.Helper()
	a := s.want(t, 200, who, "GET "+address, "")
	next, _ := a.at(t, "links.next").(string)
	u, err := url.Parse(next)
	if err != nil || u.Query().Get("cursor") == "" {
		t.Fatalf("%s has no next: %s", list, a.Body)
	}
	return u.Query().Get("cursor")
}

func TestCursorOfAnotherList(t *testing.T) {
	t.Parallel()
	s := heap(t)
	first := s.notes.rows[0].ID
	for range 3 {
		s.lines.add(Line{Text: "x", Note: first})
		s.lines.add(Line{Text: "x", Note: s.notes.rows[1].ID})
		s.folders.add(Folder{Name: "x", Owner: 2})
	}
	cursor := cursorOf(t, s, alice, "notes", "/notes?sort=title&kind=plain&limit=2")
	for _, same := range []string{"/notes?sort=title&kind=plain", "/notes?kind=plain&sort=title&limit=7", "/notes?sort=title&kind=plain&fields=id&include=owner"} {
		s.want(t, 200, alice, "GET "+same+"&cursor="+cursor, "")
	}
	for _, other := range []string{"/notes?limit=2", "/notes?sort=title", "/notes?sort=rank&kind=plain", "/notes?sort=title&kind=list", "/notes?sort=title&kind=plain,list",
		"/notes?sort=title&kind=plain&sort-dir=desc", "/notes?sort=title&kind=plain&rank=1", "/folders?limit=1", "/notes/" + first + "/lines?sort=text"} {
		s.do(t, alice, "GET "+other+"&cursor="+cursor, "").refused(t, fault.InvalidCursor, "invalid_cursor cursor")
	}
	line := cursorOf(t, s, alice, "lines", "/notes/"+first+"/lines?limit=1")
	s.want(t, 200, alice, "GET /notes/"+first+"/lines?cursor="+line, "")
	s.do(t, alice, "GET /notes/"+s.notes.rows[1].ID+"/lines?cursor="+line, "").refused(t, fault.InvalidCursor, "invalid_cursor cursor")
}

func TestCursorTamperedWith(t *testing.T) {
	t.Parallel()
	s := heap(t)
	cursor := cursorOf(t, s, alice, "notes", "/notes?limit=2")
	s.want(t, 200, alice, "GET /notes?cursor="+cursor, "")
	bad := []string{"", "x", "%00", "AAAA", cursor + "A", cursor[1:], cursor[:len(cursor)-1], cursor + "%3D", strings.Repeat("A", 2000)}
	for i := range cursor {
		other := "A"
		if cursor[i] == 'A' {
			other = "B"
		}
		bad = append(bad, cursor[:i]+other+cursor[i+1:])
	}
	for _, text := range bad {
		s.do(t, alice, "GET /notes?cursor="+text, "").refused(t, fault.InvalidCursor, "invalid_cursor cursor")
	}
	stranger := serve(t, func(o *rest.Options) { o.Secret = []byte("another secret") })
	stranger.do(t, alice, "GET /notes?cursor="+cursor, "").refused(t, fault.InvalidCursor, "invalid_cursor cursor")
}
