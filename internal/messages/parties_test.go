package messages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"verbless/internal/apptest"
)

// newUser makes a member and gives a token.
func newUser(t *testing.T, s *apptest.Server, name string) string {
	t.Helper()
	s.Want(t, 201, s.Admin, "POST /users", `{"username":"`+name+`"}`)
	return s.Want(t, 201, s.Admin, "POST /users/"+name+"/tokens", `{}`).Text("token")
}

// TestEveryParty walks every call and every caller. alice sent to bob; carol has nothing to do with it.
func TestEveryParty(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		carol := newUser(t, s, "carol")
		callers := []string{s.Alice, s.Bob, carol, s.Admin, ""}
		names := []string{"sender", "recipient", "stranger", "admin", "nobody"}
		for _, test := range []struct {
			call, body string // {item} is a message of its own for each caller
			want       [5]int
		}{
			{"GET /users/bob/messages/{item}", "", [5]int{200, 200, 404, 200, 401}},
			{"HEAD /users/bob/messages/{item}", "", [5]int{200, 200, 404, 200, 401}},
			{"OPTIONS /users/bob/messages/{item}", "", [5]int{200, 200, 404, 200, 401}},
			{"GET /users/3/messages/{item}", "", [5]int{200, 200, 404, 200, 401}},
			{"GET /users/BOB/messages/{item}", "", [5]int{200, 200, 404, 200, 401}},
			{"PATCH /users/bob/messages/{item}", `{"message":"Ho"}`, [5]int{200, 403, 404, 200, 401}},
			{"PATCH /users/bob/messages/{item}", `{"metadata":{"n":1}}`, [5]int{200, 403, 404, 200, 401}},
			{"PATCH /users/bob/messages/{item}", `{"is_read":true}`, [5]int{403, 200, 404, 200, 401}},
			{"PATCH /users/bob/messages/{item}", `{"is_read":true,"message":"Ho"}`, [5]int{403, 403, 404, 200, 401}},
			{"PATCH /users/bob/messages/{item}", `{"is_read":false,"message":"Hi"}`, [5]int{200, 200, 404, 200, 401}}, // as it was
			{"PUT /users/bob/messages/{item}", `{"message":"Ho"}`, [5]int{200, 403, 404, 200, 401}},
			{"PUT /users/bob/messages/{item}", `{"message":"Hi","is_read":true}`, [5]int{403, 200, 404, 200, 401}},
			{"DELETE /users/bob/messages/{item}", "", [5]int{204, 204, 404, 204, 401}},
			{"GET /users/alice/messages/{item}", "", [5]int{404, 404, 404, 404, 401}},
			{"PATCH /users/alice/messages/{item}", `{}`, [5]int{404, 404, 404, 404, 401}},
			{"DELETE /users/alice/messages/{item}", "", [5]int{404, 404, 404, 404, 401}},
			{"GET /users/bob/messages", "", [5]int{404, 200, 404, 200, 401}},
			{"HEAD /users/bob/messages", "", [5]int{404, 200, 404, 200, 401}},
			{"OPTIONS /users/bob/messages", "", [5]int{200, 200, 200, 200, 401}},
			{"POST /users/bob/messages", `{"message":"Hi"}`, [5]int{201, 201, 201, 201, 401}},
			{"POST /users/bob/messages", `{"message":"Hi","is_read":true}`, [5]int{403, 201, 403, 201, 401}},
			{"POST /users/nobody/messages", `{"message":"Hi"}`, [5]int{404, 404, 404, 404, 401}},
			{"POST /messages", `[{"user":{"id":3},"message":"Hi"}]`, [5]int{201, 201, 201, 201, 401}},
			{"POST /messages", `[{"user":{"id":3},"message":"Hi","is_read":true}]`, [5]int{403, 201, 403, 201, 401}},
			{"GET /messages", "", [5]int{200, 200, 200, 200, 401}},
			{"OPTIONS /messages", "", [5]int{200, 200, 200, 200, 401}},
		} {
			for i, caller := range callers {
				item := s.Want(t, 201, s.Alice, "POST /users/bob/messages", `{"message":"Hi"}`).Text("id")
				call := strings.Replace(test.call, "{item}", item, 1)
				if got := s.Call(t, caller, call, test.body); got.Status != test.want[i] {
					t.Errorf("%s %s by the %s: %d, want %d\n%s", test.call, test.body, names[i], got.Status, test.want[i], got.Body)
				}
			}
		}
	})
}

// TestListsAreOnesOwn: an inbox holds what was received, /messages what the caller sent, of admins too.
func TestListsAreOnesOwn(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		s.Want(t, 201, s.Alice, "POST /messages", `[{"user":{"username":"bob"},"message":"a"},{"user":{"username":"alice"},"message":"b"}]`)
		s.Clock.Move(1e9)
		s.Want(t, 201, s.Bob, "POST /users/alice/messages", `{"message":"c"}`)
		for call, want := range map[[2]string]string{
			{s.Alice, "GET /messages"}: "ba", {s.Bob, "GET /messages"}: "c", {s.Admin, "GET /messages"}: "", {s.Alice, "GET /users/me/messages"}: "cb", {s.Bob, "GET /users/me/messages"}: "a",
			{s.Admin, "GET /users/alice/messages"}: "cb", {s.Alice, "GET /users/2/messages?sender=3"}: "c", {s.Alice, "GET /users/ALICE/messages?sender=2,3&sort=created_at"}: "bc",
			{s.Bob, "GET /messages?sender=2"}: "", {s.Alice, "GET /users/me/messages?is_read=true"}: "", {s.Alice, "GET /users/me/messages?created_at[gte]=2000-01-01T00:00:00Z&is_read=false,true"}: "cb",
		} {
			list, _ := s.Want(t, 200, call[0], call[1], "").Get("messages").([]any)
			got := ""
			for _, m := range list {
				got += m.(map[string]any)["message"].(string)
			}
			if got != want {
				t.Errorf("%s: %q, want %q", call[1], got, want)
			}
		}
		for _, bad := range []string{"sender=01", "sender=%2B1", "sender=1.0", "sender=%D9%A1", "sender=alice", "is_read=1", "user=3"} {
			s.Want(t, 400, s.Alice, "GET /messages?"+bad, "")
		}
	})
}

// lookAlikes seem to be bob, or a number; some become it when letters are folded, composed or decomposed.
var lookAlikes = []string{
	"bób", "bo\u0301b", "ｂｏｂ", "bоb", "bo\u200db", "bo\u200bb", "\u202ebob", "bob\u202c", "\u2067bob", "bob\ufeff", "bob\u00ad", "𝐛𝐨𝐛", "ⓑⓞⓑ", "ʙob", "bοb",
	"İ", "ı", "\u212a", "ﬁ", "bob\u0000", "bob ", " bob", "bob\n", "bob/", "bob%",
	"01", "+1", "1.0", "1e0", "0x1", "1_0", "0", "-1", "1 ", "١", "１", "१", "𝟏", "²", "9223372036854775808", "00000000000000000001",
}

// TestLookAlikes: none of them is anybody, neither in a path nor in a body, and nobody can be called so.
func TestLookAlikes(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, name := range lookAlikes {
			path := "/users/" + url.PathEscape(name)
			s.Want(t, 404, s.Bob, "GET "+path+"/messages", "")
			s.Want(t, 404, s.Alice, "POST "+path+"/messages", `{"message":"x"}`)
			if strings.Trim(name, "0123456789.-+ex_") == "" {
				continue // a name of digits and marks may be one; as a number it is none
			}
			quoted := quote(name)
			refused := s.Want(t, 400, s.Alice, "POST /messages", `[{"user":{"username":`+quoted+`},"message":"x"}]`)
			if refused.Text("errors.0.pointer") != "/0/user/username" || refused.Text("errors.0.code") != "bad_format" {
				t.Errorf("%q: %s", name, refused.Body)
			}
			s.Want(t, 400, s.Alice, "POST /users/bob/messages", `{"user":{"username":`+quoted+`},"message":"x"}`)
			s.Want(t, 400, s.Admin, "POST /users", `{"username":`+quoted+`}`)
		}
		for _, number := range []string{"01", "+1", "1.0", "1e0", "0", "-1", "١", "１", `"1"`, "9223372036854775808", "true", "null", "0x1", "NaN"} {
			s.Want(t, 400, s.Alice, "POST /messages", `[{"user":{"id":`+number+`},"message":"x"}]`)
		}
		if list, _ := s.Want(t, 200, s.Alice, "GET /messages", "").Get("messages").([]any); len(list) != 0 {
			t.Errorf("%d messages were sent", len(list))
		}
	})
}

func quote(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r > 0xffff {
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return `"` + b.String() + `"`
}

// TestOneNameForOne lets many take a name at once, in every case of letters.
func TestOneNameForOne(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		counts := apptest.Parallel(16, func(i int) int {
			name := []byte("dora")
			for j := range name {
				if i>>j&1 == 1 {
					name[j] -= 'a' - 'A'
				}
			}
			return s.Call(t, s.Admin, "POST /users", `{"username":"`+string(name)+`"}`).Status
		})
		if counts[http.StatusCreated] != 1 || counts[http.StatusConflict] != 15 {
			t.Errorf("got %v", counts)
		}
		id := s.Want(t, 201, s.Alice, "POST /users/dOrA/messages", `{"message":"x"}`).Get("user.id")
		if batch := s.Want(t, 201, s.Alice, "POST /messages", `[{"user":{"username":"DORA"},"message":"x"}]`); batch.Get("messages.0.user.id") != id {
			t.Errorf("not the same dora: %v and %s", id, batch.Body)
		}
	})
}
