package companies

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// StandIn plays the system that keeps locations, for trying things out: it makes some up for every company.
// Its troubles can be changed while it runs.
type StandIn struct {
	Token    string       // what callers must send; empty: nothing
	Singly   bool         // it takes no calls for many
	delay    atomic.Int64 // before every answer
	failures atomic.Int64 // out of a hundred
	calls    atomic.Int64
}

// Trouble sets how long every answer takes, and how many out of a hundred are failures.
func (s *StandIn) Trouble(delay time.Duration, failures int) {
	s.delay.Store(int64(delay))
	s.failures.Store(int64(failures))
}

// Calls is how often it was asked.
func (s *StandIn) Calls() int64 { return s.calls.Load() }

// ServeHTTP answers GET /locations?companies=a,b and GET /locations/a.
func (s *StandIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.calls.Add(1)
	if wait := time.Duration(s.delay.Load()); wait > 0 {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
	}
	one, single := strings.CutPrefix(r.URL.Path, "/locations/")
	switch {
	case s.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Token:
		w.WriteHeader(http.StatusUnauthorized)
	case rand.Int64N(100) < s.failures.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	case !single && r.URL.Path != "/locations":
		w.WriteHeader(http.StatusNotFound)
	case r.Method != http.MethodGet, !single && s.Singly:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case single:
		reply(w, madeUp(one))
	default:
		all := map[string][]Location{}
		for uuid := range strings.SplitSeq(r.URL.Query().Get("companies"), ",") {
			all[uuid] = madeUp(uuid)
		}
		reply(w, all)
	}
}

func reply(w http.ResponseWriter, locations any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"locations": locations}) // an error here is a caller that went away
}

// madeUp are the same locations for the same company, always.
func madeUp(uuid string) []Location {
	cities := []string{"Bern", "Lyon", "Oslo", "Porto", "Turku"}
	sum := 0
	for _, b := range []byte(uuid) {
		sum += int(b)
	}
	return []Location{{Name: "Head office", Address: "1 Main Street", City: cities[sum%len(cities)]}}
}
