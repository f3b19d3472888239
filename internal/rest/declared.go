package rest

import (
	"net/http"
	"slices"
	"strings"

	"verbless/internal/change"
	"verbless/internal/field"
	"verbless/internal/shape"
)

// Path is one path with what it answers to, for whoever describes it.
type Path struct {
	Pattern    string
	Public     bool    // needs no token
	Parts      []Param // what stands in braces
	Version    int
	Operations []*Operation // by their methods
}

// Kind is what a collection declares of itself, for whoever describes it.
type Kind struct {
	Name, One string
	Shape     Shape
	Model     *field.Model
	Relations []Relation
	Links     []KindLink
	Warns     bool // answers may say what is missing from them
	NoStore   bool // no cache may keep any answer
	Doc       string
}

// KindLink is a link of a document; one that is not always there depends on the document.
type KindLink struct {
	shape.Link
	Always bool
}

// Paths are all that is served, in the order in which they were declared.
func (a *API) Paths() []Path {
	paths := make([]Path, len(a.routes))
	for i, rt := range a.routes {
		paths[i] = rt.declared()
	}
	return paths
}

func (rt *route) declared() Path {
	p := Path{Pattern: rt.pattern, Public: rt.public, Parts: rt.parts, Version: max(rt.version, 1)}
	for _, method := range sortedKeys(rt.operations) {
		p.Operations = append(p.Operations, rt.operations[method])
	}
	return p
}

// Kinds are all collections, by their names.
func (a *API) Kinds() []*Kind {
	var kinds []*Kind
	for _, name := range sortedKeys(a.collections) {
		kinds = append(kinds, a.Kind(name))
	}
	return kinds
}

// Kind is the collection of that name.
func (a *API) Kind(name string) *Kind {
	c := a.collections[name]
	k := &Kind{Name: c.name, One: c.one, Shape: c.shape, Model: c.model, Relations: c.relations, Warns: c.outside != nil, NoStore: c.noStore, Doc: c.doc}
	for _, l := range c.links {
		k.Links = append(k.Links, KindLink{l.Link, l.when == nil})
	}
	return k
}

// Called is what documents call one of them.
func (k *Kind) Called() string {
	if k.Shape.Kind != "" {
		return k.Shape.Kind
	}
	return k.One
}

// Kind is the collection that the operation belongs to; nil for a Route.
func (op *Operation) Kind() *Kind {
	if op.resource == nil {
		return nil
	}
	return op.resource.api.Kind(op.resource.name)
}

// Batch is set when the operation takes many at once.
func (op *Operation) Batch() *Batch { return op.batch }

// Whole tells whether the operation is on a collection, and not on one of it.
func (op *Operation) Whole() bool { return op.whole }

// Who may call it, as far as the policy alone can tell.
func (op *Operation) Who() Who { return op.who }

// Lists tells whether the operation answers with a page of a collection.
func (op *Operation) Lists() bool { return op.Method == http.MethodGet && op.whole }

// API is what serves the call.
func (c *Call) API() *API { return c.api }

// Path is the one that was asked for.
func (c *Call) Path() Path { return c.route.declared() }

// Now is what may become of the one that the path names, as it is.
func (c *Call) Now() change.Now { return c.now }

// MediaType is the type that the answer will have.
func (c *Call) MediaType() string { return c.mediaType }

// inBraces says what stands in braces in the path of one of the collection.
func (c *collection) inBraces() []Param {
	own := Param{Name: c.one, Doc: c.keyDoc, Schema: map[string]any{"type": "string", "minLength": 1, "maxLength": maxKey}}
	if c.keyDoc == "" {
		own.Doc, own.Schema = "Its id.", map[string]any{"type": "string", "format": "uuid", "minLength": 36, "maxLength": 36}
	}
	if c.parent == nil || !strings.Contains(c.pattern, "{") {
		return []Param{own}
	}
	return append(c.parent.inBraces(), own)
}

// maxKey is longer than anything that names one of a collection.
const maxKey = 100

// title makes a name fit for an operation id: articles/trashed becomes ArticlesTrashed.
func title(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '_' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// Now makes a Collection's Now of a rule's own, which needs nothing but the row and who asks.
func Now[T any](of func(by change.Actor, row *T) change.Now) func(*Call, *T) (change.Now, error) {
	return func(c *Call, row *T) (change.Now, error) { return of(c.By, row), nil }
}

func (c *collection) itemPattern() string { return c.pattern + "/{" + c.one + "}" }

func (c *collection) has(method string) bool {
	return slices.Contains(strings.Fields(c.methods), method)
}
