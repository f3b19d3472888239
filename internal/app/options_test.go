package app_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"verbless/internal/apptest"
)

// TestOptions: what OPTIONS says that a caller may do now, for the owner, an admin, another member, and nobody.
func TestOptions(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		at := situations(t, s)
		people := map[string]string{"alice": s.Alice, "admin": s.Admin, "bob": s.Bob, "nobody": ""}
		swept := []string{}
		for _, test := range optionsTable {
			path := strings.Replace(test.path, "%s", at[test.of], 1)
			swept = append(swept, s.Routes.Pattern(path))
			for who, want := range map[string]string{"admin": test.admin, "alice": test.alice, "bob": test.bob, "nobody": test.nobody} {
				a := s.Call(t, people[who], "OPTIONS "+path, "")
				got, refused := may(t, a)
				if got != want {
					t.Errorf("%s, OPTIONS %s of a %s:\n got %s\nwant %s", who, test.path, test.of, got, want)
				}
				for method, code := range refused { // and so it is
					if a := s.Call(t, people[who], method+" "+path, cmp.Or(bodies[s.Routes.Pattern(path)], "{}")); a.Text("code") != code {
						t.Errorf("%s, %s %s: %d %s, not %s", who, method, path, a.Status, a.Text("code"), code)
					}
				}
			}
		}
		for pattern := range s.Routes.Paths {
			if !slices.Contains(swept, pattern) {
				t.Errorf("no line of the table is about %s", pattern)
			}
		}
	})
}

// situations makes one of each that the table speaks of, all of them alice's, and gives their ids.
func situations(t *testing.T, s *apptest.Server) map[string]string {
	article := func(title string) string {
		return s.Want(t, 201, s.Alice, "POST /articles", `{"title":"`+title+`"}`).Text("id")
	}
	invoice := func(contact string, moves ...string) string {
		id := s.Want(t, 201, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":1,"currency":"EUR","contact_info":`+contact+`}}}`).Text("data.id")
		for _, to := range moves {
			s.Want(t, 200, s.Alice, "PATCH /invoices/"+id, `{"data":{"attributes":{"status":"`+to+`"}}}`)
		}
		return id
	}
	const contact = `{"email":"c@example.com"}`
	at := map[string]string{"published": article("Published"), "archived": article("Archived"), "trashed": article("Trashed"),
		"draft": invoice("null"), "open": invoice("null", "published"), "sendable": invoice(contact, "published"), "sent": invoice(contact, "published", "sent"),
		"paid": invoice(contact, "published", "paid"), "reopened": invoice("null", "published", "draft")}
	s.Want(t, 200, s.Alice, "PATCH /articles/"+at["archived"], `{"status":"archived"}`)
	s.Want(t, 204, s.Alice, "DELETE /articles/"+at["trashed"], "")
	at["message"] = s.Want(t, 201, s.Alice, "POST /users/bob/messages", `{"message":"Hello"}`).Text("id")
	at["token"] = s.Want(t, 201, s.Alice, "POST /users/alice/tokens", `{"name":"n"}`).Text("id")
	at["company"] = s.Want(t, 201, s.Admin, "POST /companies", `{"company":{"name":"Acme"}}`).Text("company.uuid")
	s.Want(t, 201, s.Alice, "POST /articles/"+at["published"]+"/revisions", `{"title":"Second"}`)
	for name, below := range map[string]string{"notice": at["sent"] + "/notices", "move": at["sent"] + "/transitions"} {
		at[name] = below + "/" + s.Want(t, 200, s.Alice, "GET /invoices/"+below, "").Text("data.0.id")
	}
	attempts := at["open"] + "/payment_attempts"
	at["attempt"] = attempts + "/" + s.Want(t, 201, s.Alice, "POST /invoices/"+attempts, `{"invoice_number":"INV-000001","amount":1,"payment_token":"tok_declined"}`).Text("data.id")
	at["upload"] = s.Want(t, 200, s.Alice, "POST /uploads?uploadType=media", "a file", "Content-Type: text/plain").Text("id")
	at["avatar"] = avatarOf(t, s)
	return at
}

// may writes down in short what OPTIONS says: each method, "!" and the code when it would be refused, which members it may set,
// and what they may become.
func may(t *testing.T, a apptest.Answer) (text string, refused map[string]string) {
	t.Helper()
	if a.Status != 200 {
		return fmt.Sprint(a.Status), nil
	}
	refused = map[string]string{}
	var said struct {
		Methods map[string]struct {
			Allowed bool
			Refused string
			Schema  map[string]any
		}
		Become map[string][]string `json:"may_become"`
	}
	if err := json.Unmarshal(a.Body, &said); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, method := range slices.Sorted(maps.Keys(said.Methods)) {
		m := said.Methods[method]
		if m.Allowed == (m.Refused != "") {
			t.Errorf("%s is allowed %v, refused %q", method, m.Allowed, m.Refused)
		}
		switch {
		case !m.Allowed:
			refused[method] = m.Refused
			method += "!" + m.Refused
		case method == "PATCH":
			method += "(" + strings.Join(settable(m.Schema), ",") + ")"
		}
		words = append(words, method)
	}
	for _, name := range slices.Sorted(maps.Keys(said.Become)) {
		words = append(words, name+">"+strings.Join(said.Become[name], ","))
	}
	return strings.Join(words, " "), refused
}

// settable are the members that a schema lets be set, wherever they stand.
func settable(schema map[string]any) []string {
	properties, _ := schema["properties"].(map[string]any)
	for _, inside := range []string{"data", "attributes", "company"} {
		if inner, ok := properties[inside].(map[string]any); ok && inner["properties"] != nil {
			return settable(inner)
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if properties[name].(map[string]any)["readOnly"] != true {
			names = append(names, name)
		}
	}
	return names
}

// TestServedIsDescribed: the paths and methods that are served are those that are described, and each says so itself.
func TestServedIsDescribed(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		served := map[string]bool{}
		for _, path := range s.App.API.Paths() {
			served[path.Pattern] = true
			// No method has this name, so the answer lists those that there are.
			allow := s.Call(t, s.Admin, "BREW "+strings.NewReplacer("{", "", "}", "").Replace(path.Pattern), "").Header.Get("Allow")
			var described []string
			for method := range s.Routes.Paths[path.Pattern] {
				if method != "parameters" {
					described = append(described, strings.ToUpper(method))
				}
			}
			slices.Sort(described)
			if got := strings.Join(described, ", "); got != allow {
				t.Errorf("%s allows %s, and describes %s", path.Pattern, allow, got)
			}
		}
		for pattern := range s.Routes.Paths {
			if !served[pattern] {
				t.Errorf("%s is described, but not served", pattern)
			}
		}
	})
}
