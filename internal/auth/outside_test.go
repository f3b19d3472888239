package auth_test

import (
	"regexp"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/issuer/issuertest"
)

// withIssuer runs fn with a service that accepts tokens of an issuer of the test's, on both engines.
func withIssuer(t *testing.T, fn func(t *testing.T, s *apptest.Server, i *issuertest.Issuer), adjust ...func(*config.Settings)) {
	t.Helper()
	clock := &apptest.Clock{}
	i := issuertest.Start(t, clock.Now)
	apptest.Each(t, func(t *testing.T, s *apptest.Server) { fn(t, s, i) }, append(adjust, func(s *config.Settings) {
		s.OIDCIssuer, s.OIDCAudience = i.URL, issuertest.Audience
	})...)
}

func named(name string) map[string]any { return map[string]any{"preferred_username": name} }

// TestFirstSight: somebody new becomes a user, and stays that user whatever they are called later.
func TestFirstSight(t *testing.T) {
	withIssuer(t, func(t *testing.T, s *apptest.Server, i *issuertest.Issuer) {
		claims := named("carol")
		claims["name"] = "Carol C"
		token := i.Token(t, "subject-1", claims)
		me := s.Want(t, 200, token, "GET /users/me", "")
		if me.Text("username") != "carol" || me.Text("name") != "Carol C" || me.Text("role") != "member" {
			t.Errorf("%s", me.Body)
		}
		made := s.Want(t, 201, token, "POST /articles", `{"title":"From outside"}`)
		if made.Text("links.author") == "" {
			t.Errorf("%s", made.Body)
		}
		again := s.Want(t, 200, i.Token(t, "subject-1", named("renamed")), "GET /users/me", "")
		if again.Get("id") != me.Get("id") || again.Text("username") != "carol" {
			t.Errorf("another name made another user: %s", again.Body)
		}
		other := s.Want(t, 200, i.Token(t, "subject-2", named("carol")), "GET /users/me", "")
		if other.Get("id") == me.Get("id") || !regexp.MustCompile(`^carol-[a-z2-7]{6}$`).MatchString(other.Text("username")) {
			t.Errorf("the same name made the same user: %s", other.Body)
		}
		own := s.Want(t, 201, token, "POST /users/me/tokens", `{"name":"made by an outside token"}`).Text("token")
		s.Want(t, 200, own, "GET /users/me", "")
		s.Want(t, 200, s.Alice, "GET /users/me", "") // ours go on
	})
}

// TestNoTakeover: a name that a local user has is not the way into their account.
func TestNoTakeover(t *testing.T) {
	withIssuer(t, func(t *testing.T, s *apptest.Server, i *issuertest.Issuer) {
		before := s.Want(t, 200, s.Alice, "GET /users/me", "")
		for subject, name := range map[string]string{"a": "alice", "b": "ALICE", "c": "admin", "d": "Admin"} {
			me := s.Want(t, 200, i.Token(t, subject, named(name)), "GET /users/me", "")
			if me.Get("id") == before.Get("id") || me.Text("username") == name || me.Text("role") != "member" {
				t.Errorf("%s became %s", name, me.Body)
			}
		}
		after := s.Want(t, 200, s.Alice, "GET /users/me", "")
		if string(after.Body) != string(before.Body) {
			t.Errorf("alice was changed: %s", after.Body)
		}
	})
}

// TestOddNames: whatever the claim holds, a user gets a name that can be one.
func TestOddNames(t *testing.T) {
	withIssuer(t, func(t *testing.T, s *apptest.Server, i *issuertest.Issuer) {
		for name, want := range map[string]string{
			"ann@example.com": `^ann-example\.com$`, "": `^user-[a-z2-7]{6}$`, "12345": `^user-[a-z2-7]{6}$`, "me": `^user-[a-z2-7]{6}$`, "..": `^user-[a-z2-7]{6}$`,
			"Zoë Ünal": `^Zo---nal$`, "a/../b": `^a-\.\.-b$`, "x' OR 1=1 --": `^x--OR-1-1---$`,
		} {
			me := s.Want(t, 200, i.Token(t, "odd "+name, named(name)), "GET /users/me", "")
			if !regexp.MustCompile(want).MatchString(me.Text("username")) {
				t.Errorf("%q became %q", name, me.Text("username"))
			}
		}
		bare := s.Want(t, 200, i.Token(t, "no claim", nil), "GET /users/me", "")
		if !regexp.MustCompile(`^user-[a-z2-7]{6}$`).MatchString(bare.Text("username")) {
			t.Errorf("%s", bare.Body)
		}
	})
}

// TestFirstSightTogether: many first requests at once make one user.
func TestFirstSightTogether(t *testing.T) {
	withIssuer(t, func(t *testing.T, s *apptest.Server, i *issuertest.Issuer) {
		token := i.Token(t, "together", named("dora"))
		statuses := apptest.Parallel(8, func(int) int { return s.Call(t, token, "GET /users/me", "").Status })
		if statuses[200] != 8 {
			t.Errorf("%v", statuses)
		}
		if n := s.Count(t, `SELECT COUNT(*) FROM users WHERE username_key LIKE 'dora%'`); n != 1 {
			t.Errorf("%d users were made", n)
		}
	})
}

// TestRoles: where the issuer gives roles they hold at once, in both directions.
func TestRoles(t *testing.T) {
	withIssuer(t, func(t *testing.T, s *apptest.Server, i *issuertest.Issuer) {
		role := func(roles ...string) string {
			return i.Token(t, "boss", map[string]any{"roles": roles, "preferred_username": "erna"})
		}
		admin := role("boss")
		s.Want(t, 200, admin, "GET /users", "")
		s.Want(t, 201, admin, "POST /users", `{"username":"made-by-erna"}`)
		s.Want(t, 403, role("other"), "GET /users", "")
		if me := s.Want(t, 200, s.Admin, "GET /users/erna", ""); me.Text("role") != "member" {
			t.Errorf("%s", me.Body)
		}
		s.Want(t, 200, role("x", "boss"), "GET /users", "")
		if me := s.Want(t, 200, s.Admin, "GET /users/erna", ""); me.Text("role") != "admin" {
			t.Errorf("%s", me.Body)
		}
		s.Want(t, 200, role("boss"), "PATCH /users/admin", `{"role":"member"}`) // erna is the last one now
		s.Want(t, 403, role(), "GET /users", "")                                // and has no rights all the same
		s.Want(t, 200, role("boss"), "GET /users", "")
	}, func(s *config.Settings) { s.OIDCRole, s.OIDCAdmin = "roles", "boss" })
}

// TestRolesGivenHere: where it does not, what it says of roles is nothing to us.
func TestRolesGivenHere(t *testing.T) {
	withIssuer(t, func(t *testing.T, s *apptest.Server, i *issuertest.Issuer) {
		token := i.Token(t, "f", map[string]any{"preferred_username": "fritz", "roles": []string{"admin"}, "role": "admin"})
		s.Want(t, 403, token, "GET /users", "")
		s.Want(t, 200, s.Admin, "PATCH /users/fritz", `{"role":"admin"}`)
		s.Want(t, 200, token, "GET /users", "")
	})
}

// TestRemovedHere: who was removed here is out with the next request, and is not made again.
func TestRemovedHere(t *testing.T) {
	withIssuer(t, func(t *testing.T, s *apptest.Server, i *issuertest.Issuer) {
		token := i.Token(t, "gone", named("greta"))
		s.Want(t, 200, token, "GET /users/me", "")
		s.Want(t, 204, s.Admin, "DELETE /users/greta", "")
		for _, t2 := range []string{token, i.Token(t, "gone", named("greta")), i.Token(t, "gone", named("other"))} {
			if refused := s.Want(t, 401, t2, "GET /users/me", ""); refused.Text("code") != "invalid_token" {
				t.Errorf("%s", refused.Body)
			}
		}
		s.Want(t, 200, i.Token(t, "somebody else", named("greta")), "GET /users/me", "")
	})
}

// TestOutsideFaults: what a caller is told of a token that does not count.
func TestOutsideFaults(t *testing.T) {
	withIssuer(t, func(t *testing.T, s *apptest.Server, i *issuertest.Issuer) {
		late := i.Token(t, "1", map[string]any{"exp": time.Now().Add(-time.Minute).Unix()})
		if refused := s.Want(t, 401, late, "GET /users/me", ""); refused.Text("code") != "token_expired" || refused.Header.Get("WWW-Authenticate") != `Bearer realm="verbless", error="invalid_token"` {
			t.Errorf("%v %s", refused.Header, refused.Body)
		}
		for _, bad := range []string{"a.b.c", "..", i.Token(t, "1", map[string]any{"aud": "others"}), i.Token(t, "1", map[string]any{"iss": "https://evil.test"})} {
			if refused := s.Want(t, 401, bad, "GET /users/me", ""); refused.Text("code") != "invalid_token" {
				t.Errorf("%s", refused.Body)
			}
		}
		good := i.Token(t, "1", nil)
		s.Want(t, 200, good, "GET /users/me", "")
		s.Clock.Move(11 * time.Minute)
		if refused := s.Want(t, 401, good, "GET /users/me", ""); refused.Text("code") != "token_expired" {
			t.Errorf("%s", refused.Body)
		}
	})
}

// TestIssuerDown: the service starts, and serves everybody but those whose tokens it cannot judge.
func TestIssuerDown(t *testing.T) {
	clock := &apptest.Clock{}
	i := issuertest.Start(t, clock.Now)
	i.SetDown(true)
	token := i.Token(t, "1", map[string]any{"preferred_username": "hans", "exp": time.Now().Add(time.Hour).Unix()})
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		down := s.Want(t, 503, token, "GET /users/me", "")
		if down.Text("code") != "unavailable" || down.Header.Get("Retry-After") == "" {
			t.Errorf("%v %s", down.Header, down.Body)
		}
		s.Want(t, 200, s.Alice, "GET /users/me", "")
		s.Want(t, 200, "", "GET /readyz", "")
	}, func(s *config.Settings) { s.OIDCIssuer, s.OIDCAudience = i.URL, issuertest.Audience })
}

// TestNoIssuer: where none is set, its tokens are nothing.
func TestNoIssuer(t *testing.T) {
	i := issuertest.Start(t, time.Now)
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		if refused := s.Want(t, 401, i.Token(t, "1", nil), "GET /users/me", ""); refused.Text("code") != "invalid_token" {
			t.Errorf("%s", refused.Body)
		}
		if i.Asks() != 0 {
			t.Error("somebody asked the issuer")
		}
	})
}
