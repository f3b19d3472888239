package rest_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"verbless/internal/change"
	"verbless/internal/describe"
	"verbless/internal/fault"
	"verbless/internal/rest"
	"verbless/internal/trip"
)

// Bill is the toy resource with the shape of a document.
type Bill struct {
	ID      string    `json:"id" db:"id,key" readOnly:"true"`
	Title   string    `json:"title" db:"title" required:"true" minLength:"1" api:"sort"`
	State   string    `json:"state" db:"state" enum:"open,closed" default:"open" api:"filter"`
	Payer   *Payer    `json:"payer" db:"payer"`
	Parts   []Part    `json:"parts" db:"parts" maxItems:"2"`
	Owner   int64     `json:"-" db:"owner_id" link:"owner" api:"owner"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"created_at" db:"created_at" readOnly:"true" api:"sort"`
}

// Payer is a member with members.
type Payer struct {
	Email string `json:"email" required:"true" format:"email"`
	Phone string `json:"phone" default:""`
}

// Part is one of several.
type Part struct {
	Name string `json:"name" required:"true"`
	Due  string `json:"due" format:"date" default:"2026-01-31"`
}

// Try lies under a bill. What POST makes is finished after it is committed.
type Try struct {
	ID      string    `json:"id" db:"id,key" readOnly:"true"`
	Word    string    `json:"word" db:"word" required:"true"`
	State   string    `json:"state" db:"state" readOnly:"true"`
	Bill    string    `json:"-" db:"bill_id" link:"bill" api:"parent"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"created_at" db:"created_at" readOnly:"true"`
}

// office is a toy of bills.
type office struct {
	*toy
	bills  *memory[Bill]
	tries  *memory[Try]
	finish func(made *Try) error // spoils the end of a try
	ends   int
}

func bills(t testing.TB) *office {
	t.Helper()
	w := &world{clock: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)}
	o := &office{toy: &toy{world: w, keys: newKeys(w), people: newMemory[Person](w, "person"), log: &logbook{}}, bills: newMemory[Bill](w, "bill"), tries: newMemory[Try](w, "try")}
	o.people.add(Person{ID: 2, Name: "Alice"})
	tries := rest.Collection[Try]{Name: "tries", One: "try", Shape: rest.Document("try").OrBare(), Store: o.tries, Methods: "GET POST", Finish: o.end,
		Options: func(call *rest.Call, description map[string]any) error {
			description["extra"] = call.Param("bill")
			return nil
		}}
	state := rest.Route{Path: "/state", Operations: []*rest.Operation{{Method: http.MethodGet, ID: "getState", Summary: "The state", Handle: func(c *rest.Call) (*rest.Answer, error) {
		bill, err := rest.Above[Bill](c)
		if err != nil {
			return nil, err
		}
		return c.Fresh([]byte(`{"state":"` + bill.State + `","self":"` + c.Self() + `"}`)), nil
	}}}}
	o.API = describe.New(rest.Options{Base: base, Secret: []byte("a secret of the tests"), Identify: identify, Atomic: w, Keys: o.keys, Log: slog.New(trip.Log(slog.NewTextHandler(o.log, nil))), MaxBody: 4096,
		Policy: rest.Policy{
			"bills":  {List: rest.Owners, Read: rest.Owners, Create: rest.Everyone, Change: rest.Owners, Remove: rest.Owners},
			"tries":  {List: rest.Owners, Read: rest.Owners, Create: rest.Owners},
			"people": {List: rest.Admins, Read: rest.Everyone},
		}},
		rest.Collection[Bill]{Name: "bills", One: "bill", Shape: rest.Document("bill"), Store: o.bills, Under: []rest.Resource{state, tries},
			Relations: []rest.Relation{{Name: "owner", To: "people", Via: "owner_id", At: "id"}, {Name: "tries", To: "tries", Via: "id", At: "bill_id", Many: true}},
			Links: []rest.Link[Bill]{{Name: "state", Path: "/state"},
				{Name: "try", Path: "/tries", Method: "POST", Type: "application/json", When: func(b *Bill) bool { return b.State == "open" }}}},
		rest.Collection[Person]{Name: "people", One: "person", Shape: rest.Bare("people"), Store: o.people, Methods: "GET"})
	return o
}

// end is what follows a try.
func (o *office) end(ctx context.Context, _ change.Actor, made *Try) (*Try, error) {
	o.ends++
	if o.finish != nil {
		if err := o.finish(made); err != nil {
			return nil, err
		}
	}
	now := *made
	now.State = "ended"
	return &now, o.world.Do(ctx, func(context.Context) error {
		for i, row := range o.tries.rows {
			if row.ID == made.ID {
				o.tries.rows[i] = &now
			}
		}
		return nil
	})
}

func oneBill(title, state, more string) string {
	try := `,"try":{"href":"` + base + `/bills/` + nth(1) + `/tries","meta":{"method":"POST","type":"application/json"}}`
	if state != "open" {
		try = ""
	}
	return `{"data":{"type":"bill","id":"` + nth(1) + `","attributes":{"title":"` + title + `","state":"` + state + `","payer":null,"parts":[],"created_at":"2026-01-31 09:30:01Z"},` +
		`"relationships":{"owner":{"data":{"type":"person","id":"2"}}}},"links":{"self":"` + base + `/bills/` + nth(1) + `","state":"` + base + `/bills/` + nth(1) + `/state"` + try + `},` +
		`"schema":"` + base + `/schemas/bill.json"` + more + `}`
}

func TestDocument(t *testing.T) {
	t.Parallel()
	o := bills(t)
	a := o.want(t, 201, alice, "POST /bills", `{"data":{"type":"bill","attributes":{"title":"One"}}}`)
	a.is(t, oneBill("One", "open", ""))
	a.has(t, "Location", base+"/bills/"+nth(1))
	got := o.want(t, 200, alice, "GET /bills/"+nth(1), "")
	got.is(t, oneBill("One", "open", ""))
	if got.etag() != a.etag() {
		t.Errorf("POST said %s, GET %s", a.etag(), got.etag())
	}
	o.want(t, 200, alice, "PUT /bills/"+nth(1), got.Body).is(t, oneBill("One", "open", "")) // what was read can be sent back
	o.want(t, 200, alice, "PUT /bills/"+nth(1), strings.Replace(got.Body, `"open"`, `"closed"`, 1)).is(t, oneBill("One", "closed", ""))
	o.want(t, 200, alice, "PATCH /bills/"+nth(1), `{"data":{"attributes":{"title":"Two"}}}`).is(t, oneBill("Two", "closed", ""))
	o.want(t, 200, alice, "PATCH /bills/"+nth(1), `{"data":{"id":"`+nth(1)+`","attributes":{"state":"open"}}}`, mergePatch).is(t, oneBill("Two", "open", ""))
	o.want(t, 200, alice, "PATCH /bills/"+nth(1), `[{"op":"test","path":"/links/try/meta/method","value":"POST"},{"op":"test","path":"/data/relationships/owner/data/id","value":"2"},`+
		`{"op":"copy","from":"/data/type","path":"/data/attributes/title"}]`, jsonPatch).is(t, oneBill("bill", "open", ""))
	o.want(t, 200, alice, "GET /bills", "").is(t, `{"data":[{"type":"bill","id":"`+nth(1)+`","attributes":{"title":"bill","state":"open","payer":null,"parts":[],"created_at":"2026-01-31 09:30:01Z"},`+
		`"relationships":{"owner":{"data":{"type":"person","id":"2"}}}}],"links":{"self":"https://api.test/bills"}}`)
}

func TestDocumentRefused(t *testing.T) {
	t.Parallel()
	o := bills(t)
	o.want(t, 201, alice, "POST /bills", `{"data":{"attributes":{"title":"One"}}}`)
	for body, faults := range map[string][]string{
		`[]`: {"wrong_type "}, `{}`: {"required /data"}, `{"data":[]}`: {"wrong_type /data"}, `{"data":{}}`: {"required /data/attributes"},
		`{"data":{"attributes":[]}}`: {"wrong_type /data/attributes"},
		`{"title":"x"}`:              {"unknown_field /title", "required /data"},
		`{"data":{"type":"note","id":"x","attributes":{"title":""}}}`: {"read_only /data/type", "read_only /data/id", "out_of_range /data/attributes/title"},
		`{"data":{"attributes":{"title":"x","id":"y","links":{},"nope":1},"nope":2},"nope":3,"schema":"s","links":{}}`: {"unknown_field /nope", "read_only /schema", "read_only /links",
			"unknown_field /data/nope", "unknown_field /data/attributes/id", "unknown_field /data/attributes/links", "unknown_field /data/attributes/nope"},
		`{"data":{"attributes":{"title":"x","payer":{"email":"x","name":"y"},"parts":[{"due":"31.1."},1]}}}`: {"unknown_field /data/attributes/payer/name", "bad_format /data/attributes/payer/email",
			"required /data/attributes/parts/0/name", "bad_format /data/attributes/parts/0/due", "wrong_type /data/attributes/parts/1"},
		`{"data":{"attributes":{"title":"x","parts":[{"name":"a"},{"name":"b"},{"name":"c"}]}}}`: {"out_of_range /data/attributes/parts"},
	} {
		o.do(t, alice, "POST /bills", body).refused(t, fault.ValidationFailed, faults...)
	}
	for patch, faults := range map[string][]string{
		`[{"op":"remove","path":"/data/id"}]`:                          {"read_only /data/id"},
		`[{"op":"remove","path":"/links"}]`:                            {"read_only /links"},
		`[{"op":"replace","path":"/schema","value":"x"}]`:              {"read_only /schema"},
		`[{"op":"remove","path":"/data/attributes/title"}]`:            {"required /data/attributes/title"},
		`[{"op":"remove","path":"/data/attributes/created_at"}]`:       {"read_only /data/attributes/created_at"},
		`[{"op":"replace","path":"/data/relationships","value":null}]`: {"read_only /data/relationships"},
	} {
		o.do(t, alice, "PATCH /bills/"+nth(1), patch, jsonPatch).refused(t, fault.ValidationFailed, faults...)
	}
}

func TestMembersWithMembers(t *testing.T) {
	t.Parallel()
	o := bills(t)
	o.want(t, 201, alice, "POST /bills", `{"data":{"attributes":{"title":"One","payer":{"email":"a@b.c"},"parts":[{"name":"x"},{"name":"y","due":"2026-02-28"}]}}}`)
	members := func(body string) answer { return o.want(t, 200, alice, "PATCH /bills/"+nth(1)+"", body) }
	if got := members(`{"data":{"attributes":{"payer":{"phone":"1"}}}}`); !strings.Contains(got.Body, `"payer":{"email":"a@b.c","phone":"1"},"parts":[{"name":"x","due":"2026-01-31"},{"name":"y","due":"2026-02-28"}]`) {
		t.Errorf("got %s", got.Body)
	}
	if got := members(`{"data":{"attributes":{"payer":null,"parts":[]}}}`); !strings.Contains(got.Body, `"payer":null,"parts":[]`) {
		t.Errorf("got %s", got.Body)
	}
}

func TestIncluded(t *testing.T) {
	t.Parallel()
	o := bills(t)
	for range 2 {
		o.want(t, 201, alice, "POST /bills", `{"data":{"attributes":{"title":"One"}}}`)
	}
	o.want(t, 201, alice, "POST /bills/"+nth(1)+"/tries", `{"word":"x"}`)
	owner := `{"type":"person","id":"2","attributes":{"name":"Alice","email":null}}`
	try := `{"type":"try","id":"` + nth(3) + `","attributes":{"word":"x","state":"ended","created_at":"2026-01-31 09:30:03Z"},"relationships":{"bill":{"data":{"type":"bill","id":"` + nth(1) + `"}}}}`
	o.want(t, 200, alice, "GET /bills/"+nth(1)+"?include=owner", "").is(t, oneBill("One", "open", `,"included":[`+owner+`]`))
	got := o.want(t, 200, alice, "GET /bills?include=owner,tries&fields=title,owner.name&sort=created_at", "")
	owner = `{"type":"person","id":"2","attributes":{"name":"Alice"}}`
	got.is(t, `{"data":[{"type":"bill","id":"`+nth(1)+`","attributes":{"title":"One"},"relationships":{"owner":{"data":{"type":"person","id":"2"}},"tries":{"data":[{"type":"try","id":"`+nth(3)+`"}]}}},`+
		`{"type":"bill","id":"`+nth(2)+`","attributes":{"title":"One"},"relationships":{"owner":{"data":{"type":"person","id":"2"}},"tries":{"data":[]}}}],`+
		`"included":[`+owner+`,`+try+`],"links":{"self":"https://api.test/bills?fields=title,owner.name&include=owner,tries&sort=created_at"}}`)
	o.want(t, 304, alice, "GET /bills/"+nth(1)+"?include=owner", "", "If-None-Match: "+o.want(t, 200, alice, "GET /bills/"+nth(1)+"?include=owner", "").etag())
	if sparse := o.want(t, 200, alice, "GET /bills/"+nth(1)+"?fields=relationships", ""); !strings.HasPrefix(sparse.Body, `{"data":{"type":"bill","id":"`+nth(1)+`","attributes":{},"relationships":{"owner":`) {
		t.Errorf("got %s", sparse.Body)
	}
	o.do(t, alice, "GET /bills?fields=links", "").refused(t, fault.UnknownField, "unknown_field fields")
}

// TestRouteBelow one of a collection is for those who may read that one.
func TestRouteBelow(t *testing.T) {
	t.Parallel()
	o := bills(t)
	o.want(t, 201, alice, "POST /bills", `{"data":{"attributes":{"title":"One"}}}`)
	at := "/bills/" + nth(1) + "/state"
	a := o.want(t, 200, alice, "GET "+at, "")
	a.is(t, `{"state":"open","self":"`+base+at+`"}`)
	o.want(t, 304, alice, "GET "+at, "", "If-None-Match: "+a.etag())
	o.want(t, 200, alice, "PATCH /bills/"+nth(1), `{"data":{"attributes":{"state":"closed"}}}`)
	o.want(t, 200, alice, "GET "+at, "", "If-None-Match: "+a.etag())
	for _, call := range []string{"GET " + at, "HEAD " + at, "OPTIONS " + at, "GET /bills/" + nth(9) + "/state"} {
		if got := o.do(t, bob, call, "", "If-None-Match: "+a.etag()); got.Status != 404 {
			t.Errorf("%s as bob: %d", call, got.Status)
		}
	}
	if allowed := o.want(t, 200, alice, "OPTIONS "+at, "").at(t, "methods.GET.allowed"); allowed != true {
		t.Errorf("OPTIONS tells alice %v", allowed)
	}
}

// TestFinish: what POST made is committed with its key before it is finished, and a repeated request finds it as it is now.
func TestFinish(t *testing.T) {
	t.Parallel()
	o := bills(t)
	o.want(t, 201, alice, "POST /bills", `{"data":{"attributes":{"title":"One"}}}`)
	at := "/bills/" + nth(1) + "/tries"
	state := func(a answer) any { return a.at(t, "data.attributes.state") }
	if got := o.want(t, 201, alice, "POST "+at, `{"data":{"attributes":{"word":"no key"}}}`); state(got) != "ended" {
		t.Errorf("got %s", got.Body)
	}
	first := o.want(t, 201, alice, "POST "+at, `{"word":"key"}`, "Idempotency-Key: a")
	again := o.want(t, 201, alice, "POST "+at, `{"word":"key"}`, "Idempotency-Key: a")
	again.is(t, trimmed(first))
	again.has(t, "Idempotency-Replayed", "true")
	again.has(t, "Location", first.Header.Get("Location"))
	if o.ends != 2 {
		t.Errorf("finished %d times", o.ends)
	}
	o.finish = func(made *Try) error {
		if made.State != "" {
			t.Errorf("finished in state %s", made.State)
		}
		return errors.New("the end was spoilt")
	}
	o.do(t, alice, "POST "+at, `{"word":"spoilt"}`, "Idempotency-Key: b").refused(t, fault.Internal)
	if len(o.tries.rows) != 3 {
		t.Fatalf("%d tries are kept", len(o.tries.rows))
	}
	half := o.want(t, 201, alice, "POST "+at, `{"word":"spoilt"}`, "Idempotency-Key: b")
	if state(half) != "" || half.Header.Get("Idempotency-Replayed") != "true" || o.ends != 3 || len(o.tries.rows) != 3 {
		t.Errorf("begun anew: %d ends, %d tries, %s", o.ends, len(o.tries.rows), half.Body)
	}
	o.do(t, alice, "POST "+at, `{"word":"other"}`, "Idempotency-Key: b").refused(t, fault.IdempotencyKeyReused, "idempotency_key_reused Idempotency-Key")
}

func TestOptionsAreExtended(t *testing.T) {
	t.Parallel()
	o := bills(t)
	o.want(t, 201, alice, "POST /bills", `{"data":{"attributes":{"title":"One"}}}`)
	a := o.want(t, 200, alice, "OPTIONS /bills/"+nth(1)+"/tries", "")
	if a.at(t, "extra") != nth(1) || a.at(t, "methods.POST.schema.$ref") != base+"/schemas/try_body.json" {
		t.Errorf("got %s", a.Body)
	}
	o.do(t, bob, "OPTIONS /bills/"+nth(1)+"/tries", "").refused(t, fault.NotFoundCode)
	for _, name := range []string{"bill", "bill_data", "bill_body", "bill_change", "bill_included", "try_body"} {
		o.want(t, 200, "", "GET /schemas/"+name+".json", "")
	}
}
