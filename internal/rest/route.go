package rest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"verbless/internal/change"
	"verbless/internal/coding"
	"verbless/internal/fault"
	"verbless/internal/header"
	"verbless/internal/meter"
	"verbless/internal/trip"
)

// Operation is one method of one path: what it takes, what it does, and what a description says of it.
type Operation struct {
	Method  string
	ID      string // for generated clients: listArticles
	Summary string
	Takes   []string // media types of the body; none: the body is ignored
	MaxBody int64    // 0: the limit of the API
	Raw     *Raw     // those of Takes that are plain bytes
	Params  []Param
	Loose   bool     // unknown query parameters are ignored
	Open    bool     // needs no token, and looks at none
	Guests  bool     // a token may be left out; then the caller is nobody
	Streams bool     // Handle reads the body itself, as it comes; a POST is then not kept for a repeated request
	Offers  []string // media types of the answer; JSON and the versioned type when left out; Any is not negotiated
	Answers []Response
	Handle  func(c *Call) (*Answer, error)

	resource *collection
	who      Who // who may call it, as far as the route alone can tell
	batch    *Batch
	whole    bool // of a collection, not of one of it
	gathers  bool // Handle adds to the faults of the query, and reports them all
	finish   func(c *Call, answer *Answer, replayed bool) (*Answer, error)

	stage   func(c *Call, whole func() error) error
	prepare func(c *Call) error // slow work of a POST that Handle builds on: done before any transaction, and not for a repeated request
}

// Param is one query parameter.
type Param struct {
	Name   string
	Doc    string
	Schema map[string]any
}

// Response is what an operation may answer when all goes well.
type Response struct {
	Status int
	Doc    string
	Type   string // media type; empty: application/json and the versioned types
	Schema any    // nil: no body, or one that is not JSON
}

// Ref leads to a schema of the description by its name.
func Ref(name string) any { return map[string]any{"$ref": "#/components/schemas/" + name} }

// Call is one request on its way.
type Call struct {
	Ctx     context.Context
	Request *http.Request
	By      change.Actor
	Body    []byte
	Query   url.Values
	Prefer  header.Preferences
	At      string // pointer to the object in a JSON body
	Staged  any    // what Stage made of the body, beside Body
	Print   string // tells apart what was staged, as the body does otherwise
	Undo    func() // takes back what was staged, when nothing came of it

	api        *API
	route      *route
	op         *Operation
	mediaType  string        // of the answer
	coding     coding.Choice // of the answer, if it is worth one
	pass       meter.Pass    // when the request was counted
	bad        fault.List
	received   bool          // the body has been read
	ownsParent bool          // what the path's last part lies under is the caller's
	prepared   reflect.Value // the row that a POST will add
	made       reflect.Value // the row that a POST has added, and that is still to be finished
}

// Param is a part of the path, by its name.
func (c *Call) Param(name string) string {
	text := chi.URLParam(c.Request, name)
	if c.Request.URL.RawPath == "" {
		return text // it was decoded with the path
	}
	text, err := url.PathUnescape(text)
	if err != nil {
		return ""
	}
	return text
}

// Answer is what goes back. Handlers never touch the connection.
type Answer struct {
	Status   int
	Header   http.Header
	Type     string // media type; empty: the negotiated one
	Body     []byte
	Location string
	ETag     string
	NoStore  bool
	Public   string // Cache-Control of an answer that anybody may keep

	lent    bool              // Body is taken back when it was sent
	Content io.ReadSeekCloser `json:"-"` // in place of Body: sent from where it lies, in parts if the client asks for them
}

// Set adds a header.
func (a *Answer) Set(name, value string) *Answer {
	if a.Header == nil {
		a.Header = http.Header{}
	}
	a.Header.Set(name, value)
	return a
}

// route is one path with its operations.
type route struct {
	api        *API
	pattern    string
	public     bool
	operations map[string]*Operation
	allow      string
	version    int
	above      *collection // that a Route lies under
	extend     func(c *Call, description map[string]any) error
	find       func(c *Call) (own bool, err error) // what OPTIONS must find before it describes
}

// methods lists what the path answers to, for Allow.
func (rt *route) methods() string {
	names := []string{http.MethodOptions}
	for name := range rt.operations {
		names = append(names, name)
	}
	if rt.operations[http.MethodGet] != nil {
		names = append(names, http.MethodHead)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// ServeHTTP takes one request through the conventions, in the order the standards ask for:
// method, token, types, parameters, body, and only then the operation.
func (rt *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &Call{Ctx: r.Context(), Request: r, api: rt.api, route: rt}
	trip.Took(c.Ctx, rt.pattern)
	answer, err := rt.answer(c, w)
	if err != nil {
		if !c.received && r.ContentLength != 0 {
			w.Header().Set("Connection", "close") // else the server would wait for the body before it answers
		}
		f := rt.enrich(c, err)
		c.pass.Settle(StatusOf(f.Code), w.Header())
		rt.api.refuse(w, r, f)
		return
	}
	c.pass.Settle(answer.Status, w.Header())
	rt.api.send(w, c, answer)
}

func (rt *route) answer(c *Call, w http.ResponseWriter) (*Answer, error) {
	method := c.Request.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	c.op = rt.operations[method]
	if c.op == nil && method != http.MethodOptions {
		return nil, fault.New(fault.MethodNotAllowed, "%s does not work here; %s do.", c.Request.Method, rt.allow)
	}
	if err := c.identify(); err != nil {
		return nil, err
	}
	if c.op == nil {
		return rt.describe(c)
	}
	if err := c.negotiate(); err != nil {
		return nil, err
	}
	if err := c.readQuery(); err != nil {
		return nil, err
	}
	if err := c.readBody(w); err != nil {
		return nil, err
	}
	c.Prefer = header.ReadPrefer(c.Request.Header)
	if method != http.MethodPost || c.op.Streams {
		return c.op.Handle(c)
	}
	answer, err := c.once()
	if c.Undo != nil && !c.kept(err) {
		c.Undo()
	}
	return answer, err
}

// kept tells whether what was staged has become part of something, or may have.
func (c *Call) kept(err error) bool {
	return err == nil && c.made.IsValid() || fault.Is(err, fault.OutcomeUnknown)
}

// enrich adds to a fault what only the route knows.
func (rt *route) enrich(c *Call, err error) *fault.Fault {
	f := fault.As(err)
	switch f.Code {
	case fault.MethodNotAllowed:
		f.With(HeaderDetail+"Allow", rt.allow)
	case fault.UnsupportedMediaType:
		name := "Accept"
		switch c.Request.Method {
		case http.MethodPatch:
			name = "Accept-Patch"
		case http.MethodPost:
			name = "Accept-Post"
		}
		f.With(HeaderDetail+name, strings.Join(c.op.Takes, ", "))
	}
	return f
}

// identify finds out who is asking.
func (c *Call) identify() (err error) {
	lines := c.Request.Header.Values("Authorization")
	if c.route.public || c.op != nil && (c.op.Open || c.op.Guests && len(lines) == 0) {
		return nil
	}
	switch {
	case len(lines) > 1:
		return fault.New(fault.InvalidRequest, "Send one Authorization header, not %d.", len(lines)).On("Authorization")
	case len(lines) == 0 && c.Request.Header.Get("Authentication") != "":
		return fault.New(fault.Unauthenticated, "The header is named Authorization here, not Authentication.").On("Authorization")
	case len(lines) == 0:
		return fault.New(fault.Unauthenticated, "Send Authorization: Bearer followed by a token.").On("Authorization")
	}
	scheme, token, _ := strings.Cut(lines[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return fault.New(fault.Unauthenticated, "The scheme must be Bearer, followed by one space and a token.").On("Authorization")
	}
	c.pass, err = c.api.Meter.Identify(c.Request, token, func() error {
		c.By, err = c.api.Identify(c.Ctx, token)
		return err
	})
	return err
}

// readQuery refuses parameters that the operation does not know, so that a typing error does not return everything.
func (c *Call) readQuery() error {
	if c.Request.URL.RawQuery == "" {
		return nil
	}
	var err error
	if c.Query, err = url.ParseQuery(c.Request.URL.RawQuery); err != nil {
		return fault.New(fault.InvalidParameter, "The query string is not well formed.")
	}
	if c.op.resource != nil {
		c.op.resource.checkParts(c)
	}
	for _, name := range sortedKeys(c.Query) {
		known := slices.ContainsFunc(c.op.Params, func(p Param) bool { return p.Name == name })
		if !known && !c.op.Loose {
			c.bad.Add(fault.New(fault.UnknownParameter, "There is no parameter %q here.", name).In(name))
		} else if known && len(c.Query[name]) > 1 && !c.op.manyTimes(name) {
			c.bad.Add(fault.New(fault.InvalidParameter, "This parameter was given %d times; once is enough.", len(c.Query[name])).In(name))
		}
	}
	if c.op.gathers {
		return nil
	}
	return c.bad.Err()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
