package companies_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/companies"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

// TestASlowNeighbour: with the other system at five seconds a call and three failures out of ten, companies without locations
// go on as if nothing were the matter, nothing is left running, and locations come back when the system is well.
func TestASlowNeighbour(t *testing.T) {
	for name, address := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) { // one after the other: goroutines are counted
			other := &companies.StandIn{}
			server := httptest.NewServer(other)
			defer server.Close()
			s := apptest.Start(t, address(t), func(c *config.Settings) {
				c.LocationsURL, c.LocationsTimeout, c.LocationsRest = server.URL+"/locations", 50*time.Millisecond, 100*time.Millisecond
				c.LocationsFresh, c.LocationsStale = 0, 0 // what is shown was heard just now
				c.OTLPEndpoint = ""                       // whoever sends traces keeps connections of its own
			})
			path := add(t, s, 30)
			everybody(t, s, path, 0) // so that connections and threads are there already
			before := goroutines(server, 0)
			other.Trouble(5*time.Second, 30)
			calls := other.Calls()
			asked := everybody(t, s, path, 12)
			if calls = other.Calls() - calls; calls == 0 || calls >= int64(asked) {
				t.Errorf("%d calls for %d answers that show locations", calls, asked)
			}
			if now := goroutines(server, before); now > before {
				t.Errorf("%d goroutines, %d before:\n%s", now, before, strings.Join(stacks(), "\n\n"))
			}
			other.Trouble(0, 0)
			// Each answer waits at most the limit, and nobody is asked while the breaker is open. Once it is closed, every page is a call.
			for n, streak := 0, 0; streak < 20; n++ {
				calls := other.Calls()
				a := s.Want(t, 200, s.Alice, "GET /companies?partials=locations", "")
				whole := a.Text("companies.0.locations.0.name") == "Head office" && a.Get("meta") == nil
				if streak++; !whole { // or the machine was too busy to be in time
					streak = 0
				} else if other.Calls() == calls {
					t.Errorf("nobody was asked for this: %s", a.Body)
				}
				if n == 100_000 {
					t.Fatalf("locations never came back for good: %s", a.Body)
				}
			}
		})
	}
}

// everybody asks for companies, some with locations and some without, and gives how many asked for locations.
func everybody(t *testing.T, s *apptest.Server, path string, each int) (asked int) {
	t.Helper()
	var all sync.WaitGroup
	for who := range 8 {
		for _, call := range []string{path, "/companies"} {
			asked += each + 1
			all.Go(func() {
				for n := range each + 1 {
					a := s.Want(t, 200, s.Alice, fmt.Sprintf("GET %s?partials=locations&fields=locations", call), "")
					if missing := strings.Contains(string(a.Body), "null"); missing != (a.Get("meta.warnings") != nil) || missing != (a.Header.Get("Cache-Control") == "no-store") {
						t.Errorf("%d-%d: %v %s", who, n, a.Header, a.Body)
					}
					plain := s.Want(t, 200, s.Alice, "GET "+call+"?partials=contact_info,enterprise", "")
					if plain.Get("meta") != nil || plain.Header.Get("Cache-Control") != "private, no-cache" {
						t.Errorf("without locations: %v %s", plain.Header, plain.Body)
					}
				}
			})
		}
	}
	all.Wait()
	return asked
}

// goroutines counts what runs when all connections have been given up. It waits for those to end, until there are no more than so many.
func goroutines(server *httptest.Server, most int) (n int) {
	n = len(stacks())
	patience := 300 // the fewest that there are for a while
	if most > 0 {
		patience = 3_000 // a busy machine may take long to end them
	}
	for quiet := 0; n > most && quiet < patience; quiet++ {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		server.CloseClientConnections()
		time.Sleep(time.Millisecond)
		if now := len(stacks()); now < n {
			n, quiet = now, 0
		}
	}
	return n
}

// stacks are what the goroutines of HTTP and of our own code do. The store's drivers have others, which come and go as they like.
func stacks() []string {
	text := make([]byte, 1<<20)
	all := strings.Split(string(text[:runtime.Stack(text, true)]), "\n\n")
	return slices.DeleteFunc(all, func(one string) bool {
		return !strings.Contains(one, "net/http.") && !strings.Contains(one, "verbless/internal/")
	})
}

// hanging is a system that answers nobody until it is told to.
type hanging struct{ arrived, release chan struct{} }

func (h hanging) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	h.arrived <- struct{}{}
	<-h.release
	fmt.Fprint(w, `{"locations":{}}`)
}

// TestWhoDoesNotAskDoesNotWait: while every call to the other system hangs, and everybody who asked for locations waits, whoever
// did not is answered.
func TestWhoDoesNotAskDoesNotWait(t *testing.T) {
	start := func() http.Handler { return hanging{make(chan struct{}, 100), make(chan struct{})} }
	beside(t, start, func(t *testing.T, s *apptest.Server, handler http.Handler) {
		other := handler.(hanging)
		var paths []string
		for range 12 {
			paths = append(paths, add(t, s, 1))
		}
		var waiting sync.WaitGroup
		var answered atomic.Int64
		for _, path := range paths { // more than there may be calls at once
			waiting.Go(func() {
				s.Want(t, 200, s.Alice, "GET "+path+"?partials=locations", "")
				answered.Add(1)
			})
		}
		<-other.arrived
		<-other.arrived
		for _, path := range append(paths, "/companies") {
			s.Want(t, 200, s.Alice, "GET "+path+"?partials=contact_info", "")
		}
		if n := answered.Load(); n != 0 {
			t.Errorf("%d did not wait for locations, so this shows nothing", n)
		}
		close(other.release)
		waiting.Wait()
	}, func(c *config.Settings) { c.LocationsTimeout, c.LocationsCalls = time.Minute, 2 })
}
