package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

// TestComparison is the table of RFC 9110, 8.8.3.2.
func TestComparison(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		sent, held   string
		strong, weak bool
	}{
		{`W/"1"`, `W/"1"`, false, true},
		{`W/"1"`, `W/"2"`, false, false},
		{`W/"1"`, `"1"`, false, true},
		{`"1"`, `"1"`, true, true},
	} {
		held := strings.TrimPrefix(test.held, "W/") // ours are strong, so the weak ones of the table are those sent
		if got := rest.Unchanged(http.Header{"If-None-Match": {test.sent}}, held); got != test.weak {
			t.Errorf("%s and %s compared weakly: %v", test.sent, test.held, got)
		}
		if got := rest.MayWrite(http.Header{"If-Match": {test.sent}}, held) == nil; got != test.strong {
			t.Errorf("%s and %s compared strongly: %v", test.sent, test.held, got)
		}
	}
}

func TestParseTags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		lines []string
		want  string
		star  bool
		ok    bool
	}{
		{[]string{`"a"`}, `"a"`, false, true},
		{[]string{`W/"a"`}, `W/"a"`, false, true},
		{[]string{`"a", W/"b","c"`}, `"a" W/"b" "c"`, false, true},
		{[]string{`"a"`, `"b"`}, `"a" "b"`, false, true},
		{[]string{`"a,b", "c,W/"`}, `"a,b" "c,W/"`, false, true},
		{[]string{`, ,"a",, "b",`}, `"a" "b"`, false, true},
		{[]string{"\t\"a\" \t,\t\"b\" "}, `"a" "b"`, false, true},
		{[]string{`""`}, `""`, false, true},
		{[]string{`"*"`}, `"*"`, false, true},
		{[]string{`"a\"`}, `"a\"`, false, true},
		{[]string{"\"\xe9\x80\""}, "\"\xe9\x80\"", false, true},
		{[]string{`*`}, "", true, true},
		{[]string{` * `}, "", true, true},
		{[]string{``}, "", false, false},
		{[]string{`,`}, "", false, false},
		{[]string{`a`}, "", false, false},
		{[]string{`"a`}, "", false, false},
		{[]string{`a"`}, "", false, false},
		{[]string{`w/"a"`}, "", false, false},
		{[]string{`W/ "a"`}, "", false, false},
		{[]string{`W/`}, "", false, false},
		{[]string{`W/a`}, "", false, false},
		{[]string{`"a" "b"`}, "", false, false},
		{[]string{`"a"b`}, "", false, false},
		{[]string{`*, "a"`}, "", false, false},
		{[]string{`"a", *`}, "", false, false},
		{[]string{`*`, `*`}, "", false, false},
		{[]string{`"a b"`}, "", false, false},
		{[]string{"\"a\x7f\""}, "", false, false},
		{[]string{`'a'`}, "", false, false},
	} {
		tags, star, ok := rest.ParseTags(test.lines...)
		if strings.Join(tags, " ") != test.want || star != test.star || ok != test.ok {
			t.Errorf("%q: %q %v %v", test.lines, tags, star, ok)
		}
	}
}

// TestTagsDiffer: what is shown differently has another tag, and the same state.
func TestTagsDiffer(t *testing.T) {
	t.Parallel()
	s := library(t)
	one := "GET /notes/" + nth(2)
	tags := map[string]string{}
	for _, view := range []struct{ who, call, accept string }{
		{alice, one, ""}, {bob, one, ""}, {alice, one + "?fields=title", ""}, {alice, one + "?fields=rank", ""}, {alice, one + "?fields=rank,title", ""},
		{alice, one + "?include=lines", ""}, {alice, one + "?include=folder", ""}, {bob, one + "?include=folder", ""}, {alice, one + "?include=folder,lines", ""},
		{alice, one + "?include=folder&fields=folder.name", ""}, {alice, one, "application/vnd.verbless+v1+json"},
	} {
		tag := s.want(t, 200, view.who, view.call, "", "Accept: "+view.accept).etag()
		name := view.who + " " + view.call + " " + view.accept
		if other, taken := tags[tag]; taken {
			t.Errorf("%s and %s both have %s", name, other, tag)
		}
		tags[tag] = name
		s.want(t, 304, view.who, view.call, "", "Accept: "+view.accept, "If-None-Match: "+tag)
		if state, _, _ := strings.Cut(tag, "."); state != strings.Split(s.do(t, alice, one, "").etag(), ".")[0] {
			t.Errorf("%s has another state: %s", name, tag)
		}
	}
	for _, same := range [][2]string{{"?fields=rank,title", "?fields=title,rank"}, {"?fields=title", "?fields=title,id,title"}} {
		if a, b := s.do(t, alice, one+same[0], "").etag(), s.do(t, alice, one+same[1], "").etag(); a != b {
			t.Errorf("%q: %s and %s", same, a, b)
		}
	}
	if s.do(t, alice, one, "").etag() != s.do(t, admin, one, "").etag() {
		t.Error("the owner and an admin see the same, with two tags")
	}
}

// TestTagOfInclusion: what is shown with a row belongs to its tag.
func TestTagOfInclusion(t *testing.T) {
	t.Parallel()
	s := library(t)
	with, without := "GET /notes/"+nth(2)+"?include=lines", "GET /notes/"+nth(2)
	tag, bare := s.do(t, alice, with, "").etag(), s.do(t, alice, without, "").etag()
	s.lines.add(Line{Text: "more", Note: nth(2)})
	a := s.want(t, 200, alice, with, "", "If-None-Match: "+tag)
	if a.etag() == tag {
		t.Error("a new line did not change the tag")
	}
	s.want(t, 304, alice, without, "", "If-None-Match: "+bare)
}

func TestTagsOfLists(t *testing.T) {
	t.Parallel()
	s := library(t)
	seen := map[string]string{}
	for _, view := range [][2]string{{alice, "/notes"}, {bob, "/notes"}, {alice, "/notes?fields=id"}, {alice, "/notes?limit=1"}, {alice, "/notes?sort=title"}, {alice, "/notes?include=lines"}} {
		a := s.want(t, 200, view[0], "GET "+view[1], "")
		if seen[a.etag()] != "" && view[0] != bob {
			t.Errorf("%s and %s have one tag", view, seen[a.etag()])
		}
		seen[a.etag()] = view[1]
		not := s.want(t, 304, view[0], "GET "+view[1], "", "If-None-Match: "+a.etag())
		not.has(t, "ETag", a.etag())
	}
	if s.do(t, alice, "GET /notes", "").etag() == s.do(t, alice, "GET /notes", "", "Prefer: count=exact").etag() {
		t.Error("a total does not change the tag")
	}
	tag := s.do(t, alice, "GET /notes", "").etag()
	s.note("More")
	s.want(t, 200, alice, "GET /notes", "", "If-None-Match: "+tag)
}

func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.note("First")
	path := "/notes/" + nth(1)
	full := s.want(t, 200, alice, "GET "+path, "")
	tag := full.etag()
	for _, method := range []string{"GET", "HEAD"} {
		for _, match := range []string{tag, "W/" + tag, `"x", ` + tag, `"a,b",W/"c,", W/` + tag, "*", " * "} {
			a := s.want(t, 304, alice, method+" "+path, "", "If-None-Match: "+match)
			a.has(t, "ETag", tag)
			a.has(t, "Cache-Control", full.Header.Get("Cache-Control"))
			a.has(t, "Content-Length", "")
		}
		for _, match := range []string{`"x"`, strings.Trim(tag, `"`), tag + `"`, "*, " + tag, `"` + strings.Split(strings.Trim(tag, `"`), ".")[0] + `"`, "", `w/` + tag} {
			s.want(t, 200, alice, method+" "+path, "", "If-None-Match: "+match).has(t, "ETag", tag)
		}
	}
	s.want(t, 304, alice, "GET "+path, "", `If-None-Match: "x"`, "If-None-Match: "+tag)
	s.want(t, 200, bob, "GET "+path, "", "If-None-Match: "+tag)
	s.do(t, alice, "GET /notes/"+nth(2), "", "If-None-Match: *").refused(t, fault.NotFoundCode)
	s.do(t, "", "GET "+path, "", "If-None-Match: "+tag).refused(t, fault.Unauthenticated, "unauthenticated Authorization")
	s.do(t, alice, "GET "+path, "", "If-None-Match: "+tag, "Accept: text/plain").refused(t, fault.NotAcceptable)
}

// TestNotModifiedReadsLittle: the version is compared before the row is read.
func TestNotModifiedReadsLittle(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.note("First")
	path := "/notes/" + nth(1)
	tag := s.do(t, alice, "GET "+path+"?fields=title", "").etag()
	s.notes.reads()
	s.want(t, 304, alice, "GET "+path+"?fields=title", "", "If-None-Match: "+tag)
	s.want(t, 200, alice, "GET "+path, "", "If-None-Match: "+tag)
	if got := s.notes.reads(); !equalLists(got, []string{"get id version owner_id", "get id version owner_id", "get"}) {
		t.Errorf("asked for %q", got)
	}
}
