package rest_test

import (
	"testing"

	"verbless/internal/fault"
)

// TestNumberedChildren: the id is a number within the parent, shown twice, and the key is never shown.
func TestNumberedChildren(t *testing.T) {
	t.Parallel()
	s := library(t)
	at := "/notes/" + nth(2) + "/editions"
	for _, n := range []string{"2", "1", "3"} {
		a := s.want(t, 201, alice, "POST "+at, `{"id":`+n+`}`)
		a.is(t, `{"id":`+n+`,"number":`+n+`}`)
		a.has(t, "Location", base+at+"/"+n)
	}
	s.want(t, 201, alice, "POST /notes/"+nth(3)+"/editions", `{"id":7}`)
	s.want(t, 200, alice, "GET "+at+"/2?fields=number", "").is(t, `{"id":2,"number":2}`)
	s.want(t, 200, alice, "GET "+at+"/2?fields=id", "").is(t, `{"id":2}`)
	s.want(t, 200, alice, "GET "+at+"?fields=id", "").is(t, `{"editions":[{"id":3},{"id":2},{"id":1}],"links":{"self":"`+base+at+`?fields=id"}}`)
	s.want(t, 200, alice, "GET "+at+"?id=1,3&sort=id&fields=id", "").is(t, `{"editions":[{"id":1},{"id":3}],"links":{"self":"`+base+at+`?fields=id&id=1,3&sort=id"}}`)
	s.do(t, alice, "GET "+at+"?number=1", "").refused(t, fault.UnknownParameter, "unknown_parameter number")
	s.want(t, 200, alice, "PUT "+at+"/2", `{"id":2,"number":2}`)
	s.do(t, alice, "PUT "+at+"/2", `{"id":2,"number":3}`).refused(t, fault.ValidationFailed, "read_only /number")
	for _, path := range []string{at + "/7", at + "/02", at + "/" + s.editions.rows[0].Row} {
		s.do(t, alice, "GET "+path, "").refused(t, fault.NotFoundCode)
	}
}

// TestChildrenBelongToTheParentsOwner where they have no owner of their own.
func TestChildrenBelongToTheParentsOwner(t *testing.T) {
	t.Parallel()
	s := library(t)
	at := "/notes/" + nth(2) + "/editions"
	s.do(t, bob, "POST "+at, `{"id":1}`).refused(t, fault.ForbiddenCode)
	s.want(t, 201, alice, "POST "+at, `{"id":1}`)
	s.want(t, 200, bob, "GET "+at+"/1", "")
	for _, write := range []string{"PUT", "PATCH", "DELETE"} {
		s.do(t, bob, write+" "+at+"/1", `{"id":2}`).refused(t, fault.ForbiddenCode)
	}
	if allowed := s.want(t, 200, bob, "OPTIONS "+at+"/1", "").at(t, "methods.PATCH.allowed"); allowed != false {
		t.Errorf("OPTIONS tells bob %v", allowed)
	}
	if allowed := s.want(t, 200, alice, "OPTIONS "+at+"/1", "").at(t, "methods.PATCH.allowed"); allowed != true {
		t.Errorf("OPTIONS tells alice %v", allowed)
	}
	s.want(t, 200, admin, "PATCH "+at+"/1", `{"id":2}`)
	s.want(t, 204, alice, "DELETE "+at+"/2", "")
}

// TestNoStore: a collection may keep all its answers out of caches, and 304 still works for those who hold one.
func TestNoStore(t *testing.T) {
	t.Parallel()
	s := library(t)
	at := "/notes/" + nth(2) + "/editions"
	s.want(t, 201, alice, "POST "+at, `{"id":1}`).has(t, "Cache-Control", "no-store")
	for _, path := range []string{at, at + "/1"} {
		a := s.want(t, 200, alice, "GET "+path, "")
		a.has(t, "Cache-Control", "no-store")
		s.want(t, 304, alice, "GET "+path, "", "If-None-Match: "+a.etag()).has(t, "Cache-Control", "no-store")
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i, name := range []string{"Ann Lee", "Lee Ann", "Bob Lee", "Lee"} {
		s.people.add(Person{ID: int64(i) + 1, Name: name})
	}
	for query, want := range map[string]string{
		"q=Lee": "[Lee Lee Ann Bob Lee Ann Lee]", "q=Lee+Ann": "[Lee Ann Ann Lee]", "q=Ann+Lee": "[Ann Lee Lee Ann]", "q=Lee&sort=name": "[Ann Lee Bob Lee Lee Lee Ann]", "q=nobody": "[]",
	} {
		if got := sprint(s.do(t, admin, "GET /people?"+query, "").all(t, "people", "name")); got != want {
			t.Errorf("%s found %s, want %s", query, got, want)
		}
	}
	var found []string
	for next := "/people?q=Lee&limit=1"; next != ""; {
		a := s.want(t, 200, admin, "GET "+next, "")
		found = append(found, a.all(t, "people", "name")...)
		next, _ = a.at(t, "links.next").(string)
	}
	if sprint(found) != "[Lee Lee Ann Bob Lee Ann Lee]" {
		t.Errorf("page by page: %q", found)
	}
	for _, query := range []string{"q=", "q=+", "q=" + "a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a"} {
		s.do(t, admin, "GET /people?"+query, "").refused(t, fault.InvalidParameter, "invalid_parameter q")
	}
	s.do(t, alice, "GET /notes?q=x", "").refused(t, fault.UnknownParameter, "unknown_parameter q")
}

// TestIncludeIsBounded: of a relation to many, the newest hundred of each row are shown.
func TestIncludeIsBounded(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for range 3 {
		n := s.note("x")
		for range 101 {
			s.lines.add(Line{Text: "x", Note: n.ID})
		}
	}
	for _, row := range s.want(t, 200, alice, "GET /notes?include=lines&fields=id,lines.id", "").read(t)["notes"].([]any) {
		if shown := len(row.(map[string]any)["lines"].([]any)); shown != 100 {
			t.Errorf("%d lines are shown", shown)
		}
	}
}
