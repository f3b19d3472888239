package rest_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

// FuzzTags: what is read can be written and read again, and a tag that is held is found in any list it is added to.
func FuzzTags(f *testing.F) {
	for _, seed := range []string{`"a"`, `W/"a", "b"`, `*`, `"a,b"`, `"a" "b"`, `W/`, `"`, ``, `, ,"x",`, `"a\"b"`, "\"\xff\"", `*, "a"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.TrimSpace(line) != strings.Trim(line, " \t") {
			t.Skip("only blanks and tabs stand around what a header holds")
		}
		tags, star, ok := rest.ParseTags(line)
		if star && (len(tags) > 0 || !ok) || ok && !star && len(tags) == 0 || !ok && len(tags) > 0 {
			t.Fatalf("%q: %q %v %v", line, tags, star, ok)
		}
		if !ok || star {
			return
		}
		again, _, ok := rest.ParseTags(strings.Join(tags, ", "))
		if !ok || !equalLists(again, tags) {
			t.Fatalf("%q became %q, then %q", line, tags, again)
		}
		if !rest.Unchanged(http.Header{"If-None-Match": {line, `"held.tag"`}}, `"held.tag"`) || rest.MayWrite(http.Header{"If-Match": {line, `"held.tag"`}}, `"held.tag"`) != nil {
			t.Fatalf("%q hides a tag that follows it", line)
		}
	})
}

// FuzzCursor: no text but ours is a cursor.
func FuzzCursor(f *testing.F) {
	s := serve(f)
	for _, seed := range []string{"", "AAAA", "W2ZhbHNlLDEsIjEiXQ", "W10", strings.Repeat("A", 100), "%", "W2ZhbHNlLDE3Njk4NTE4MDYyNTAwMDAsIjAiXWFhYWFhYWFhYWFhYWFhYWE"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := s.CheckCursor(text, "/notes?"); !fault.Is(err, fault.InvalidCursor) {
			t.Fatalf("%q: %v", text, err)
		}
		s.do(t, alice, "GET /notes?cursor="+url.QueryEscape(text), "").refused(t, fault.InvalidCursor, "invalid_cursor cursor")
	})
}

// FuzzAccept: one of the offers or none, and what is refused outright is never picked.
func FuzzAccept(f *testing.F) {
	for _, seed := range []string{"*/*", "application/json;q=0.5, text/*", "application/vnd.verbless+v1+json", ",", ";q=1", "a/b;c=\"d,e\"", "application/json;q=0", "*/*;q=1e-9", "text/html;q=\"1\""} {
		f.Add(seed)
	}
	offers := []string{"application/json", "application/vnd.verbless+v1+json"}
	f.Fuzz(func(t *testing.T, line string) {
		got, ok := rest.Pick([]string{line}, offers)
		if ok != (got == offers[0] || got == offers[1]) || !ok && got != "" {
			t.Fatalf("%q: %q %v", line, got, ok)
		}
		if got, ok := rest.Pick([]string{"application/json;q=0", line}, offers); ok && got == offers[0] && !strings.Contains(strings.ToLower(line), "json") {
			t.Fatalf("%q: picked what was refused", line)
		}
	})
}

// FuzzPrefer: the first mention counts, whatever follows it.
func FuzzPrefer(f *testing.F) {
	for _, seed := range []string{"", "return=minimal", `count="exact"`, "a;b=c, d", "=", ",;=", `x="a, return=minimal"`, "RETURN = minimal"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		minimal, count := rest.Prefers(line)
		lower := strings.ToLower(line)
		if minimal && !strings.Contains(lower, "return") || count && !strings.Contains(lower, "count") {
			t.Fatalf("%q: %v %v", line, minimal, count)
		}
		if minimal, count := rest.Prefers("return=minimal, count=exact", line); !minimal || !count {
			t.Fatalf("%q takes back what was said before it", line)
		}
	})
}

// FuzzIdempotencyKey: a key is 1 to 255 printable characters, and the quoted form of a bare key is the same key.
func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{"a", `"a"`, `""`, `"a b"`, `"a`, "8e03978e-40d5-43e8-bc93-6894a57f9324", "a,b", "é", "a\n", strings.Repeat("a", 256)} {
		f.Add(seed)
	}
	printable := regexp.MustCompile(`\A[\x20-\x7e]{1,255}\z`)
	f.Fuzz(func(t *testing.T, line string) {
		key, ok := rest.ReadIdempotencyKey(line)
		if !ok {
			return
		}
		if !printable.MatchString(key) {
			t.Fatalf("%q is the key %q", line, key)
		}
		if quoted, ok := rest.ReadIdempotencyKey(`"` + key + `"`); !ok || quoted != key {
			t.Fatalf("%q is the key %q, quoted %q", line, key, quoted)
		}
	})
}

// busy is a toy with something of everything, for requests that change nothing.
func busy(f *testing.F) *toy {
	s := serve(f)
	folder := nth(1)
	s.folders.add(Folder{Name: "Box", Owner: 2})
	for i := range 5 {
		n := s.note(string(rune('a'+i)), func(n *Note) { n.Folder, n.Due = &folder, time.Unix(int64(i), 0).UTC() })
		s.lines.add(Line{Text: "x", Note: n.ID})
	}
	return s
}

// fuzzed answers 200 or 400 with the faults, and never anything else.
func (s *toy) fuzzed(t *testing.T, path, query string) {
	t.Helper()
	r := request(alice, "GET "+path, "")
	r.URL.RawQuery = query
	if a := s.send(t, r); a.Status != http.StatusOK && a.Status != http.StatusBadRequest {
		t.Fatalf("%q: %d %s %s", query, a.Status, a.Body, s.log)
	}
}

// FuzzListQuery: no query string of a list is an error of ours.
func FuzzListQuery(f *testing.F) {
	s := busy(f)
	for _, seed := range []string{"", "limit=3&sort=title&sort-dir=desc", "rank=1,2&pinned=true", "due_at[gte]=2026-01-31%2009:30:00Z", "due_at=9999-12-31T23:59:59-23:59", "title=%ff%00", "a;b", "%zz", "cursor=AAAA",
		"fields=id,links&include=folder,lines.note", "created_at[lt]=0001-01-01T00:00:00Z", "owner=-9223372036854775808", "limit=+1", "title=" + strings.Repeat(",", 101)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) { s.fuzzed(t, "/notes", query) })
}

// FuzzFields: no choice of fields and relations is an error of ours, of one or of many.
func FuzzFields(f *testing.F) {
	s := busy(f)
	for _, seed := range [][2]string{{"title", "folder"}, {"id,folder.name,lines.note.title", "folder,lines.note"}, {"", ""}, {".", "."}, {"folder.", "folder."}, {"lines.lines", "lines.note.lines.note"},
		{"links", "owner"}, {"folder.notes.lines.id", "folder.notes.lines"}, {"title,title", "lines,lines,lines.note"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, fields, include string) {
		query := url.Values{"fields": {fields}, "include": {include}}.Encode()
		s.fuzzed(t, "/notes", query)
		s.fuzzed(t, "/notes/"+nth(2), query)
		s.fuzzed(t, "/notes/"+nth(2), url.Values{"fields": {fields}}.Encode())
	})
}
