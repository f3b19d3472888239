package rest

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/ident"
	"verbless/internal/query"
)

// Collection declares a resource: its type, its shape, its store, and what is unusual about it.
type Collection[T any] struct {
	Name      string // plural, unique; the policy and relations use it
	One       string // singular, for schemas and the path parameter; collections that share it are alike
	Path      string // below the parent; "/" + Name when left out
	Shape     Shape
	Store     change.Store[T]
	Key       func(by change.Actor, text string) (query.Cond, bool) // reads {one}; by id when left out
	Relations []Relation
	Newest    string                     // the column whose largest value is the newest; created_at when left out
	Words     func(text string) []string // takes a search apart; nil: the collection cannot be searched
	Methods   string                     // those of a full collection when left out: GET POST PUT PATCH DELETE
	Beside    []Resource                 // mounted below the collection's own path, before {one}
	Under     []Resource                 // mounted below {one}
	Mine      string                     // the column that holds the caller in every list, whoever asks; empty: the policy alone decides
	Twin      string                     // a second path at the top that serves the very same; empty: there is none
	Spellings []string                   // other names of the parameter partials
	Part      string                     // names the parameter that picks groups of members, in bodies and in answers; without it all are there
	Open      *query.Cond                // whom it finds, everyone with a token may read; nil: the policy alone decides
	Loose     bool                       // unknown query parameters are ignored
	Outside   *Outside[T]                // a member that another system keeps; nil: the store keeps all
	Basis     string                     // what the members depend on beside the rows, such as a setting: other ETags when it changes
	ListOnly  bool                       // there is no path for {one} here: it has its address elsewhere
	Batch     *Batch                     // POST takes many at once; nil: it takes one
	Version   int                        // 1 when left out
	NoStore   bool                       // no cache may keep any answer
	Links     []Link[T]                  // what a document leads to, beside itself
	Doc       string

	Raw     *Raw                        // plain bytes that POST takes beside JSON; Receive makes a row of them
	Receive func(c *Call, row *T) error // completes the row that POST adds; outside of any transaction, so it may be slow
	// Finish goes on after what POST made is committed, with the Idempotency-Key that may have come with it, and gives what
	// it has become. It is for work that cannot be undone: a request that is repeated finds what was made, and does not begin anew.
	Finish func(ctx context.Context, by change.Actor, made *T) (*T, error)
	Intake *Intake[T] // POST in a way of its own; nil: it takes JSON and answers 201
	// Options adds to what OPTIONS tells of the whole collection.
	Options func(call *Call, description map[string]any) error
}

// collection is a Collection with its type erased.
type collection struct {
	api        *API
	name, one  string
	pattern    string
	shape      Shape
	model      *field.Model
	store      store
	key        func(by change.Actor, text string) (query.Cond, bool)
	relations  []Relation
	rights     Rights
	parent     *collection
	plain      *view // everything
	brief      *view // what is shown when no partials are asked for
	written    *view // what answers to writes show
	spellings  []string
	outside    *outside
	basis      string
	sort       *field.Field // newest first, when nobody asks for another order
	always     []string
	hasPrivate bool
	filters    map[string]*field.Field
	version    int
	noStore    bool
	links      []docLink
	words      func(text string) []string
	doc        string
	methods    string
	finish     func(ctx context.Context, by change.Actor, made reflect.Value) (reflect.Value, error)
	viewTags   sync.Map     // second halves of ETags, of the plain view
	size       atomic.Int64 // of the last list
	mine       string
	batch      *Batch
	births     births
	raw        *Raw
	receive    func(c *Call, row reflect.Value) error
	part       string
	open       *query.Cond
	loose      bool
	intake     *Intake[reflect.Value]
}

func (d Collection[T]) mount(a *API, parent *collection, base string) {
	c := &collection{api: a, name: d.Name, one: d.One, shape: d.Shape, store: typed[T]{d.Store}, key: d.Key, relations: d.Relations,
		parent: parent, version: max(d.Version, 1), noStore: d.NoStore, words: d.Words, doc: d.Doc, methods: d.Methods, mine: d.Mine, batch: d.Batch,
		births: birthsIn(d.Store), raw: d.Raw, links: eraseLinks(d.Links), spellings: d.Spellings,
		part: d.Part, open: d.Open, loose: d.Loose, intake: d.Intake.erase(), basis: d.Basis}
	if d.Receive != nil {
		c.receive = func(call *Call, row reflect.Value) error { return d.Receive(call, row.Addr().Interface().(*T)) }
	}
	c.model = field.NewModel(d.One, reflect.TypeFor[T]())
	c.pattern = base + d.Path
	if d.Path == "" {
		c.pattern = base + "/" + d.Name
	}
	if c.methods == "" {
		c.methods = "GET POST PUT PATCH DELETE"
	}
	if d.Finish != nil {
		c.finish = func(ctx context.Context, by change.Actor, made reflect.Value) (reflect.Value, error) {
			now, err := d.Finish(ctx, by, made.Addr().Interface().(*T))
			return reflect.ValueOf(now).Elem(), err
		}
	}
	var known bool
	if c.rights, known = a.Policy[c.name]; !known {
		panic("rest: the policy says nothing of " + c.name)
	}
	if a.collections[c.name] != nil {
		panic("rest: two resources are named " + c.name)
	}
	for _, other := range a.collections {
		if other.one == c.one && !other.model.Same(c.model) {
			panic("rest: " + other.name + " and " + c.name + " are not the same, but one of each is called " + c.one)
		}
	}
	a.collections[c.name] = c
	c.outside = d.Outside.erase(c)
	c.prepare(d.Newest)
	c.check()
	for _, r := range d.Beside {
		r.mount(a, c, c.pattern)
	}
	c.routes(a, c.pattern, "", d.ListOnly).extend = d.Options
	if d.Twin != "" {
		c.routes(a, base+d.Twin, "Twin", d.ListOnly).extend = d.Options
	}
	for _, r := range d.Under {
		r.mount(a, c, c.itemPattern())
	}
}

func (c *collection) prepare(newest string) {
	m := c.model
	if c.key == nil {
		c.key = func(_ change.Actor, text string) (query.Cond, bool) {
			return query.Is(m.Key.Column, text), ident.Valid(text)
		}
	}
	if c.sort = m.ByColumn(cmp.Or(newest, "created_at")); c.sort == nil {
		c.sort = m.Key
	}
	c.hasPrivate = slices.ContainsFunc(m.Fields, func(f *field.Field) bool { return f.Private })
	c.always = []string{m.Key.Column}
	if m.Version != nil {
		c.always = append(c.always, m.Version.Column)
	}
	for _, owner := range m.Owners {
		c.always = append(c.always, owner.Column)
	}
	if c.open != nil {
		c.always = append(c.always, c.open.Column)
	}
	if c.rights.List == Owners && c.mine == "" && !c.inhabited() && len(m.Owners) > 1 {
		panic("rest: " + c.name + " has several owners; which of them lists it?")
	}
	c.filters = m.Filters()
	c.prepareViews()
}

// checkRelations panics on a relation to nowhere.
func (c *collection) checkRelations(a *API) {
	for _, r := range c.relations {
		to := a.collections[r.To]
		if to == nil || c.model.ByColumn(r.Via) == nil || to.model.ByColumn(r.At) == nil {
			panic("rest: relation " + r.Name + " of " + c.name + " leads nowhere")
		}
		if to.rights.Read == Owners && len(to.model.Owners) > 1 {
			panic("rest: relation " + r.Name + " of " + c.name + " cannot tell whose its rows are")
		}
	}
}

func (c *collection) itemPattern() string { return c.pattern + "/{" + c.one + "}" }

func (c *collection) has(method string) bool {
	return slices.Contains(strings.Fields(c.methods), method)
}

// routes mounts the two paths of a collection, or the first alone, and gives the first. suffix keeps the names of operations
// apart.
func (c *collection) routes(a *API, pattern, suffix string, listOnly bool) (whole *route) {
	var many, one []*Operation
	add := func(list *[]*Operation, method, id, summary string, who Who, handle func(*Call) (*Answer, error)) *Operation {
		op := &Operation{Method: method, ID: id + suffix, Summary: summary, resource: c, who: who, Handle: handle, Loose: c.loose}
		if c.has(method) {
			*list = append(*list, op)
		}
		return op
	}
	plural, single := title(c.name), title(c.one)
	list := add(&many, http.MethodGet, "list"+plural, "List "+c.name, c.rights.List, c.list)
	list.Params, list.gathers = c.listParams(), true
	get := add(&one, http.MethodGet, "get"+single, "Read one of "+c.name, c.rights.Read, c.get)
	get.Params, get.gathers = c.viewParams(), true
	create := add(&many, http.MethodPost, "create"+single, "Add to "+c.name, c.rights.Create, c.create)
	if c.takes(create); c.batch != nil {
		c.batch.prepare(c, create)
	}
	if c.finish != nil {
		create.finish = c.finishCreate
	}
	add(&one, http.MethodPut, "replace"+single, "Replace one of "+c.name, c.rights.Change, c.replace).Takes = []string{jsonType}
	change := add(&one, http.MethodPatch, "change"+single, "Change members of one of "+c.name, c.rights.Change, c.patch)
	change.Takes = []string{jsonType, mergePatchType, jsonPatchType}
	if c.part != "" {
		create.Params, change.Params = append(create.Params, c.partialParams()...), c.partialParams()
	}
	add(&one, http.MethodDelete, "remove"+single, "Remove one of "+c.name, c.rights.Remove, c.remove)
	for _, op := range many {
		op.whole = true
	}
	above := a.add(pattern, many...)
	above.version = c.version
	above.find = func(call *Call) (bool, error) {
		conds, err := c.above(call)
		if err == nil && c.whole() && !c.opens(c.rights.List, call, conds) && !c.opens(c.rights.Create, call, conds) {
			err = fault.NotFound()
		}
		return err == nil && c.opens(Owners, call, conds), err
	}
	if listOnly {
		return above
	}
	below := a.add(pattern+"/{"+c.one+"}", one...)
	below.version = c.version
	below.find = func(call *Call) (bool, error) {
		row, err := c.find(call, c.always)
		return err == nil && c.owned(call, row), err
	}
	return above
}

// title makes a name fit for an operation id: articles/trashed becomes ArticlesTrashed.
func title(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '_' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// above resolves the path's parents and gives the conditions that they put on this collection.
func (c *collection) above(call *Call) ([]query.Cond, error) {
	if c.parent == nil || c.model.Parent == nil {
		return nil, nil
	}
	row, err := c.parent.find(call, c.parent.always)
	if err != nil {
		return nil, err
	}
	key := c.parent.model.Key.Of(row).Interface()
	call.ownsParent = c.parent.owned(call, row)
	return []query.Cond{query.Is(c.model.Parent.Column, key)}, nil
}

// locate gives the conditions that find the one the path names.
func (c *collection) locate(call *Call) ([]query.Cond, error) {
	conds, err := c.above(call)
	if err != nil {
		return nil, err
	}
	cond, ok := c.key(call.By, call.Param(c.one))
	if !ok {
		return nil, fault.NotFound()
	}
	return append(conds, cond), nil
}

// find reads the one that the path names, as far as the caller may see it.
func (c *collection) find(call *Call, columns []string) (reflect.Value, error) {
	key, err := c.locate(call)
	if err != nil {
		return reflect.Value{}, err
	}
	row, err := c.store.get(call.Ctx, key, columns...)
	if err != nil {
		return row, err
	}
	return row, c.mayRead(call, row)
}
