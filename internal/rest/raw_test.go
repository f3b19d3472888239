package rest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"verbless/internal/describe"
	"verbless/internal/fault"
	"verbless/internal/rest"
)

// Scan is a resource that takes plain bytes.
type Scan struct {
	ID      string `json:"id" db:"id,key" readOnly:"true"`
	Text    string `json:"text" db:"text" required:"true" maxLength:"10"`
	Of      int64  `json:"-" db:"of_id" link:"of" api:"owner,filter"`
	Version int64  `json:"-" db:"version,version"`
}

const isScan = "Content-Type: text/x-scan"

// scanner is an API with scans, and what it received.
type scanner struct {
	*toy
	scans    *memory[Scan]
	received []string
	trouble  error
}

func serveScans(t *testing.T) *scanner {
	t.Helper()
	s := &scanner{toy: serve(t)}
	s.scans = newMemory[Scan](s.world, "scan")
	options := s.Options
	options.Policy = rest.Policy{
		"scans":  {List: rest.Everyone, Read: rest.Everyone, Create: rest.Everyone, Remove: rest.Owners},
		"people": {List: rest.Admins, Read: rest.Everyone},
	}
	s.API = describe.New(options,
		rest.Collection[Scan]{Name: "scans", One: "scan", Shape: rest.Keyed("scan", "scans").OrBare(), Store: s.scans, Methods: "GET POST DELETE",
			Raw: &rest.Raw{Types: []string{"text/x-scan"}, Max: 10, TooLarge: fault.AvatarTooLarge}, Receive: func(c *rest.Call, row *Scan) error {
				if c.Ctx.Value(insideKey{}) != nil {
					t.Error("a transaction waits for what is slow")
				}
				if row.Of != c.By.ID {
					t.Errorf("the owner is %d", row.Of)
				}
				if c.BodyType() == "text/x-scan" {
					row.Text = string(c.Body)
				}
				s.received = append(s.received, row.Text+c.At)
				row.Text += "!"
				return s.trouble
			}},
		rest.Collection[Person]{Name: "people", One: "person", Shape: rest.Bare("people"), Store: s.people, Methods: "GET",
			Relations: []rest.Relation{{Name: "scan", To: "scans", Via: "id", At: "of_id"}}},
	)
	return s
}

func TestPlainBytes(t *testing.T) {
	t.Parallel()
	s := serveScans(t)
	a := s.want(t, 201, alice, "POST /scans", "1234567890", isScan)
	a.is(t, `{"scan":{"id":"`+nth(1)+`","text":"1234567890!","links":{"of":"2"}}}`)
	a.has(t, "Location", base+"/scans/"+nth(1))
	s.want(t, 201, alice, "POST /scans", `{"text":"bare"}`)
	s.want(t, 201, alice, "POST /scans", `{"scan":{"text":"wrapped"}}`, "Prefer: return=minimal").is(t, "")
	if got := strings.Join(s.received, " "); got != "1234567890 bare wrapped/scan" {
		t.Errorf("received %q", got)
	}
	s.do(t, alice, "POST /scans", "x", "Content-Type: text/plain").refused(t, fault.UnsupportedMediaType, "unsupported_media_type Content-Type")
	s.do(t, alice, "POST /scans", "x", "Content-Type: text/plain").has(t, "Accept-Post", "application/json, text/x-scan")
	s.do(t, alice, "POST /scans", `{}`).refused(t, fault.ValidationFailed, "required /text")
	s.do(t, alice, "POST /scans", `{"scan":{},"more":1}`).refused(t, fault.ValidationFailed, "unknown_field /more", "required /scan/text")
	s.do(t, alice, "POST /scans", `{"text":"`+strings.Repeat("x", 5000)+`"}`).refused(t, fault.BodyTooLarge)
	if len(s.received) != 3 || len(s.scans.rows) != 3 {
		t.Errorf("%v, %d rows", s.received, len(s.scans.rows))
	}
}

// untouched fails the test when anybody reads it.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestLengthIsJudgedFirst: by the head alone, and the connection ends because the body is still to come.
func TestLengthIsJudgedFirst(t *testing.T) {
	t.Parallel()
	s := serveScans(t)
	for _, test := range []struct {
		who, kind string
		length    int64
		code      fault.Code
	}{
		{"", isScan, 11, fault.Unauthenticated}, {alice, "Content-Type: text/plain", 11, fault.UnsupportedMediaType}, {alice, isScan, -1, fault.LengthRequired},
		{alice, isScan, 11, fault.AvatarTooLarge}, {alice, isScan, 1 << 60, fault.AvatarTooLarge}, {alice, plainJSON, 4097, fault.BodyTooLarge},
	} {
		r := request(test.who, "POST /scans", "x", test.kind)
		r.Body, r.ContentLength = io.NopCloser(untouched{t}), test.length
		a := s.send(t, r)
		a.status(t, rest.StatusOf(test.code))
		a.has(t, "Connection", "close")
		if !strings.Contains(a.Body, `"code":"`+string(test.code)+`"`) {
			t.Errorf("%s, %d: %s", test.kind, test.length, a.Body)
		}
	}
	r := request(alice, "POST /scans", "", isScan)
	s.send(t, r).status(t, http.StatusLengthRequired)
	r = request(alice, "POST /scans", "", isScan, "Content-Length: 0")
	s.send(t, r).status(t, http.StatusCreated)
}

func TestPlainBytesThatBreakOff(t *testing.T) {
	t.Parallel()
	s := serveScans(t)
	r := request(alice, "POST /scans", "12345", isScan)
	r.Body = io.NopCloser(io.MultiReader(strings.NewReader("123"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	s.send(t, r).refused(t, fault.UploadIncomplete)
	if len(s.received) > 0 {
		t.Errorf("received %v", s.received)
	}
}

// TestSlowWorkIsDoneOnce: a request that is repeated gets the first answer, and nothing is received for it.
func TestSlowWorkIsDoneOnce(t *testing.T) {
	t.Parallel()
	s := serveScans(t)
	const key = "Idempotency-Key: k"
	s.trouble = fault.New(fault.ImageNotFetched, "It could not be had just now.")
	s.do(t, alice, "POST /scans", "one", isScan, key).refused(t, fault.ImageNotFetched)
	s.trouble = nil
	first := s.want(t, 201, alice, "POST /scans", "one", isScan, key)
	s.trouble = errors.New("nobody asks")
	again := s.want(t, 201, alice, "POST /scans", "one", isScan, key)
	again.is(t, trimmed(first))
	again.has(t, "Idempotency-Replayed", "true")
	s.do(t, alice, "POST /scans", "two", isScan, key).refused(t, fault.IdempotencyKeyReused, "idempotency_key_reused Idempotency-Key")
	if len(s.received) != 2 || len(s.scans.rows) != 1 {
		t.Errorf("received %v, %d rows", s.received, len(s.scans.rows))
	}
}

// TestNewestOfSeveral: a relation to one takes the newest where there are several.
func TestNewestOfSeveral(t *testing.T) {
	t.Parallel()
	s := serveScans(t)
	for id, name := range map[int64]string{2: alice, 3: bob} {
		s.people.add(Person{ID: id, Name: name})
	}
	for _, text := range []string{"old", "older", "newest"} {
		s.want(t, 201, alice, "POST /scans", text, isScan)
	}
	s.want(t, 200, admin, "GET /people?include=scan&fields=name,scan,scan.text&sort=name", "").
		is(t, `{"people":[{"id":2,"name":"alice","scan":{"id":"`+nth(3)+`","text":"newest!"}},{"id":3,"name":"bob","scan":null}],"links":{"self":"`+base+`/people?fields=name,scan,scan.text&include=scan&sort=name"}}`)
}
