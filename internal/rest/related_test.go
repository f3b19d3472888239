package rest_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"verbless/internal/fault"
	"verbless/internal/rest"
)

// Depot opens its members by partials; another system keeps its hours. It is found at two paths.
type Depot struct {
	ID      string    `json:"id" db:"id,key" readOnly:"true"`
	Name    string    `json:"name" db:"name" required:"true" api:"filter"`
	Phone   string    `json:"phone" db:"phone" default:"" partial:"phone"`
	Hours   *string   `json:"hours" db:"hours" partial:"hours"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"created_at" db:"created_at" readOnly:"true" partial:"full" api:"sort"`
}

// Parcel is a document, of which a member names the depot.
type Parcel struct {
	ID      string    `json:"id" db:"id,key" readOnly:"true"`
	Depot   *string   `json:"depot" db:"depot_id" maxLength:"36" api:"filter"`
	Owner   int64     `json:"-" db:"owner_id" link:"owner" api:"owner"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"created_at" db:"created_at" readOnly:"true" api:"sort"`
}

// parcels is a toy with one depot, nth(1), and one parcel in it, nth(2).
func parcels(t *testing.T, basis string) *toy {
	t.Helper()
	w := &world{clock: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)}
	s := &toy{world: w, keys: newKeys(w), people: newMemory[Person](w, "person"), log: &logbook{}}
	depots, all := newMemory[Depot](w, "depot"), newMemory[Parcel](w, "parcel")
	depots.add(Depot{Name: "North", Phone: "12"})
	depot := nth(1)
	all.add(Parcel{Depot: &depot, Owner: 2})
	s.API = rest.New(rest.Options{Base: base, Secret: []byte("a secret of the tests"), Identify: identify, Atomic: w, Keys: s.keys, Log: slog.New(slog.NewTextHandler(s.log, nil)), MaxBody: 4096,
		Policy: rest.Policy{
			"depots":  {List: rest.Everyone, Read: rest.Everyone, Create: rest.Everyone, Change: rest.Everyone},
			"parcels": {List: rest.Owners, Read: rest.Owners, Create: rest.Everyone, Change: rest.Owners},
			"people":  {List: rest.Admins, Read: rest.Everyone},
		}},
		rest.Collection[Depot]{Name: "depots", One: "depot", Path: "/v3/depots", Twin: "/depots", Shape: rest.Keyed("depot", "depots"), Store: depots, Basis: basis,
			Outside: &rest.Outside[Depot]{Member: "hours", Load: func(_ context.Context, rows []*Depot) []rest.Warning {
				t.Error("nobody asked for hours")
				return nil
			}}},
		rest.Collection[Parcel]{Name: "parcels", One: "parcel", Shape: rest.Document("parcel"), Store: all,
			Relations: []rest.Relation{{Name: "depot", To: "depots", Via: "depot_id", At: "id"}, {Name: "owner", To: "people", Via: "owner_id", At: "id"}}},
		rest.Collection[Person]{Name: "people", One: "person", Shape: rest.Bare("people"), Store: s.people, Methods: "GET"})
	return s
}

// TestRelationByAMember: relationships tell of it, whether it was included or not.
func TestRelationByAMember(t *testing.T) {
	t.Parallel()
	s := parcels(t, "")
	owner, depot := `"owner":{"data":{"type":"person","id":"2"}}`, `"depot":{"data":{"type":"depot","id":"`+nth(1)+`"}}`
	head := `{"type":"parcel","id":"` + nth(2) + `",`
	for query, want := range map[string]string{
		"fields=depot":               head + `"attributes":{"depot":"` + nth(1) + `"}}`,
		"fields=relationships":       head + `"attributes":{},"relationships":{` + owner + `,` + depot + `}}`,
		"fields=depot&include=depot": head + `"attributes":{"depot":"` + nth(1) + `"},"relationships":{` + depot + `}}`,
	} {
		for _, path := range []string{"/parcels", "/parcels/" + nth(2)} {
			if a := s.want(t, 200, alice, "GET "+path+"?"+query, ""); !strings.Contains(a.Body, want) {
				t.Errorf("%s?%s: got %s, want %s", path, query, a.Body, want)
			}
		}
	}
	path := "/parcels/" + nth(2)
	whole := s.want(t, 200, alice, "GET "+path, "")
	s.want(t, 200, alice, "PUT "+path, whole.Body)
	if a := s.want(t, 200, alice, "PATCH "+path, `{"data":{"attributes":{"depot":null}}}`); !strings.Contains(a.Body, `"depot":{"data":null}`) {
		t.Errorf("got %s", a.Body)
	}
	s.do(t, alice, "PATCH "+path, `{"data":{"relationships":{`+depot+`}}}`).refused(t, fault.ValidationFailed, "read_only /data/relationships")
}

// TestIncludedPartials: what is included shows what a GET without partials shows, and fields opens more; the other system is
// not asked on behalf of another resource.
func TestIncludedPartials(t *testing.T) {
	t.Parallel()
	s := parcels(t, "")
	for query, want := range map[string]string{
		"include=depot":                               `"attributes":{"name":"North"}}`,
		"include=depot&fields=depot.phone":            `"attributes":{"phone":"12"}}`,
		"include=depot&fields=depot.phone,depot.name": `"attributes":{"name":"North","phone":"12"}}`,
	} {
		for _, path := range []string{"/parcels", "/parcels/" + nth(2)} {
			if a := s.want(t, 200, alice, "GET "+path+"?"+query, ""); !strings.Contains(a.Body, `"included":[{"type":"depot","id":"`+nth(1)+`",`+want+`]`) {
				t.Errorf("%s?%s: got %s, want %s", path, query, a.Body, want)
			}
		}
	}
	s.do(t, alice, "GET /parcels?include=depot&fields=depot.hours", "").refused(t, fault.UnknownField, "unknown_field fields")
}

// TestLocationAtATwin leads to what was made, under the path that was used.
func TestLocationAtATwin(t *testing.T) {
	t.Parallel()
	s := parcels(t, "")
	for n, path := range []string{"/v3/depots", "/depots"} {
		s.want(t, 201, alice, "POST "+path, `{"depot":{"name":"South"}}`).has(t, "Location", base+path+"/"+nth(3+n))
	}
}

// TestBasis: when what members depend on beside the rows changes, nobody is told that nothing has changed; writes go on.
func TestBasis(t *testing.T) {
	t.Parallel()
	before, after := parcels(t, "1"), parcels(t, "2")
	for _, path := range []string{"/depots", "/depots?partials=phone", "/depots/" + nth(1), "/depots/" + nth(1) + "?fields=name", "/depots/" + nth(1) + "?partials=phone"} {
		tag := before.want(t, 200, alice, "GET "+path, "").Header.Get("ETag")
		before.want(t, 304, alice, "GET "+path, "", "If-None-Match: "+tag)
		after.want(t, 200, alice, "GET "+path, "", "If-None-Match: "+tag)
	}
	tag := before.want(t, 200, alice, "GET /depots/"+nth(1), "").Header.Get("ETag")
	after.want(t, 200, alice, "PATCH /depots/"+nth(1), `{"depot":{"name":"Centre"}}`, "If-Match: "+tag)
}
