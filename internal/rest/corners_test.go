package rest_test

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

func TestCornerUnknownMethod(t *testing.T) {
	s := library(t)
	for _, method := range []string{"PROPFIND", "LINK", "get", "QUERY"} {
		a := s.do(t, alice, method+" /notes", "")
		a.refused(t, fault.MethodNotAllowed)
		a.has(t, "Allow", "GET, HEAD, OPTIONS, POST")
	}
}

func TestCornerDoubleDecoding(t *testing.T) {
	w := httptest.NewRecorder()
	echo().ServeHTTP(w, request(alice, "GET /echo/%2541", ""))
	if w.Body.String() != "alice %41  " {
		t.Errorf("got %q", w.Body)
	}
	w = httptest.NewRecorder()
	echo().ServeHTTP(w, request(alice, "GET /echo/100%25", ""))
	if w.Body.String() != "alice 100%  " {
		t.Errorf("got %q", w.Body)
	}
}

func TestCornerIncludeThroughNullableColumn(t *testing.T) {
	s := library(t)
	a := s.want(t, 200, alice, "GET /folders/"+nth(1)+"?fields=id,notes.id&include=notes", "")
	a.is(t, `{"folder":{"id":"`+nth(1)+`","notes":[{"id":"`+nth(3)+`"},{"id":"`+nth(2)+`"}]}}`)
}

func TestCornerIncludeIgnoresAdminsOnly(t *testing.T) {
	for _, who := range []rest.Who{rest.Admins, rest.Nobody} {
		s := serve(t, func(o *rest.Options) { o.Policy["people"] = rest.Rights{List: rest.Admins, Read: who} })
		s.people.add(Person{ID: 2, Name: "Alice"})
		s.note("x")
		s.want(t, 404, bob, "GET /people/2", "")
		if owner := s.want(t, 200, bob, "GET /notes/"+nth(1)+"?include=owner", "").at(t, "owner"); owner != nil {
			t.Errorf("bob reads through include what he may not read: %v", owner)
		}
	}
}

func TestCornerOwnersOfParent(t *testing.T) { // a child without an owner, as payment attempts and notices will be
	s := serve(t, func(o *rest.Options) {
		o.Policy["editions"] = rest.Rights{List: rest.Owners, Read: rest.Owners, Create: rest.Owners}
		o.Policy["lines"] = rest.Rights{List: rest.Owners, Read: rest.Owners, Create: rest.Owners}
	})
	s.note("x")
	s.want(t, 201, alice, "POST /notes/"+nth(1)+"/editions", `{"id":1}`)
	s.want(t, 200, alice, "GET /notes/"+nth(1)+"/editions/1", "")
	if a := s.do(t, alice, "GET /notes/"+nth(1)+"/editions", ""); a.Status != 200 {
		t.Errorf("alice lists what is hers: %d", a.Status)
	}
	if a := s.do(t, bob, "GET /notes/"+nth(1)+"/editions", ""); a.Status != 404 && a.Status != 403 {
		t.Errorf("bob lists what is hers: %d", a.Status)
	}
	if a := s.do(t, alice, "GET /notes/"+nth(1)+"?include=lines", ""); a.Status != 200 {
		t.Errorf("alice includes what is hers: %d", a.Status)
	}
}

func TestCornerDottedFields(t *testing.T) {
	s := library(t)
	one := s.want(t, 200, alice, "GET /notes/"+nth(2)+"?include=folder&fields=folder.id", "")
	two := s.want(t, 200, alice, "GET /notes/"+nth(2)+"?include=folder&fields=folder.id,folder.name", "")
	if one.at(t, "title") != two.at(t, "title") {
		t.Errorf("one dotted name keeps the outer members, two drop them:\n%s%s", one.Body, two.Body)
	}
}

func TestCornerSortFaults(t *testing.T) {
	s := serve(t)
	s.do(t, alice, "GET /notes?sort=kind&sort-dir=up", "").refused(t, fault.InvalidParameter, "invalid_parameter sort", "invalid_parameter sort-dir")
}

func TestCornerFaultOrder(t *testing.T) {
	s := serve(t)
	want := []string{"invalid_parameter due_at", "invalid_parameter kind", "invalid_parameter owner", "invalid_parameter pinned", "invalid_parameter rank"}
	for range 3 {
		s.do(t, alice, "GET /notes?kind=x&owner=x&pinned=x&rank=x&due_at=x", "").refused(t, fault.InvalidParameter, want...)
	}
}

func TestCornerIncludeReportedTwice(t *testing.T) {
	s := library(t)
	s.do(t, alice, "GET /people/2?include=x", "").refused(t, fault.UnknownParameter, "unknown_parameter include")
}

func TestCornerPublicTypes(t *testing.T) {
	s := serve(t)
	s.want(t, 200, "", "GET /problems/not_found", "", "Accept: text/html").has(t, "Content-Type", "text/html; charset=utf-8")
	s.want(t, 200, "", "GET /schemas/note.json", "", "Accept: application/schema+json").has(t, "Content-Type", "application/schema+json")
}

func TestCornerLinksRemoved(t *testing.T) {
	s, path, _ := full(t)
	s.do(t, alice, "PATCH "+path, `{"links":null}`, mergePatch).refused(t, fault.ValidationFailed, "read_only /links")
	s.do(t, alice, "PATCH "+path, `[{"op":"remove","path":"/links"}]`, jsonPatch).refused(t, fault.ValidationFailed, "read_only /links")
}

func TestCornerKeyedFaultsAtOnce(t *testing.T) {
	s := serve(t)
	s.do(t, alice, "POST /folders", `{"x":1,"folder":{"name":"","y":2}}`).refused(t, fault.ValidationFailed, "unknown_field /x", "unknown_field /folder/y", "out_of_range /folder/name")
}

func TestCornerPreferQuoted(t *testing.T) {
	if minimal, _ := rest.Prefers(`foo="a, return=minimal"`); minimal {
		t.Error("a preference was found inside a quoted string")
	}
}

func TestCornerAcceptQuoted(t *testing.T) {
	if _, ok := rest.Pick([]string{`application/json;note="a,b"`}, []string{"application/json"}); !ok {
		t.Error("a comma inside a quoted string ends the range")
	}
}

func TestCornerCursorWithNewline(t *testing.T) {
	s := heap(t)
	cursor := cursorOf(t, s, alice, "notes", "/notes?limit=2")
	s.do(t, alice, "GET /notes?cursor="+cursor[:5]+"%0A%0D"+cursor[5:], "").refused(t, fault.InvalidCursor, "invalid_cursor cursor")
}

func TestCornerReadOnlyTimeRespelled(t *testing.T) {
	s, path, _ := full(t)
	got := s.do(t, alice, "GET "+path, "").Body
	s.want(t, 200, alice, "PUT "+path, strings.Replace(got, `"created_at":"2026-01-31 09:30:00Z"`, `"created_at":"2026-01-31T09:30:00Z"`, 1))
}

func TestCornerFilterText(t *testing.T) {
	s := serve(t)
	for _, text := range []string{"%00", "%ff", "%ed%a0%80"} {
		s.do(t, alice, "GET /notes?title="+text, "").refused(t, fault.InvalidParameter, "invalid_parameter title")
	}
}

func TestCornerAllowRace(t *testing.T) { // with -race
	s := library(t)
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() { s.do(t, alice, "PUT /notes", "") })
	}
	done.Wait()
}

func TestCornerUnauthorizedWithRetry(t *testing.T) {
	s := serve(t)
	s.world.setTrap(func(string) error { return fault.New(fault.InvalidToken, "Not now.").After(1e9) })
	s.do(t, alice, "GET /notes", "").has(t, "WWW-Authenticate", `Bearer realm="verbless", error="invalid_token"`)
}

func TestCornerStartup(t *testing.T) {
	type List struct {
		ID      string   `json:"id" db:"id,key"`
		Tags    []string `json:"tags" db:"tags" api:"filter"`
		Version int64    `json:"-" db:"version,version"`
	}
	type SortList struct {
		ID      string   `json:"id" db:"id,key"`
		Tags    []string `json:"tags" db:"tags" api:"sort"`
		Version int64    `json:"-" db:"version,version"`
	}
	type NoVersion struct {
		ID string `json:"id" db:"id,key"`
	}
	type BadDefault struct {
		ID      string `json:"id" db:"id,key"`
		Kind    string `json:"kind" db:"kind" enum:"a,b" default:"c"`
		Version int64  `json:"-" db:"version,version"`
	}
	type Number struct {
		ID      string `json:"id" db:"id,key"`
		Code    string `json:"code" db:"code" default:"7"`
		Version int64  `json:"-" db:"version,version"`
	}
	type NoOwner struct {
		ID      string `json:"id" db:"id,key"`
		Version int64  `json:"-" db:"version,version"`
	}
	type PrivateFilter struct {
		ID      string `json:"id" db:"id,key"`
		Secret  string `json:"secret" db:"secret" api:"private,filter"`
		Version int64  `json:"-" db:"version,version"`
	}
	type Meaningless struct {
		ID      string `json:"id" db:"id,key"`
		Size    int64  `json:"size" db:"size" maxLength:"5" enum:"1,2"`
		Version int64  `json:"-" db:"version,version"`
	}
	type Flag struct {
		ID      string `json:"id" db:"id,key" readOnly:"yes"`
		Version int64  `json:"-" db:"version,version"`
	}
	o := rest.Options{Base: base, Policy: rest.Policy{"things": {List: rest.Owners, Read: rest.Owners}}}
	for name, r := range map[string]rest.Resource{
		"filter on a list": rest.Collection[List]{Name: "things", One: "thing"}, "sort on a list": rest.Collection[SortList]{Name: "things", One: "thing"},
		"no version": rest.Collection[NoVersion]{Name: "things", One: "thing"}, "a default that is refused": rest.Collection[BadDefault]{Name: "things", One: "thing"},
		"a text default that reads as a number": rest.Collection[Number]{Name: "things", One: "thing"}, "owners without owner": rest.Collection[NoOwner]{Name: "things", One: "thing"},
		"private and filter": rest.Collection[PrivateFilter]{Name: "things", One: "thing"}, "words that mean nothing for the kind": rest.Collection[Meaningless]{Name: "things", One: "thing"},
		"a flag that is not true": rest.Collection[Flag]{Name: "things", One: "thing"},
	} {
		mustPanic(t, name, func() { rest.New(o, r) })
	}
	mustPanic(t, "deprecation of nothing", func() { serve(t, deprecating(rest.Deprecation{Resource: "nope", Since: since})) })
	mustPanic(t, "deprecation of no parameter", func() { serve(t, deprecating(rest.Deprecation{Resource: "notes", Parameter: "nope", Since: since})) })
}
