package rest_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"verbless/internal/fault"
)

// TestHead: the headers of GET, and no body.
func TestHead(t *testing.T) {
	t.Parallel()
	s := library(t)
	for _, path := range []string{"/notes", "/notes?limit=1&fields=id", "/notes/" + nth(2), "/notes/" + nth(2) + "?include=lines", "/folders/" + nth(1), "/openapi.json", "/problems/not_found",
		"/notes/" + nth(9), "/nothing", "/notes?nope=1"} {
		get, head := s.do(t, alice, "GET "+path, ""), s.do(t, alice, "HEAD "+path, "")
		if get.Status != head.Status || !maps.EqualFunc(get.Header, head.Header, slices.Equal) || head.Body != "" || get.Header.Get("Content-Length") == "" {
			t.Errorf("%s: GET %d %v\nHEAD %d %v", path, get.Status, get.Header, head.Status, head.Header)
		}
	}
	s.do(t, "", "HEAD /notes", "").status(t, 401)
}

func TestMethodNotAllowed(t *testing.T) {
	t.Parallel()
	s := library(t)
	many, one := "GET, HEAD, OPTIONS, POST", "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"
	for _, test := range []struct{ path, allow string }{
		{"/notes", many}, {"/folders", many}, {"/notes/" + nth(2) + "/lines", many}, {"/notes/" + nth(9) + "/lines", many}, {"/notes/" + nth(2), one}, {"/notes/" + nth(9), one}, {"/folders/x", one},
		{"/people", "GET, HEAD, OPTIONS"}, {"/people/2", "GET, HEAD, OPTIONS"}, {"/openapi.json", "GET, HEAD, OPTIONS"}, {"/schemas/note.json", "GET, HEAD, OPTIONS"}, {"/problems/internal", "GET, HEAD, OPTIONS"},
	} {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} {
			if slices.Contains(splitList(test.allow), method) {
				continue
			}
			for _, who := range []string{alice, ""} {
				a := s.do(t, who, method+" "+test.path, `{"title":"x"}`)
				a.refused(t, fault.MethodNotAllowed)
				a.has(t, "Allow", test.allow)
			}
		}
	}
}

// TestNoMethodOverride: the method is the action, whatever a header says.
func TestNoMethodOverride(t *testing.T) {
	t.Parallel()
	s := library(t)
	for _, header := range []string{"X-HTTP-Method-Override: DELETE", "X-HTTP-Method: DELETE", "X-Method-Override: DELETE"} {
		s.want(t, 200, alice, "GET /notes/"+nth(2), "", header)
		s.want(t, 201, alice, "POST /notes", `{"title":"x"}`, header)
	}
	s.do(t, alice, "GET /notes?_method=DELETE", "").refused(t, fault.UnknownParameter, "unknown_parameter _method")
	if len(s.notes.rows) != 6 {
		t.Errorf("%d notes", len(s.notes.rows))
	}
}

// TestHostIsIgnored: links are built from the configured address.
func TestHostIsIgnored(t *testing.T) {
	t.Parallel()
	s := library(t)
	r := request(alice, "GET /notes?fields=id&limit=1", "", "X-Forwarded-Host: evil.test", "X-Forwarded-Proto: ftp", "X-Original-URL: /folders")
	r.Host = "evil.test"
	a := s.send(t, r)
	a.status(t, 200)
	if self := a.at(t, "links.self"); self != base+"/notes?fields=id&limit=1" {
		t.Errorf("self is %v", self)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	s := library(t)
	a := s.want(t, 200, alice, "OPTIONS /notes/"+nth(2), "")
	a.has(t, "Allow", "DELETE, GET, HEAD, OPTIONS, PATCH, PUT")
	a.has(t, "Accept-Patch", "application/json, application/merge-patch+json, application/json-patch+json")
	a.has(t, "Content-Type", "application/json")
	a.has(t, "ETag", "")
	if path := a.at(t, "path"); path != "/notes/{note}" {
		t.Errorf("path is %v", path)
	}
	for _, test := range []struct {
		who, path string
		allowed   map[string]bool
	}{
		{alice, "/notes/" + nth(2), map[string]bool{"GET": true, "PUT": true, "PATCH": true, "DELETE": true}},
		{bob, "/notes/" + nth(2), map[string]bool{"GET": true, "PUT": false, "PATCH": false, "DELETE": false}},
		{admin, "/notes/" + nth(2), map[string]bool{"GET": true, "PUT": true, "PATCH": true, "DELETE": true}},
		{alice, "/notes", map[string]bool{"GET": true, "POST": true}},
		{alice, "/folders/" + nth(1), map[string]bool{"GET": true, "PUT": true, "PATCH": true, "DELETE": false}},
		{alice, "/people", map[string]bool{"GET": false}},
		{admin, "/people", map[string]bool{"GET": true}},
		{"", "/openapi.json", map[string]bool{"GET": true}},
	} {
		a := s.want(t, 200, test.who, "OPTIONS "+test.path, "")
		allowed := map[string]bool{}
		for method, entry := range a.at(t, "methods").(map[string]any) {
			allowed[method] = entry.(map[string]any)["allowed"].(bool)
		}
		if !maps.Equal(allowed, test.allowed) {
			t.Errorf("%s %s: %v", test.who, test.path, allowed)
		}
	}
	for _, test := range [][2]string{{bob, "/folders/" + nth(1)}, {alice, "/folders/" + nth(9)}, {alice, "/notes/" + nth(9)}, {alice, "/notes/" + nth(9) + "/lines"}, {alice, "/notes/x"}} {
		s.do(t, test[0], "OPTIONS "+test[1], "").refused(t, fault.NotFoundCode)
	}
	s.do(t, "", "OPTIONS /notes", "").refused(t, fault.Unauthenticated, "unauthenticated Authorization")
}

// TestOptionsDescribes: fields, types and parameters, by the same table that enforces them.
func TestOptionsDescribes(t *testing.T) {
	t.Parallel()
	s := library(t)
	a := s.want(t, 200, alice, "OPTIONS /notes", "")
	got, err := json.Marshal(a.at(t, "methods.POST.schema.properties.title"))
	if want := `{"description":"What it is about.","maxLength":20,"minLength":1,"type":"string"}`; err != nil || string(got) != want {
		t.Errorf("title is %s, want %s", got, want)
	}
	if required, _ := json.Marshal(a.at(t, "methods.POST.schema.required")); string(required) != `["title"]` {
		t.Errorf("required is %s", required)
	}
	var names []string
	for _, p := range a.at(t, "methods.GET.parameters").([]any) {
		names = append(names, p.(map[string]any)["name"].(string))
	}
	want := []string{"fields", "include", "limit", "cursor", "sort", "sort-dir", "created_at", "created_at[gte]", "created_at[gt]", "created_at[lte]", "created_at[lt]", "done_at", "done_at[gte]", "done_at[gt]",
		"done_at[lte]", "done_at[lt]", "due_at", "due_at[gte]", "due_at[gt]", "due_at[lte]", "due_at[lt]", "kind", "owner", "pinned", "rank", "subtitle", "title"}
	if !slices.Equal(names, want) {
		t.Errorf("parameters %q, want %q", names, want)
	}
	if change := s.want(t, 200, alice, "OPTIONS /notes/"+nth(2), "").at(t, "methods.PATCH.schema"); change.(map[string]any)["required"] != nil {
		t.Errorf("a PATCH requires %v", change)
	}
}
