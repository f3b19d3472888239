package companies_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTranscripts(t *testing.T) { apptest.Transcripts(t) }

const acme = `{"company":{"name":"Acme","contact_info":{"email":"ann@acme.example"},"employee_count":500,"website":"https://acme.example","locations":[{"name":"Head office","city":"Bern"}]}}`

const (
	brief = "name status uuid"
	whole = "contact_info created_at employee_count enterprise industry locations metadata name status updated_at uuid website"
)

// members are the names of what an answer shows, in the order of the alphabet.
func members(t *testing.T, a apptest.Answer) string {
	t.Helper()
	var one struct{ Company map[string]any }
	if err := json.Unmarshal(a.Body, &one); err != nil {
		t.Fatal(err)
	}
	return strings.Join(slices.Sorted(maps.Keys(one.Company)), " ")
}

func TestPartials(t *testing.T) {
	tests := []struct{ query, want string }{
		{"", brief},
		{"?partials=", brief},
		{"?partials=nope", brief},
		{"?partials=Full", brief},
		{"?partials=name", brief},
		{"?partials=website", brief},
		{"?partials=contact_info", "contact_info " + brief},
		{"?partials=locations", "locations " + brief},
		{"?partials=enterprise", "enterprise " + brief},
		{"?partials=nope,locations,,locations", "locations " + brief},
		{"?partials=contact_info,locations,enterprise", "contact_info enterprise locations " + brief},
		{"?partials=full", whole},
		{"?partials=locations,full,nope", whole},
		{"?partial=locations", "locations " + brief},
		{"?include=full", whole},
		{"?include=nope", brief},
		{"?partials=locations&partial=enterprise&include=contact_info", "contact_info enterprise locations " + brief},
		{"?fields=name", "name uuid"},
		{"?fields=website", "uuid"},
		{"?partials=full&fields=website,name", "name uuid website"},
		{"?partials=locations&fields=locations,website", "locations uuid"},
	}
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		uuid := s.Want(t, 201, s.Admin, "POST /companies", acme).Text("company.uuid")
		for _, test := range tests {
			for _, path := range []string{"/companies", "/api/v3/companies"} {
				if got := members(t, s.Want(t, 200, s.Alice, "GET "+path+"/"+uuid+test.query, "")); got != test.want {
					t.Errorf("%s: got %s, want %s", test.query, got, test.want)
				}
				var page struct{ Companies []map[string]any }
				if err := json.Unmarshal(s.Want(t, 200, s.Alice, "GET "+path+test.query, "").Body, &page); err != nil || len(page.Companies) != 1 {
					t.Fatalf("%s: %v %v", test.query, page, err)
				}
				if got := strings.Join(slices.Sorted(maps.Keys(page.Companies[0])), " "); got != test.want {
					t.Errorf("list%s: got %s, want %s", test.query, got, test.want)
				}
			}
		}
		s.Want(t, 400, s.Alice, "GET /companies?fields=nope", "")
		s.Want(t, 400, s.Alice, "GET /companies?partials=full&partials=full", "")
	})
}

func TestTagsOfPartials(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		uuid := s.Want(t, 201, s.Admin, "POST /companies", acme).Text("company.uuid")
		for _, path := range []string{"/companies", "/companies/" + uuid} {
			tag := func(query string) string { return s.Want(t, 200, s.Alice, "GET "+path+query, "").Header.Get("ETag") }
			seen := map[string]string{}
			for _, query := range []string{"", "?partials=locations", "?partials=enterprise", "?partials=enterprise,locations", "?partials=full", "?partials=full&fields=name"} {
				if other, twice := seen[tag(query)]; twice {
					t.Errorf("%q and %q have one ETag", query, other)
				}
				seen[tag(query)] = query
			}
			if tag("?partials=locations,enterprise") != tag("?partials=enterprise,locations") || tag("?partials=nope") != tag("") || tag("?include=full") != tag("?partials=full") {
				t.Error("the order or the spelling changed the ETag")
			}
			s.Want(t, 304, s.Alice, "GET "+path+"?partials=locations,enterprise", "", "If-None-Match: "+tag("?partials=enterprise,locations"))
			s.Want(t, 200, s.Alice, "GET "+path+"?partials=locations", "", "If-None-Match: "+tag("?partials=enterprise,locations"))
			if path == "/companies" {
				continue
			}
			s.Want(t, 200, s.Admin, "PATCH "+path, `{"company":{}}`, "If-Match: "+tag("?partials=locations"))
		}
	})
}

func TestVersions(t *testing.T) {
	tests := []struct {
		accept string
		status int
	}{
		{"application/vnd.verbless+v3+json", 200},
		{"application/json", 200},
		{"application/*", 200},
		{"application/vnd.verbless+v3+json, application/vnd.verbless+v2+json", 200},
		{"application/vnd.verbless+v1+json", 406},
		{"application/vnd.verbless+v2+json", 406},
		{"application/vnd.verbless+v4+json", 406},
		{"application/vnd.verbless+v03+json", 406},
		{"application/vnd.verbless+json", 406},
		{"text/html", 406},
	}
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, path := range []string{"/companies", "/api/v3/companies"} {
			for _, test := range tests {
				a := s.Want(t, test.status, s.Alice, "GET "+path, "", "Accept: "+test.accept)
				available, _ := json.Marshal(a.Get("available"))
				if test.status == 406 && string(available) != `["application/json","application/vnd.verbless+v3+json"]` {
					t.Errorf("%s: the list is %s", test.accept, available)
				}
			}
			s.Want(t, 201, s.Admin, "POST "+path, acme, "Content-Type: application/vnd.verbless+v3+json")
			s.Want(t, 415, s.Admin, "POST "+path, acme, "Content-Type: application/vnd.verbless+v1+json")
		}
		s.Want(t, 404, s.Alice, "GET /api/v2/companies", "")
	})
}

func TestDeprecatedSpellings(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for query, old := range map[string]bool{"": false, "?partials=full": false, "?partial=full": true, "?include=locations": true} {
			h := s.Want(t, 200, s.Alice, "GET /companies"+query, "").Header
			told := h.Get("Deprecation") == "@1793491200" && h.Get("Sunset") == "Mon, 01 Nov 2027 00:00:00 GMT" && strings.Contains(strings.Join(h.Values("Link"), " "), `rel="deprecation"`)
			none := h.Get("Deprecation") == "" && h.Get("Sunset") == "" && !strings.Contains(strings.Join(h.Values("Link"), " "), "deprecation")
			if old && !told || !old && !none {
				t.Errorf("%q: %v", query, h)
			}
		}
		marked := map[string]bool{}
		for _, p := range s.Routes.Paths["/companies"]["get"].(map[string]any)["parameters"].([]any) {
			if param := p.(map[string]any); param["deprecated"] == true {
				marked[param["name"].(string)] = true
			}
		}
		if !maps.Equal(marked, map[string]bool{"partial": true, "include": true}) {
			t.Errorf("described as deprecated: %v", marked)
		}
	})
}

func TestEnterprise(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path := "/companies/" + s.Want(t, 201, s.Admin, "POST /companies", `{"company":{"name":"Small"}}`).Text("company.uuid")
		for _, step := range []struct {
			count string
			want  bool
		}{{"49", false}, {"50", true}, {"null", false}, {"51", true}, {"0", false}} {
			changed := s.Want(t, 200, s.Admin, "PATCH "+path, `{"company":{"employee_count":`+step.count+`}}`)
			read := s.Want(t, 200, s.Alice, "GET "+path+"?partials=enterprise", "")
			listed := s.Want(t, 200, s.Alice, "GET /companies?enterprise=true", "", "Prefer: count=exact")
			if changed.Get("company.enterprise") != step.want || read.Get("company.enterprise") != step.want || (listed.Get("meta.total") == 1.0) != step.want {
				t.Errorf("with %s: %s %s %s", step.count, changed.Body, read.Body, listed.Body)
			}
		}
		s.Want(t, 400, s.Admin, "PATCH "+path, `{"company":{"enterprise":true}}`)
		s.Want(t, 400, s.Alice, "GET /companies?enterprise=1", "")
	}, func(c *config.Settings) { c.EnterpriseSize = 50 })
}

func TestBadCompanies(t *testing.T) {
	tests := []struct{ body, pointer, code string }{
		{`{"company":{}}`, "/company/name", "required"},
		{`{"company":{"name":""}}`, "/company/name", "out_of_range"},
		{`{"name":"Acme"}`, "/name", "unknown_field"},
		{`{"company":{"name":"A","status":"gone"}}`, "/company/status", "not_allowed_value"},
		{`{"company":{"name":"A","uuid":"x"}}`, "/company/uuid", "read_only"},
		{`{"company":{"name":"A","enterprise":true}}`, "/company/enterprise", "read_only"},
		{`{"company":{"name":"A","website":"ftp://a"}}`, "/company/website", "bad_format"},
		{`{"company":{"name":"A","employee_count":-1}}`, "/company/employee_count", "out_of_range"},
		{`{"company":{"name":"A","employee_count":1.5}}`, "/company/employee_count", "wrong_type"},
		{`{"company":{"name":"A","contact_info":{}}}`, "/company/contact_info/email", "required"},
		{`{"company":{"name":"A","contact_info":{"email":"x"}}}`, "/company/contact_info/email", "bad_format"},
		{`{"company":{"name":"A","contact_info":{"email":"a@b.ch","fax":"1"}}}`, "/company/contact_info/fax", "unknown_field"},
		{`{"company":{"name":"A","contact_info":"a@b.ch"}}`, "/company/contact_info", "wrong_type"},
		{`{"company":{"name":"A","locations":{}}}`, "/company/locations", "wrong_type"},
		{`{"company":{"name":"A","locations":[{"name":"x"},{}]}}`, "/company/locations/1/name", "required"},
		{`{"company":{"name":"A","locations":["x"]}}`, "/company/locations/0", "wrong_type"},
	}
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, test := range tests {
			a := s.Want(t, 400, s.Admin, "POST /companies", test.body)
			if a.Text("errors.0.pointer") != test.pointer || a.Text("errors.0.code") != test.code {
				t.Errorf("%s: %s", test.body, a.Body)
			}
		}
		s.Want(t, 403, s.Alice, "POST /companies", acme)
	})
}

// What was read in full can be sent back, and a patch reaches members that no GET has shown.
func TestWritesWorkOnTheWhole(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		made := s.Want(t, 201, s.Admin, "POST /companies", acme)
		if members(t, made) != whole {
			t.Errorf("made: %s", made.Body)
		}
		path := "/api/v3/companies/" + made.Text("company.uuid")
		s.Want(t, 200, s.Admin, "PATCH "+path, `[{"op":"test","path":"/company/locations/0/city","value":"Bern"},{"op":"replace","path":"/company/contact_info/phone","value":"12"}]`, "Content-Type: application/json-patch+json")
		now := s.Want(t, 200, s.Admin, "PATCH "+path, `{"company":{"contact_info":{"name":"Ann"},"locations":null}}`)
		if contact, _ := json.Marshal(now.Get("company.contact_info")); string(contact) != `{"email":"ann@acme.example","name":"Ann","phone":"12"}` {
			t.Errorf("contact: %s", contact)
		}
		if list, ok := now.Get("company.locations").([]any); !ok || len(list) != 0 {
			t.Errorf("locations: %s", now.Body)
		}
		gone := s.Want(t, 200, s.Admin, "PATCH "+path, `{"company":{"contact_info":null}}`, "Content-Type: application/merge-patch+json")
		if gone.Get("company.contact_info") != nil {
			t.Errorf("contact: %s", gone.Body)
		}
		tag := s.Want(t, 200, s.Admin, "GET "+path+"?partials=full", "")
		s.Want(t, 200, s.Admin, "PUT "+path, string(tag.Body))
		s.Want(t, 304, s.Admin, "GET "+path+"?partials=full", "", "If-None-Match: "+tag.Header.Get("ETag"))
		s.Want(t, 200, s.Admin, "PUT "+path, `{"company":{"name":"Bare"}}`)
		if bare := s.Want(t, 200, s.Admin, "GET "+path+"?partials=full", ""); bare.Get("company.website") != nil || bare.Text("company.status") != "active" {
			t.Errorf("bare: %s", bare.Body)
		}
	})
}

func TestFiltersAndOrder(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, c := range []string{`"name":"B","status":"prospect"`, `"name":"A","status":"inactive","employee_count":900`, `"name":"C","employee_count":3`} {
			s.Want(t, 201, s.Admin, "POST /companies", `{"company":{`+c+`}}`)
		}
		for query, want := range map[string]string{
			"": "C A B", "sort=name": "A B C", "sort=name&sort-dir=desc": "C B A", "sort=created_at": "B A C", "status=prospect,inactive": "A B",
			"name=C": "C", "enterprise=true": "A", "enterprise=false&sort=name": "B C", "enterprise=true,false": "C A B",
		} {
			var page struct{ Companies []struct{ Name string } }
			if err := json.Unmarshal(s.Want(t, 200, s.Alice, "GET /companies?"+query, "").Body, &page); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, c := range page.Companies {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
		s.Want(t, 400, s.Alice, "GET /companies?status=gone", "")
		s.Want(t, 400, s.Alice, "GET /companies?sort=website", "")
		first := s.Want(t, 200, s.Alice, "GET /companies?limit=2&sort=name&partials=enterprise", "")
		next := s.Want(t, 200, s.Alice, "GET "+first.Text("links.next"), "")
		if next.Text("companies.0.name") != "C" || next.Get("companies.0.enterprise") != false {
			t.Errorf("the next page: %s", next.Body)
		}
	})
}

func TestOneOfManyWritersWins(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		made := s.Want(t, 201, s.Admin, "POST /companies", acme)
		tag := made.Header.Get("ETag")
		counts := apptest.Parallel(8, func(i int) int {
			return s.Call(t, s.Admin, "PATCH /companies/"+made.Text("company.uuid"), `{"company":{"employee_count":`+string(rune('1'+i))+`}}`, "If-Match: "+tag).Status
		})
		if !maps.Equal(counts, map[int]int{200: 1, 412: 7}) {
			t.Errorf("statuses: %v", counts)
		}
	})
}

// What a setting decides is not taken for unchanged when the setting changes.
func TestAnotherSizeOfEnterprises(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path := "/companies/" + s.Want(t, 201, s.Admin, "POST /companies", acme).Text("company.uuid")
		node := s.Beside(t, func(c *config.Settings) { c.EnterpriseSize = 501 })
		for _, call := range []string{"GET " + path + "?partials=enterprise", "GET /companies?partials=enterprise", "GET /companies?partials=full&fields=enterprise"} {
			before := s.Want(t, 200, s.Alice, call, "")
			s.Want(t, 304, s.Alice, call, "", "If-None-Match: "+before.Header.Get("ETag"))
			after := node.Want(t, 200, s.Alice, call, "", "If-None-Match: "+before.Header.Get("ETag"))
			if !strings.Contains(string(before.Body), `"enterprise":true`) || !strings.Contains(string(after.Body), `"enterprise":false`) {
				t.Errorf("%s: %s %s", call, before.Body, after.Body)
			}
		}
		tag := s.Want(t, 200, s.Admin, "GET "+path, "").Header.Get("ETag")
		node.Want(t, 200, s.Admin, "PATCH "+path, `{"company":{"name":"Acme & Sons"}}`, "If-Match: "+tag)
	})
}
