package rest_test

import (
	"strings"
	"testing"

	"verbless/internal/fault"
)

// plainNote is what the API shows its owner of the first note when it was made with nothing but a title.
func plainNote(title string) string {
	return `{"id":"` + nth(1) + `","title":"` + title + `","subtitle":null,"kind":"plain","rank":5,"pinned":false,"due_at":"2030-01-01 00:00:00Z",` +
		`"done_at":null,"tags":[],"extra":{},"secret":"","folder_id":null,"created_at":"2026-01-31 09:30:00Z","updated_at":"2026-01-31 09:30:00Z","links":{"owner":"2"}}`
}

// fullNote sets every member that can be written.
const fullNote = `{"title":"Zoë & co","subtitle":"two","kind":"list","rank":7,"pinned":true,"due_at":"2026-05-01T10:00:00.5+02:00","done_at":"2026-05-02 00:00:00Z",` +
	`"tags":["a","b"],"extra":{"z":1.50,"a":[null,{"b":"c"}]},"secret":"s","folder_id":"f"}`

func TestCreated(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := s.want(t, 201, alice, "POST /notes", `{"title":"First"}`)
	a.is(t, plainNote("First"))
	a.has(t, "Location", base+"/notes/"+nth(1))
	a.has(t, "Content-Type", "application/json")
	got := s.want(t, 200, alice, "GET /notes/"+nth(1), "")
	got.is(t, plainNote("First"))
	if got.etag() != a.etag() || a.etag() == "" {
		t.Errorf("POST said %s, GET %s", a.etag(), got.etag())
	}
}

func TestEveryMemberComesBack(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.want(t, 201, alice, "POST /notes", fullNote).is(t, `{"id":"`+nth(1)+`","title":"Zoë & co","subtitle":"two","kind":"list","rank":7,"pinned":true,`+
		`"due_at":"2026-05-01 08:00:00Z","done_at":"2026-05-02 00:00:00Z","tags":["a","b"],"extra":{"z":1.50,"a":[null,{"b":"c"}]},"secret":"s","folder_id":"f",`+
		`"created_at":"2026-01-31 09:30:00Z","updated_at":"2026-01-31 09:30:00Z","links":{"owner":"2"}}`)
}

func TestListShape(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := s.want(t, 200, alice, "GET /notes", "")
	a.is(t, `{"notes":[],"links":{"self":"https://api.test/notes"}}`)
	a.has(t, "Link", `<https://api.test/notes>; rel="self"`)
	s.note("First")
	s.want(t, 200, alice, "GET /notes", "").is(t, `{"notes":[`+plainNote("First")+`],"links":{"self":"https://api.test/notes"}}`)
}

func TestKeyedShape(t *testing.T) {
	t.Parallel()
	s := serve(t)
	one := `{"folder":{"id":"` + nth(1) + `","name":"Box","size":0,"created_at":"2026-01-31 09:30:00Z"}}`
	s.want(t, 201, alice, "POST /folders", `{"folder":{"name":"Box"}}`).is(t, one)
	s.want(t, 200, alice, "GET /folders/"+nth(1), "").is(t, one)
	s.want(t, 200, alice, "GET /folders", "").is(t, `{"folders":[`+strings.TrimSuffix(strings.TrimPrefix(one, `{"folder":`), "}")+`],"links":{"self":"https://api.test/folders"}}`)
	renamed := strings.Replace(one, "Box", "Bag", 1)
	s.want(t, 200, alice, "PUT /folders/"+nth(1), renamed).is(t, renamed)
	s.want(t, 200, alice, "PATCH /folders/"+nth(1), `{"folder":{"name":"Box"}}`).is(t, one)
	s.want(t, 200, alice, "PATCH /folders/"+nth(1), `[{"op":"replace","path":"/folder/name","value":"Bag"}]`, jsonPatch).is(t, renamed)
}

func TestKeyedShapeRefused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for body, faults := range map[string][]string{
		`{"name":"Box"}`:                        {"unknown_field /name", "required /folder"},
		`{"folder":{"name":"Box"},"links":1}`:   {"unknown_field /links"},
		`{}`:                                    {"required /folder"},
		`{"folder":{"name":""},"links":1}`:      {"unknown_field /links", "out_of_range /folder/name"},
		`[]`:                                    {"wrong_type "},
		`{"folder":null}`:                       {"wrong_type /folder"},
		`{"folder":[]}`:                         {"wrong_type /folder"},
		`{"folder":{"name":"","size":1,"x":2}}`: {"unknown_field /folder/x", "out_of_range /folder/name", "read_only /folder/size"},
	} {
		s.want(t, 400, alice, "POST /folders", body).refused(t, fault.ValidationFailed, faults...)
	}
}

func TestChildCollection(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.note("Parent")
	s.note("Other")
	line := `{"id":"` + nth(3) + `","text":"one","links":{"note":"` + nth(1) + `"}}`
	a := s.want(t, 201, bob, "POST /notes/"+nth(1)+"/lines", `{"text":"one"}`)
	a.is(t, line)
	a.has(t, "Location", base+"/notes/"+nth(1)+"/lines/"+nth(3))
	s.want(t, 200, bob, "GET /notes/"+nth(1)+"/lines", "").is(t, `{"lines":[`+line+`],"links":{"self":"https://api.test/notes/`+nth(1)+`/lines"}}`)
	s.want(t, 200, bob, "GET /notes/"+nth(1)+"/lines/"+nth(3), "").is(t, line)
	s.want(t, 200, bob, "GET /notes/"+nth(2)+"/lines", "").is(t, `{"lines":[],"links":{"self":"https://api.test/notes/`+nth(2)+`/lines"}}`)
	for _, call := range []string{"GET /notes/" + nth(2) + "/lines/" + nth(3), "PATCH /notes/" + nth(2) + "/lines/" + nth(3), "DELETE /notes/" + nth(2) + "/lines/" + nth(3),
		"GET /notes/" + nth(9) + "/lines", "POST /notes/" + nth(9) + "/lines", "OPTIONS /notes/" + nth(9) + "/lines"} {
		s.do(t, admin, call, `{"text":"two"}`).refused(t, fault.NotFoundCode)
	}
}

func TestNumericKey(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.people.add(Person{ID: 2, Name: "Alice"})
	s.want(t, 200, alice, "GET /people/2", "").is(t, `{"id":2,"name":"Alice","email":null}`)
	for _, id := range []string{"02", "+2", "2.0", "0x2", "-2", "3", "99999999999999999999", "two", "%32%00"} {
		s.do(t, alice, "GET /people/"+id, "").refused(t, fault.NotFoundCode)
	}
}

func TestUnknownAddress(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, path := range []string{"//", "/nothing", "/notes/", "/notes/1", "/notes/" + strings.ToUpper(nth(1)), "/notes/" + nth(1), "/Notes", "/notes/%00", "/notes/a%2Fb"} {
		s.do(t, alice, "GET "+path, "").refused(t, fault.NotFoundCode)
	}
}

func TestDeleted(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.note("First")
	a := s.want(t, 204, alice, "DELETE /notes/"+nth(1), "this body means nothing", "Content-Type: text/nonsense")
	a.has(t, "ETag", "")
	s.do(t, alice, "GET /notes/"+nth(1), "").refused(t, fault.NotFoundCode)
	s.do(t, alice, "DELETE /notes/"+nth(1), "").refused(t, fault.NotFoundCode)
}
