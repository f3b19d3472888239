package rest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/cursor"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/query"
)

const (
	MaxLimit     = 100 // most items of a page
	defaultLimit = 25
	maxWords     = 32
)

// viewParams are the parameters of every read.
func (c *collection) viewParams() []Param {
	params := []Param{{Name: "fields", Doc: "Members to show, with commas between; the identifier always stays. Dots reach into included resources.", Schema: map[string]any{"type": "string"}}}
	if len(c.relations) > 0 {
		var names []string
		for _, r := range c.relations {
			names = append(names, r.Name)
		}
		params = append(params, Param{Name: "include", Doc: "Related resources to show with it: " + strings.Join(names, ", ") + ". Dots reach further, 3 levels at most.", Schema: map[string]any{"type": "string"}})
	}
	return append(params, c.partialParams()...)
}

// listParams are the parameters of a list.
func (c *collection) listParams() []Param {
	params := append(c.viewParams(),
		Param{Name: "limit", Doc: "Size of a page.", Schema: map[string]any{"type": "integer", "minimum": 1, "maximum": MaxLimit, "default": defaultLimit}},
		Param{Name: "cursor", Doc: "Where to go on, from links.next or links.prev.", Schema: map[string]any{"type": "string"}})
	if sorts := c.model.Sorts(); len(sorts) > 0 {
		params = append(params,
			Param{Name: "sort", Doc: "Attribute to sort by. Newest first when left out.", Schema: map[string]any{"type": "string", "enum": sorts}},
			Param{Name: "sort-dir", Doc: "Direction of sort.", Schema: map[string]any{"type": "string", "enum": []string{"asc", "desc"}, "default": "asc"}})
	}
	if c.words != nil {
		params = append(params, Param{Name: "q", Doc: "Only those that hold all of these words. The best first: those with all words in the title, then the newest.", Schema: map[string]any{"type": "string"}})
	}
	filters := c.model.Filters()
	for _, name := range sortedKeys(filters) {
		params = append(params, Param{Name: name, Doc: "Only those with one of these values, with commas between.", Schema: map[string]any{"type": "string"}})
		if filters[name].IsTime() {
			for _, comparison := range field.Comparisons(name) {
				params = append(params, Param{Name: comparison, Doc: "Only those in this range of time.", Schema: map[string]any{"type": "string"}})
			}
		}
	}
	return params
}

// commas reads a list parameter; nil when it was left out.
func commas(values url.Values, name string) []string {
	if !values.Has(name) {
		return nil
	}
	return strings.Split(values.Get(name), ",")
}

// listQuery is everything that the parameters of a list say, but for its view.
type listQuery struct {
	query.List
	by          *field.Field
	fingerprint string // of the list, whatever the page of it
}

// readList reads filters, order and page. Faults are gathered in the call.
func (c *collection) readList(call *Call, above []query.Cond) *listQuery {
	bad := &call.bad
	q := &listQuery{by: c.sort}
	q.Limit, q.Desc, q.Where, q.Count = defaultLimit, true, above, call.Prefer.Count
	values := call.Query
	if values.Has("limit") {
		n, err := strconv.Atoi(values.Get("limit"))
		if err != nil || n < 1 || n > MaxLimit {
			bad.Add(fault.New(fault.InvalidParameter, "This takes a number from 1 to %d.", MaxLimit).In("limit"))
		}
		q.Limit = n
	}
	c.readWords(values, q, bad)
	c.readSort(values, q, bad)
	q.Sort = q.by.Column
	for _, name := range sortedKeys(c.filters) {
		q.Where = append(q.Where, c.filters[name].Conditions(name, func(param string) (string, bool) { return values.Get(param), values.Has(param) }, bad)...)
	}
	canonical := url.Values{}
	for name, value := range values {
		if !slices.Contains([]string{"cursor", "limit", "fields", "include", "partials", c.part}, name) && !slices.Contains(c.spellings, name) {
			canonical[name] = value
		}
	}
	q.fingerprint = call.Request.URL.Path + "?" + canonical.Encode()
	if values.Has("cursor") {
		edge, err := cursor.Read(c.api.keyed, values.Get("cursor"), q.fingerprint)
		if err != nil {
			bad.Add(fault.As(err))
		}
		q.Edge = edge
	}
	return q
}

// readWords takes any text; only one without a single word finds nothing that could be asked for.
func (c *collection) readWords(values url.Values, q *listQuery, bad *fault.List) {
	if c.words == nil || !values.Has("q") {
		return
	}
	q.Words = c.words(values.Get("q"))
	if len(q.Words) == 0 || len(q.Words) > maxWords {
		bad.Add(fault.New(fault.InvalidParameter, "This takes 1 to %d words.", maxWords).In("q"))
	}
	q.by = c.model.ByColumn("relevance")
}

func (c *collection) readSort(values url.Values, q *listQuery, bad *fault.List) {
	if values.Has("sort") {
		f := c.model.Named(values.Get("sort"))
		if f == nil || !f.Sort {
			bad.Add(fault.New(fault.InvalidParameter, "This takes one of: %s.", strings.Join(c.model.Sorts(), ", ")).In("sort"))
		} else {
			q.by, q.Desc = f, false
		}
	}
	switch dir := values.Get("sort-dir"); {
	case !values.Has("sort-dir"):
	case dir == "asc" || dir == "desc":
		q.Desc = dir == "desc"
	default:
		bad.Add(fault.New(fault.InvalidParameter, "This takes asc or desc.").In("sort-dir"))
	}
}
