package auth_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTranscripts(t *testing.T) { apptest.Transcripts(t) }

func TestExpiry(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		expires := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		token := s.Want(t, 201, s.Alice, "POST /users/me/tokens", `{"expires_at":"`+expires+`"}`).Text("token")
		s.Want(t, 200, token, "GET /users/me", "")
		s.Clock.Move(61 * time.Minute)
		refused := s.Want(t, 401, token, "GET /users/me", "")
		if refused.Text("code") != "token_expired" || refused.Header.Get("WWW-Authenticate") != `Bearer realm="verbless", error="invalid_token"` {
			t.Errorf("%v %s", refused.Header, refused.Body)
		}
		s.Want(t, 200, s.Alice, "GET /users/me", "")
	})
}

// TestHoldersAreForgotten asks with one token again and again: who holds it is read once as long as nothing is committed, and
// whatever becomes of the token or its user shows with the next request.
func TestHoldersAreForgotten(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		made := s.Want(t, 201, s.Alice, "POST /users/me/tokens", `{}`)
		token := made.Text("token")
		s.Want(t, 200, token, "GET /users/me", "")
		before := s.App.DB.Reads()
		for range 5 {
			s.Want(t, 200, token, "GET /users/me", "")
		}
		if reads := s.App.DB.Reads() - before; reads != 5 && !s.App.DB.Postgres() {
			t.Errorf("%d statements for 5 requests", reads)
		}
		s.Want(t, 200, s.Admin, "PATCH /users/alice", `{"username":"alison"}`)
		if name := s.Want(t, 200, token, "GET /users/me", "").Text("username"); name != "alison" {
			t.Errorf("the name is still %s", name)
		}
		s.Want(t, 403, token, "POST /users", `{"username":"x"}`)
		s.Want(t, 200, s.Admin, "PATCH /users/alison", `{"role":"admin"}`)
		s.Want(t, 201, token, "POST /users", `{"username":"x"}`)
		s.Want(t, 200, token, "GET /users/me", "")
		s.Want(t, 204, s.Admin, "DELETE /users/alison/tokens/"+made.Text("id"), "")
		s.Want(t, 401, token, "GET /users/me", "")
	})
}

// TestTokensAreHashed looks for the secret where it must not be.
func TestTokensAreHashed(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		token := s.Want(t, 201, s.Alice, "POST /users/me/tokens", `{"name":"n"}`, "Idempotency-Key: once").Text("token")
		if again := s.Want(t, 201, s.Alice, "POST /users/me/tokens", `{"name":"n"}`, "Idempotency-Key: once").Text("token"); again != token || token == "" {
			t.Errorf("the replay gave %q, the first answer %q", again, token)
		}
		for _, text := range []string{"SELECT hash FROM tokens", "SELECT answer FROM idempotency_keys"} {
			rows, err := s.App.DB.Reader(t.Context()).Query(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var kept string
				if err := rows.Scan(&kept); err != nil || kept == "" || contains(kept, token) {
					t.Errorf("%s: %q %v", text, kept, err)
				}
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func contains(kept, token string) bool {
	for i := 0; i+8 <= len(token); i++ {
		for j := 0; j+8 <= len(kept); j++ {
			if kept[j:j+8] == token[i:i+8] {
				return true
			}
		}
	}
	return false
}

// TestTheLastAdminStays lets two admins demote each other at once: one of them must be refused.
func TestTheLastAdminStays(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for range 5 {
			s.Want(t, 200, s.Admin, "PATCH /users/alice", `{"role":"admin"}`)
			var group sync.WaitGroup
			statuses := make([]int, 2)
			for i, call := range []string{"PATCH /users/admin", "PATCH /users/alice"} {
				group.Go(func() { statuses[i] = s.Call(t, []string{s.Alice, s.Admin}[i], call, `{"role":"member"}`).Status })
			}
			group.Wait()
			if statuses[0] == http.StatusOK && statuses[1] == http.StatusOK {
				t.Fatal("both admins are gone")
			}
			if statuses[0] == http.StatusOK { // alice is the admin now
				s.Want(t, 200, s.Alice, "PATCH /users/admin", `{"role":"admin"}`)
			}
		}
	})
}

func TestTokensNobodyHas(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, token := range []string{"x", "vbl_", s.Alice + "x", s.Alice[:len(s.Alice)-1], string(make([]byte, 0)) + "vbl_'--"} {
			if refused := s.Want(t, 401, token, "GET /users/me", ""); refused.Text("code") != "invalid_token" {
				t.Errorf("%q: %s", token, refused.Body)
			}
		}
		s.Want(t, 200, "", "GET /users/me", "", "Authorization: bEaReR "+s.Alice)
		s.Want(t, 401, "", "GET /users/me?access_token="+s.Alice, "")
	})
}
