package rest_test

import (
	"testing"

	"verbless/internal/fault"
)

func TestFields(t *testing.T) {
	t.Parallel()
	s, path, _ := full(t)
	id := `"id":"` + nth(1) + `"`
	for query, want := range map[string]string{
		"title":              `{` + id + `,"title":"Zoë & co"}`,
		"id":                 `{` + id + `}`,
		"rank,title":         `{` + id + `,"title":"Zoë & co","rank":7}`,
		"title,title":        `{` + id + `,"title":"Zoë & co"}`,
		"links":              `{` + id + `,"links":{"owner":"2"}}`,
		"extra,secret,links": `{` + id + `,"extra":{"z":1.50,"a":[null,{"b":"c"}]},"secret":"s","links":{"owner":"2"}}`,
	} {
		s.want(t, 200, alice, "GET "+path+"?fields="+query, "").is(t, want)
	}
	s.want(t, 200, bob, "GET "+path+"?fields=secret", "").is(t, `{`+id+`}`)
	s.want(t, 200, alice, "GET /notes?fields=pinned", "").is(t, `{"notes":[{`+id+`,"pinned":true}],"links":{"self":"https://api.test/notes?fields=pinned"}}`)
	for query, faults := range map[string][]string{
		"Title": {"unknown_field fields"}, "": {"unknown_field fields"}, "title,": {"unknown_field fields"}, "a,b": {"unknown_field fields", "unknown_field fields"},
		"owner_id": {"unknown_field fields"}, "version": {"unknown_field fields"}, "folder": {"unknown_field fields"}, "folder.id": {"unknown_field fields"},
		"extra.z": {"unknown_field fields"}, "links.owner": {"unknown_field fields"}, "*": {"unknown_field fields"},
	} {
		s.do(t, alice, "GET "+path+"?fields="+query, "").refused(t, fault.UnknownField, faults...)
		s.do(t, alice, "GET /notes?fields="+query, "").refused(t, fault.UnknownField, faults...)
	}
}

// TestFieldsReadLess: the store is asked for what is shown, and what rights and tags need.
func TestFieldsReadLess(t *testing.T) {
	t.Parallel()
	s, path, _ := full(t)
	s.notes.reads()
	s.do(t, alice, "GET "+path+"?fields=title", "")
	s.do(t, alice, "GET /notes?fields=title&sort=rank&limit=1", "")
	s.do(t, alice, "GET "+path+"?fields=title&include=folder", "")
	s.do(t, alice, "GET "+path, "")
	want := []string{"get id owner_id title version", "list id owner_id title version rank", "get folder_id id owner_id title version", "get"}
	if got := s.notes.reads(); !equalLists(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

// library is a folder of alice's with two notes, the first of which has a line.
func library(t *testing.T) *toy {
	t.Helper()
	s := serve(t)
	mail := "a@b.c"
	s.people.add(Person{ID: 2, Name: "Alice", Email: &mail})
	s.folders.add(Folder{Name: "Box", Owner: 2}) // nth(1)
	folder := nth(1)
	s.note("One", func(n *Note) { n.Folder = &folder }) // nth(2)
	s.note("Two", func(n *Note) { n.Folder = &folder }) // nth(3)
	s.lines.add(Line{Text: "first", Note: nth(2)})      // nth(4)
	s.note("Alone")                                     // nth(5)
	return s
}

func TestInclude(t *testing.T) {
	t.Parallel()
	s := library(t)
	folder := `"folder":{"id":"` + nth(1) + `","name":"Box","size":0,"created_at":"2026-01-31 09:30:01Z"}`
	line := `{"id":"` + nth(4) + `","text":"first","links":{"note":"` + nth(2) + `"}}`
	two := `{"id":"` + nth(2) + `","title":"One"`
	for _, test := range []struct{ who, call, want string }{
		{alice, "/notes/" + nth(2) + "?fields=title&include=folder", two + `,` + folder + `}`},
		{alice, "/notes/" + nth(2) + "?fields=title&include=lines,folder", two + `,"lines":[` + line + `],` + folder + `}`},
		{alice, "/notes/" + nth(2) + "?fields=title,owner.name&include=owner", two + `,"owner":{"id":2,"name":"Alice"}}`},
		{alice, "/notes/" + nth(2) + "?fields=title&include=owner", two + `,"owner":{"id":2,"name":"Alice","email":"a@b.c"}}`},
		{bob, "/notes/" + nth(2) + "?fields=title&include=owner", two + `,"owner":{"id":2,"name":"Alice"}}`},
		{bob, "/notes/" + nth(2) + "?fields=title&include=folder", two + `,"folder":null}`},
		{admin, "/notes/" + nth(2) + "?fields=title&include=folder", two + `,` + folder + `}`},
		{alice, "/notes/" + nth(5) + "?fields=id&include=folder,lines", `{"id":"` + nth(5) + `","folder":null,"lines":[]}`},
		{alice, "/notes/" + nth(2) + "/lines/" + nth(4) + "?fields=id,note.folder.name,note.title&include=note.folder",
			`{"id":"` + nth(4) + `","note":` + two + `,"folder":{"id":"` + nth(1) + `","name":"Box"}}}`},
		{alice, "/notes/" + nth(2) + "?include=lines.note.lines&fields=id,lines.id,lines.note.id,lines.note.lines.text",
			`{"id":"` + nth(2) + `","lines":[{"id":"` + nth(4) + `","note":{"id":"` + nth(2) + `","lines":[{"id":"` + nth(4) + `","text":"first"}]}}]}`},
		{alice, "/notes?sort=title&fields=title&include=lines", `{"notes":[{"id":"` + nth(5) + `","title":"Alone","lines":[]},` + two + `,"lines":[` + line + `]},{"id":"` + nth(3) +
			`","title":"Two","lines":[]}],"links":{"self":"https://api.test/notes?fields=title&include=lines&sort=title"}}`},
	} {
		s.want(t, 200, test.who, "GET "+test.call, "").is(t, test.want)
	}
	s.want(t, 200, alice, "GET /notes?include=lines.note.owner,folder", "") // whole, and so held against the schema
}

func TestIncludeRefused(t *testing.T) {
	t.Parallel()
	s := library(t)
	for _, include := range []string{"nope", "", "Folder", "folder.nope", "folder.notes.folder.notes", "folder..notes", "links", "title", "lines.note.lines.note.lines"} {
		s.do(t, alice, "GET /notes?include="+include, "").refused(t, fault.InvalidParameter, "invalid_parameter include")
	}
	s.do(t, alice, "GET /notes?include=a,b", "").refused(t, fault.InvalidParameter, "invalid_parameter include", "invalid_parameter include")
}

// TestIncludeQueries: one query for each relation, whatever the number of rows.
func TestIncludeQueries(t *testing.T) {
	t.Parallel()
	s := library(t)
	for range 50 {
		s.lines.add(Line{Text: "more", Note: s.note("x", func(n *Note) { f := nth(1); n.Folder = &f }).ID})
	}
	s.notes.reads()
	s.want(t, 200, alice, "GET /notes?include=lines.note.folder,folder,owner&limit=100", "")
	notes, folders, lines, people := s.notes.reads(), s.folders.reads(), s.lines.reads(), s.people.reads()
	if len(notes) != 2 || len(folders) != 2 || len(lines) != 1 || len(people) != 1 {
		t.Errorf("queries: notes %q folders %q lines %q people %q", notes, folders, lines, people)
	}
}
