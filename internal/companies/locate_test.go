package companies_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/companies"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

// beside runs fn with a handler as the system that keeps locations, on both engines.
func beside(t *testing.T, handler func() http.Handler, fn func(t *testing.T, s *apptest.Server, other http.Handler), adjust ...func(*config.Settings)) {
	t.Helper()
	for name, address := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := handler()
			server := httptest.NewServer(other)
			t.Cleanup(server.Close)
			fn(t, apptest.Start(t, address(t), append(adjust, func(c *config.Settings) {
				c.LocationsURL, c.LocationsToken = server.URL+"/locations", "for-the-other"
			})...), other)
		})
	}
}

func standIn() http.Handler { return &companies.StandIn{Token: "for-the-other"} }

func quick(c *config.Settings) { c.LocationsTimeout = 50 * time.Millisecond }

// add makes companies, and gives the path of the last.
func add(t *testing.T, s *apptest.Server, n int) (path string) {
	for i := range n {
		path = "/companies/" + s.Want(t, 201, s.Admin, "POST /companies", fmt.Sprintf(`{"company":{"name":"Company %d"}}`, i)).Text("company.uuid")
	}
	return path
}

func TestTheOtherSystemIsAskedOnlyWhenItMustBe(t *testing.T) {
	beside(t, standIn, func(t *testing.T, s *apptest.Server, handler http.Handler) {
		other := handler.(*companies.StandIn)
		path := add(t, s, 3)
		calls := func(want int64, what string) {
			t.Helper()
			if got := other.Calls(); got != want {
				t.Errorf("%s: %d calls, want %d", what, got, want)
			}
		}
		for _, query := range []string{"", "?partials=contact_info,enterprise", "?partials=full&fields=name,website", "?fields=locations"} {
			s.Want(t, 200, s.Alice, "GET /companies"+query, "")
			s.Want(t, 200, s.Alice, "GET "+path+query, "")
		}
		made := s.Want(t, 200, s.Admin, "PATCH "+path, `{"company":{"name":"Changed","locations":[{"name":"Ours"}]}}`)
		if strings.Contains(string(made.Body), "locations") {
			t.Errorf("a write told of locations: %s", made.Body)
		}
		calls(0, "never asked for")
		page := s.Want(t, 200, s.Alice, "GET /companies?partials=locations", "")
		calls(1, "a page")
		if page.Text("companies.2.locations.0.name") != "Head office" || page.Header.Get("Cache-Control") != "private, no-cache" || page.Get("meta") != nil {
			t.Errorf("%v %s", page.Header, page.Body)
		}
		s.Want(t, 304, s.Alice, "GET /companies?partials=locations", "", "If-None-Match: "+page.Header.Get("ETag"))
		one := s.Want(t, 200, s.Alice, "GET "+path+"?partials=full", "")
		s.Want(t, 304, s.Alice, "GET "+path+"?partials=full", "", "If-None-Match: "+one.Header.Get("ETag"))
		s.Want(t, 200, s.Admin, "PUT "+path, string(one.Body))
		calls(1, "known by now")
	})
}

func TestTheOtherSystemInTrouble(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer elsewhere.Close()
	body := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	tests := map[string]http.HandlerFunc{
		"slow":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"wrong": body(`{"locations":{}`),
		"huge":  body(`{"locations":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`),
		"dead":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"redirecting": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"against the rules": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"locations":{%q:[{"name":""}]}}`, r.URL.Query().Get("companies"))
		},
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			beside(t, func() http.Handler { return handler }, func(t *testing.T, s *apptest.Server, _ http.Handler) {
				path := add(t, s, 1)
				for _, call := range []string{"/companies", path} {
					a := s.Want(t, 200, s.Alice, "GET "+call+"?partials=locations", "")
					if !strings.Contains(string(a.Body), `"locations":null`) || a.Text("meta.warnings.0.code") != "locations_unavailable" || a.Header.Get("Cache-Control") != "no-store" {
						t.Errorf("%v %s", a.Header, a.Body)
					}
				}
				counted := s.Want(t, 200, s.Alice, "GET /companies?partials=locations", "", "Prefer: count=exact")
				if counted.Get("meta.total") != 1.0 || counted.Text("meta.warnings.0.code") != "locations_unavailable" {
					t.Errorf("counted: %s", counted.Body)
				}
				if plain := s.Want(t, 200, s.Alice, "GET /companies?partials=contact_info", ""); plain.Get("meta") != nil || plain.Header.Get("Cache-Control") != "private, no-cache" {
					t.Errorf("without locations: %v %s", plain.Header, plain.Body)
				}
			}, quick)
		})
	}
}
