package rest_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"verbless/internal/change"
	"verbless/internal/describe"
	"verbless/internal/fault"
	"verbless/internal/jsondoc"
	"verbless/internal/rest"
)

// Letter belongs to two: who got it, whom it lies under, and who wrote it.
type Letter struct {
	ID      string    `json:"id" db:"id,key" readOnly:"true"`
	To      reader    `json:"to" db:"to_id" api:"owner,parent"`
	Text    string    `json:"text" db:"text" required:"true" minLength:"1" maxLength:"20"`
	From    int64     `json:"-" db:"from_id" link:"from" api:"owner,filter"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"created_at" db:"created_at" readOnly:"true" api:"sort"`
}

// reader stands for a person by number, which a body may say.
type reader struct{ ID int64 }

func (r *reader) Number() *int64 { return &r.ID }

func (r *reader) Tree() any { return jsondoc.Number(strconv.FormatInt(r.ID, 10)) }

func (r *reader) SetTree(in any, at string, bad *fault.List) {
	n, ok := in.(jsondoc.Number)
	if r.ID, _ = strconv.ParseInt(string(n), 10, 64); !ok {
		bad.Add(fault.New(fault.WrongType, "This must be a number.").At(at))
	}
}

func (r *reader) Schema() map[string]any { return map[string]any{"type": "integer"} }

// postbox is a store of letters that makes many at once.
type postbox struct{ *memory[Letter] }

func (p postbox) CreateMany(ctx context.Context, by change.Actor, rows []*Letter, judged []error) (made []*Letter, err error) {
	err = p.world.Do(ctx, func(ctx context.Context) error {
		var bad fault.List
		for i, row := range rows {
			if judged[i] == nil && row.To.ID == 9 {
				judged[i] = fault.Invalid(fault.UnknownReference, "/to", "Nobody has this number.")
			}
			if err := bad.Below("/"+strconv.Itoa(i), judged[i]); err != nil {
				return err
			}
			done, err := p.Change(ctx, by, nil, func(*Letter) (*Letter, error) { return row, nil })
			if err != nil {
				return err
			}
			made = append(made, done.Now)
		}
		return bad.Err()
	})
	return made, err
}

func post(t *testing.T) *toy {
	t.Helper()
	const everyone, owners, no = rest.Everyone, rest.Owners, rest.Nobody
	s := serve(t)
	letters := newMemory[Letter](s.world, "letter")
	for _, by := range actors {
		s.people.add(Person{ID: by.ID, Name: by.Username})
	}
	people := s.resources()[2].(rest.Collection[Person])
	people.Under = []rest.Resource{rest.Collection[Letter]{Name: "letters", One: "letter", Shape: rest.Bare("letters"), Store: letters}}
	written := rest.Collection[Letter]{Name: "written", One: "letter", Path: "/letters", Shape: rest.Bare("letters"), Store: postbox{letters}, Methods: "GET POST",
		ListOnly: true, Mine: "from_id", Batch: &rest.Batch{ID: "createLetters", Summary: "Write many", Max: 3, MaxBody: 8192, Required: []string{"to"}}}
	s.API = describe.New(rest.Options{Base: base, Secret: []byte("x"), Identify: identify, Atomic: s.world, Keys: s.keys, Log: s.Log, MaxBody: 4096, Policy: rest.Policy{
		"people": {Read: everyone}, "letters": {List: owners, Read: owners, Create: everyone, Change: owners, Remove: owners}, "written": {List: everyone, Read: no, Create: everyone},
	}}, people, written)
	return s
}

// TestTwoParties: either may read and write it, only the one it lies under may list it, and others do not know of it.
func TestTwoParties(t *testing.T) {
	t.Parallel()
	s := post(t)
	item := strings.TrimPrefix(s.want(t, 201, alice, "POST /people/3/letters", `{"text":"Hi"}`).Header.Get("Location"), base)
	if kept := s.want(t, 200, alice, "GET "+item, ""); kept.at(t, "links.from") != "2" || kept.at(t, "to").(interface{ String() string }).String() != "3" {
		t.Errorf("the letter went astray: %s", kept.Body)
	}
	for _, who := range []string{alice, bob, admin} {
		s.want(t, 200, who, "GET "+item, "")
		s.want(t, 200, who, "PATCH "+item, `{"text":"`+who+`"}`)
		if s.want(t, 200, who, "OPTIONS "+item, "").at(t, "methods.PATCH.allowed") != true {
			t.Errorf("%s is told that PATCH is not allowed", who)
		}
	}
	own := strings.TrimPrefix(s.want(t, 201, bob, "POST /people/3/letters", `{"text":"To me"}`).Header.Get("Location"), base)
	for _, call := range []string{"GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"} {
		s.want(t, 404, alice, call+" "+own, `{"text":"x"}`)
		s.want(t, 404, bob, call+" "+strings.Replace(own, "/3/", "/2/", 1), `{"text":"x"}`)
	}
	s.want(t, 200, bob, "GET /people/3/letters", "")
	s.want(t, 200, admin, "GET /people/3/letters", "")
	s.want(t, 404, alice, "GET /people/3/letters", "")
	s.want(t, 404, alice, "GET /people/3/letters?nope=1", "")
	s.want(t, 204, alice, "DELETE "+item, "")
	s.want(t, 204, bob, "DELETE "+own, "")
}

// TestOptionsOfSomebodyElses: who may send to a collection that they may not list learns just that.
func TestOptionsOfSomebodyElses(t *testing.T) {
	t.Parallel()
	s := post(t)
	for who, lists := range map[string]bool{alice: false, bob: true, admin: true} {
		a := s.want(t, 200, who, "OPTIONS /people/3/letters", "")
		if a.at(t, "methods.GET.allowed") != lists || a.at(t, "methods.POST.allowed") != true {
			t.Errorf("%s: %s", who, a.Body)
		}
	}
	a := s.want(t, 200, alice, "OPTIONS /letters", "")
	if a.at(t, "methods.POST.schema.type") != "array" || a.at(t, "methods.POST.schema.items.allOf.0.properties.text.minLength") == nil || a.at(t, "methods.GET.allowed") != true {
		t.Errorf("the batch is not described: %s", a.Body)
	}
}

// TestMine: a list of one's own is that for everybody, admins too; its items have no path here.
func TestMine(t *testing.T) {
	t.Parallel()
	s := post(t)
	s.want(t, 201, alice, "POST /people/3/letters", `{"text":"a"}`)
	s.want(t, 201, bob, "POST /people/3/letters", `{"text":"b"}`)
	for who, want := range map[string]string{alice: "a", bob: "b", admin: ""} {
		if got := strings.Join(s.want(t, 200, who, "GET /letters", "").all(t, "letters", "text"), " "); got != want {
			t.Errorf("%s wrote %q", who, got)
		}
	}
	s.want(t, 200, alice, "GET /letters?from=3", "").is(t, `{"letters":[],"links":{"self":"https://api.test/letters?from=3"}}`)
	s.want(t, 404, alice, "GET /letters/"+nth(1), "")
	if s.Served()["/letters/{letter}"] != nil {
		t.Error("the path of one is served")
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	s := post(t)
	a := s.want(t, 201, alice, "POST /letters", `[{"to":3,"text":"one"},{"to":2,"text":"two"}]`, "Idempotency-Key: k")
	a.is(t, `{"letters":[{"id":"`+nth(1)+`","to":3,"text":"one","created_at":"2026-01-31 09:30:03Z","links":{"from":"2"}},{"id":"`+nth(2)+`","to":2,"text":"two","created_at":"2026-01-31 09:30:04Z","links":{"from":"2"}}]}`)
	a.has(t, "Location", "")
	again := s.want(t, 201, alice, "POST /letters", `[{"to":3,"text":"one"},{"to":2,"text":"two"}]`, "Idempotency-Key: k")
	again.has(t, "Idempotency-Replayed", "true")
	again.is(t, trimmed(a))
	few := s.want(t, 201, alice, "POST /letters", `[{"to":3,"text":"x"}]`, "Prefer: return=minimal")
	few.is(t, "")
	few.has(t, "Preference-Applied", "return=minimal")
	s.want(t, 400, alice, "GET /letters?fields=nope", "")
	if got := len(s.want(t, 200, alice, "GET /letters", "").all(t, "letters", "id")); got != 3 {
		t.Errorf("%d letters were written, not 3", got)
	}
}

// twice is a transaction that is lost once and then run again.
type twice struct{ *world }

func (w twice) Do(ctx context.Context, fn func(context.Context) error) error {
	if err := w.world.Do(ctx, func(ctx context.Context) error { return errors.Join(fn(ctx), errLost) }); !errors.Is(err, errLost) {
		return err
	}
	return w.world.Do(ctx, fn)
}

var errLost = errors.New("lost to another")

// TestBatchRunsAgain: a transaction that is lost runs the whole batch again.
func TestBatchRunsAgain(t *testing.T) {
	t.Parallel()
	s := post(t)
	s.Atomic = twice{s.world}
	a := s.want(t, 201, alice, "POST /letters", `[{"to":3,"text":"one"},{"to":2,"text":"two"}]`, "Idempotency-Key: k")
	if got := s.want(t, 200, alice, "GET /letters", "").all(t, "letters", "text"); len(got) != 2 || a.at(t, "letters.1.text") != "two" {
		t.Errorf("written %v, answered %s", got, a.Body)
	}
}

func TestBatchRefused(t *testing.T) {
	t.Parallel()
	s := post(t)
	for _, test := range []struct {
		body   string
		code   fault.Code
		faults []string
	}{
		{`[]`, fault.ValidationFailed, []string{"out_of_range "}},
		{`{}`, fault.ValidationFailed, []string{"wrong_type "}},
		{`null`, fault.ValidationFailed, []string{"wrong_type "}},
		{`[{"to":3,"text":"a"},{"to":"x","text":"","id":"y"},7,{"to":9,"text":"a"}]`, fault.BatchTooLarge, nil},
		{`[{"to":3,"text":"a"},{"to":"x","text":"","id":"y"},7]`, fault.ValidationFailed, []string{"read_only /1/id", "wrong_type /1/to", "out_of_range /1/text", "wrong_type /2"}},
		{`[{"to":9,"text":"a"},{"text":""}]`, fault.ValidationFailed, []string{"unknown_reference /0/to", "out_of_range /1/text"}},
		{`[{"to":3,"text":"a","text":"b"}]`, fault.InvalidJSON, []string{"invalid_json /0/text"}},
		{`[{"to":3,"text":"a"}`, fault.InvalidJSON, nil},
		{`[{"to":3,"text":"a"}] 1`, fault.InvalidJSON, nil},
		{`[1,2,3,4`, fault.BatchTooLarge, nil},
		{`[{"to":3,"text":"` + strings.Repeat("x", 8192) + `"}]`, fault.BodyTooLarge, nil},
	} {
		s.do(t, alice, "POST /letters", test.body).refused(t, test.code, test.faults...)
	}
	if limit := s.do(t, alice, "POST /letters", `[1,2,3,4]`).at(t, "limit"); limit == nil || limit.(interface{ String() string }).String() != "3" {
		t.Errorf("limit is %v", limit)
	}
	long := `[{"to":3,"text":"` + strings.Repeat("x", 5000) + `"}]` // more than one alone may have
	s.do(t, alice, "POST /letters", long).refused(t, fault.ValidationFailed, "out_of_range /0/text")
	s.do(t, alice, "POST /letters?nope=1", "[]").refused(t, fault.UnknownParameter, "unknown_parameter nope")
	s.want(t, 415, alice, "POST /letters", "[]", "Content-Type: application/merge-patch+json")
	s.want(t, 401, "", "POST /letters", "[]")
	if got := len(s.want(t, 200, alice, "GET /letters", "").all(t, "letters", "id")); got != 0 {
		t.Errorf("%d letters were written", got)
	}
}
