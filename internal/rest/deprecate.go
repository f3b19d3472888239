package rest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Deprecation says that a part of the API will go: a parameter of a resource, a member of it, or all of it.
// The one registry of them, in Options, feeds the headers of answers and the description.
type Deprecation struct {
	Resource  string
	Parameter string
	Field     string
	Since     time.Time
	Sunset    time.Time // zero: not yet decided
	Instead   string    // what to use, for people
}

// checkDeprecation panics at start-up on dates that contradict each other (RFC 8594 and RFC 9745), and on what is not there.
func (a *API) checkDeprecation(d Deprecation) {
	c := a.collections[d.Resource]
	if c == nil || d.Field != "" && c.model.Named(d.Field) == nil || d.Parameter != "" && !c.hasParam(d.Parameter) {
		panic("rest: the deprecation of " + d.Resource + " " + d.Parameter + d.Field + " is of nothing")
	}
	if d.Since.IsZero() || !d.Sunset.IsZero() && d.Sunset.Before(d.Since) {
		panic("rest: the deprecation of " + d.Resource + " " + d.Parameter + d.Field + " has no sensible dates")
	}
}

func (c *collection) hasParam(name string) bool {
	return slices.ContainsFunc(append(c.listParams(), c.viewParams()...), func(p Param) bool { return p.Name == name })
}

// touches tells whether the call uses what is deprecated.
func (d Deprecation) touches(c *Call) bool {
	if c.op.resource == nil || c.op.resource.name != d.Resource || d.Field != "" {
		return false
	}
	return d.Parameter == "" || c.Query.Has(d.Parameter)
}

// warn adds the headers that tell of deprecated use.
func (c *Call) warn(h http.Header) {
	if c.op == nil {
		return
	}
	for _, d := range c.api.Deprecations {
		if !d.touches(c) {
			continue
		}
		h.Set("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10))
		if !d.Sunset.IsZero() {
			h.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
		}
		h.Add("Link", "<"+c.api.Base+`/openapi.json>; rel="deprecation"`)
	}
}

// Deprecated tells whether the registry names a field or parameter, for the description.
func (a *API) Deprecated(resource, parameter, field string) bool {
	for _, d := range a.Deprecations {
		if d.Resource == resource && d.Parameter == parameter && d.Field == field {
			return true
		}
	}
	return false
}

// Deprecates tells whether answers of the resource may carry the headers of a deprecation.
func (a *API) Deprecates(resource string) bool {
	return slices.ContainsFunc(a.Deprecations, func(d Deprecation) bool { return d.Resource == resource && d.Field == "" })
}
