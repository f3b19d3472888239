package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

// TestOthers: what others may see but not change is 403, what they may not see is 404, to the letter as if it were not there.
func TestOthers(t *testing.T) {
	t.Parallel()
	s := library(t)
	note, folder := "/notes/"+nth(2), "/folders/"+nth(1)
	for _, write := range writes {
		s.do(t, bob, write.method+" "+note, write.body).refused(t, fault.ForbiddenCode)
	}
	for _, call := range []string{"GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"} {
		hidden := s.do(t, bob, call+" "+folder, `{"folder":{"name":"x"}}`)
		missing := s.do(t, bob, call+" /folders/"+nth(9), `{"folder":{"name":"x"}}`)
		if hidden.Status != 404 || hidden.Body != missing.Body {
			t.Errorf("%s: %d %s", call, hidden.Status, hidden.Body)
		}
	}
	s.do(t, alice, "DELETE "+folder, "").refused(t, fault.ForbiddenCode)
	s.do(t, admin, "DELETE "+folder, "").refused(t, fault.ForbiddenCode) // Nobody means nobody
	s.want(t, 200, admin, "PATCH "+folder, `{"folder":{"name":"x"}}`)
	s.want(t, 200, admin, "PATCH "+note, `{"title":"x"}`)
	if owner := s.notes.rows[0].Owner; owner != 2 {
		t.Errorf("the note now belongs to %d", owner)
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	s := library(t)
	s.folders.add(Folder{Name: "Bob's", Owner: 3})
	for who, want := range map[string]string{alice: "Box", bob: "Bob's", admin: "Bob's Box"} {
		a := s.want(t, 200, who, "GET /folders", "", "Prefer: count=exact")
		if got := strings.Join(a.all(t, "folders", "name"), " "); got != want {
			t.Errorf("%s sees %s", who, got)
		}
		if total := fmt.Sprint(len(a.all(t, "folders", "name"))); fmt.Sprint(a.at(t, "meta.total")) != total {
			t.Errorf("%s is told of %v", who, a.at(t, "meta.total"))
		}
	}
	s.do(t, alice, "GET /people", "").refused(t, fault.ForbiddenCode)
	s.want(t, 200, admin, "GET /people", "")
}

// TestOwnerIsWhoCreates: nobody makes a thing for somebody else.
func TestOwnerIsWhoCreates(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for i, who := range []string{alice, bob, admin} {
		s.want(t, 201, who, "POST /notes", `{"title":"x"}`)
		if got := s.notes.rows[i].Owner; got != actors[who].ID {
			t.Errorf("%s's note belongs to %d", who, got)
		}
	}
}

// TestPrivateMembers are shown to the owner and to admins, everywhere.
func TestPrivateMembers(t *testing.T) {
	t.Parallel()
	s, path, _ := full(t)
	for who, sees := range map[string]bool{alice: true, admin: true, bob: false} {
		for _, call := range []string{"GET " + path, "GET /notes", "GET " + path + "?fields=secret", "GET /notes?fields=secret,title"} {
			if got := strings.Contains(s.want(t, 200, who, call, "").Body, `"secret"`); got != sees {
				t.Errorf("%s, %s: secret shown is %v", who, call, got)
			}
		}
	}
}

// TestPrivateStays: who may change a thing but not see all of it does not wipe what they do not see.
func TestPrivateStays(t *testing.T) {
	t.Parallel()
	s := serve(t, func(o *rest.Options) {
		o.Policy["notes"] = rest.Rights{List: rest.Everyone, Read: rest.Everyone, Create: rest.Everyone, Change: rest.Everyone}
	})
	s.want(t, 201, alice, "POST /notes", fullNote)
	path := "/notes/" + nth(1)
	seen := s.want(t, 200, bob, "GET "+path, "").Body
	s.want(t, 200, bob, "PUT "+path, strings.Replace(seen, "Zoë & co", "Bob", 1))
	s.want(t, 200, bob, "PATCH "+path, `{"rank":1}`)
	s.want(t, 200, bob, "PATCH "+path, `[{"op":"replace","path":"/rank","value":2}]`, jsonPatch)
	s.do(t, bob, "PATCH "+path, `[{"op":"test","path":"/secret","value":"s"}]`, jsonPatch).refused(t, fault.PatchConflict, "patch_conflict /0/path")
	if note := s.notes.rows[0]; note.Secret != "s" || note.Title != "Bob" || note.Rank != 2 {
		t.Errorf("the note is now %+v", note)
	}
}

func TestCreateForbidden(t *testing.T) {
	t.Parallel()
	s := serve(t, func(o *rest.Options) { o.Policy["notes"] = rest.Rights{Read: rest.Everyone, Create: rest.Admins} })
	s.do(t, alice, "POST /notes", `{"title":"x"}`).refused(t, fault.ForbiddenCode)
	s.do(t, alice, "GET /notes", "").refused(t, fault.ForbiddenCode)
	s.do(t, admin, "GET /notes", "").refused(t, fault.ForbiddenCode)
	s.want(t, 201, admin, "POST /notes", `{"title":"x"}`)
}
