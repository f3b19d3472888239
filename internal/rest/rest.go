// Package rest is the conventions of the HTTP API, each written once: a resource declares a Collection, and gets
// shapes, strict decoding, validation, filters, pages, sparse fields, includes, ETags, patches, idempotency,
// and versions from the one table of its fields.
//
// It knows no SQL and no resource: stores come in as change.Store, and who may do what as a Policy. What it serves it also
// declares, for package describe.
package rest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/go-chi/chi/v5"

	"verbless/internal/change"
	"verbless/internal/coding"
	"verbless/internal/fault"
	"verbless/internal/header"
	"verbless/internal/meter"
	"verbless/internal/onetime"
	"verbless/internal/secret"
	"verbless/internal/shape"
	"verbless/internal/trip"
)

// Options is what an API needs from outside.
type Options struct {
	Base         string // absolute address of the service, without a slash at the end
	Secret       []byte // signs cursors and keys ETags; the same on every node
	Identify     func(ctx context.Context, token string) (change.Actor, error)
	Policy       Policy
	Atomic       Atomic
	Keys         onetime.Store
	Log          *slog.Logger
	MaxBody      int64
	Version      string // of the program, for the description
	Deprecations []Deprecation
	Headers      []Header                  // that what surrounds the API adds to every answer, for the description
	Only         func(pattern string) bool // which paths are served; nil: all that the resources have
	Meter        *meter.Meter              // nil: nothing is limited
	Vary         string                    // what answers depend on beyond what the conventions say
	Elsewhere    []string                  // addresses of other services that answers send clients to, for the pages that call them

	// Describe is what OPTIONS tells of the path that was asked for; refused is what this caller would get, empty where they are allowed.
	// nil: OPTIONS tells only which methods there are.
	Describe func(c *Call, refused func(*Operation) fault.Code) map[string]any
}

// Shape is how one and many of a resource are wrapped in a body. Requests have the same shape as answers.
type Shape = shape.Shape

// Bare shows one as the object itself, and many under the plural.
func Bare(many string) Shape { return shape.Bare(many) }

// Keyed shows one under the member one, and many under the member many.
func Keyed(one, many string) Shape { return shape.Keyed(one, many) }

// Document shows one as data with type, id and attributes beside links and schema, and many as an array data.
func Document(kind string) Shape { return shape.Document(kind) }

// Atomic runs fn in one transaction that travels in its context.
type Atomic interface {
	Do(ctx context.Context, fn func(ctx context.Context) error) error
}

// Resource is something with routes: a Collection, or a Route of its own.
type Resource interface {
	mount(a *API, parent *collection, base string)
}

// API serves resources by the conventions.
type API struct {
	Options
	router      chi.Router
	routes      []*route
	collections map[string]*collection
	running     onetime.Ring
	secret      *secret.Key
	coder       *coding.Coder
	vary        []string
}

// New mounts the resources. A resource that declares itself wrongly panics here, at start-up.
func New(o Options, resources ...Resource) *API {
	a := &API{Options: o, router: chi.NewRouter(), collections: map[string]*collection{}}
	a.Base = strings.TrimRight(a.Base, "/")
	a.vary = []string{varyList}
	if a.Vary != "" {
		a.vary = []string{varyList + ", " + a.Vary}
	}
	a.secret, a.coder = secret.New(a.Secret), coding.New()
	for _, resource := range resources {
		resource.mount(a, nil, "")
	}
	for _, c := range a.collections {
		c.checkRelations(a)
	}
	for _, d := range a.Deprecations {
		a.checkDeprecation(d)
	}
	a.router.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) { a.unknownMethod(w, r) })
	a.router.NotFound(func(w http.ResponseWriter, r *http.Request) { a.refuse(w, r, fault.NotFound()) })
	return a
}

// ServeHTTP answers one request. A panic is answered as an internal fault, and its text goes to the log alone.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == http.ErrAbortHandler:
			panic(p)
		default:
			a.refuse(w, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	a.router.ServeHTTP(w, r)
}

// unknownMethod answers a method that no path has; the router itself knows only the common ones.
func (a *API) unknownMethod(w http.ResponseWriter, r *http.Request) {
	at := chi.NewRouteContext()
	if !a.router.Match(at, http.MethodGet, r.URL.Path) && !a.router.Match(at, http.MethodPost, r.URL.Path) {
		a.refuse(w, r, fault.NotFound())
		return
	}
	f := fault.New(fault.MethodNotAllowed, "There is no method %.20q here.", r.Method)
	for _, rt := range a.routes {
		if rt.pattern == at.RoutePattern() {
			f.With(HeaderDetail+"Allow", rt.allow)
			trip.Took(r.Context(), rt.pattern)
		}
	}
	a.refuse(w, r, f)
}

// add makes a route of its own for the pattern; every operation of one path is one route.
func (a *API) add(pattern string, ops ...*Operation) *route {
	rt := &route{api: a, pattern: pattern, operations: map[string]*Operation{}}
	for _, op := range ops {
		rt.operations[op.Method] = op
	}
	rt.allow = rt.methods()
	if a.Only != nil && !a.Only(pattern) {
		return rt
	}
	a.routes = append(a.routes, rt)
	a.router.Handle(pattern, rt)
	return rt
}

// Route is a Resource with one path whose answers it makes itself. Below one of a collection, whoever may read that one
// may call it, and for others it does not exist.
type Route struct {
	Path       string  // below its parent
	Public     bool    // needs no token
	Parts      []Param // what stands in braces in the path, for the description
	Operations []*Operation
}

func (r Route) mount(a *API, parent *collection, base string) {
	rt := a.add(base+r.Path, r.Operations...)
	rt.public, rt.parts = r.Public, r.Parts
	if parent == nil || base != parent.itemPattern() {
		return
	}
	rt.above, rt.parts = parent, append(parent.inBraces(), r.Parts...)
	for _, op := range r.Operations {
		op.who = parent.rights.Read
	}
	rt.find = func(call *Call) (bool, error) {
		row, err := parent.find(call, parent.always)
		return err == nil && parent.owned(call, row), err
	}
}

// Above is what a route lies under, as far as the caller may see it.
func Above[T any](c *Call) (*T, error) {
	row, err := c.route.above.find(c, nil)
	if err != nil {
		return nil, err
	}
	return row.Addr().Interface().(*T), nil
}

// Show is the answer with a row of what a route lies under. values say what of it is shown, as a query does.
func Show[T any](c *Call, row *T, values url.Values) (*Answer, error) {
	above := c.route.above
	return above.show(c, above.opened(values), reflect.ValueOf(row).Elem(), http.StatusOK)
}

// Stream is the body, for operations that read it as it comes.
func (c *Call) Stream() io.Reader {
	c.received = true
	return c.Request.Body
}

// Self is the address that was asked for, without its query.
func (c *Call) Self() string { return c.api.Base + c.Request.URL.EscapedPath() }

// Fresh answers a read with a body, or says that the caller has it already.
func (c *Call) Fresh(body []byte) *Answer {
	body = append(body, '\n')
	answer := &Answer{Status: http.StatusOK, Body: body, ETag: etag(c.api.keyedBody(9, body, "state"), c.api.keyed(6, "view", c.mediaType))}
	if header.Unchanged(c.Request.Header, answer.ETag) {
		answer.Status, answer.Body = http.StatusNotModified, nil
	}
	return answer
}
