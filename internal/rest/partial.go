package rest

import (
	"net/url"
	"slices"
	"strings"

	"verbless/internal/field"
)

// partials is the parameter that opens named groups of members.
const partials = "partials"

// prepareViews makes the views that need no parameters.
func (c *collection) prepareViews() {
	c.plain = plainView(c)
	c.brief, c.written = c.plain, c.plain
	if len(c.model.Partials()) > 0 && c.part == "" {
		c.brief = c.openView(nil)
	}
	if c.outside != nil { // nobody asked for it
		c.written = c.plain.only(func(f *field.Field) bool { return f != c.outside.field })
	}
}

// asked are the groups that the parameter and its spellings name, in the order of the members. Values that name none are dropped.
func (c *collection) asked(values url.Values) []string {
	var names []string
	for _, spelling := range append([]string{partials}, c.spellings...) {
		names = append(names, commas(values, spelling)...)
	}
	if slices.Contains(names, field.Full) {
		return []string{field.Full}
	}
	return slices.DeleteFunc(c.model.Partials(), func(group string) bool { return !slices.Contains(names, group) })
}

// canonical writes the groups that were asked for in one way, whatever the order and spelling, so that links are the same.
func (c *collection) canonical(values url.Values) {
	if c.brief == c.plain {
		return
	}
	names := c.asked(values)
	for _, spelling := range c.spellings {
		values.Del(spelling)
	}
	values.Del(partials)
	if len(names) > 0 {
		values.Set(partials, strings.Join(names, ","))
	}
}

// opened is the view that the parameter partials asks for.
func (c *collection) opened(values url.Values) *view {
	if names := c.parts(values); len(names) > 0 {
		return c.openView(names)
	}
	if c.brief == c.plain {
		return c.brief
	}
	if names := c.asked(values); len(names) > 0 {
		return c.openView(names)
	}
	return c.brief
}

// openView shows what belongs to no group, and the groups named. Members keep their order, so the order of names is of no account.
func (c *collection) openView(names []string) *view {
	if slices.Contains(names, field.Full) {
		return c.plain
	}
	return c.plain.only(func(f *field.Field) bool { return f.Partial == "" || slices.Contains(names, f.Partial) })
}

// only is the view with fewer members.
func (v *view) only(keep func(f *field.Field) bool) *view {
	less := &view{c: v.c, links: v.links, sparse: true}
	for _, f := range v.fields {
		if keep(f) {
			less.fields = append(less.fields, f)
		}
	}
	less.signature = less.describe()
	return less
}

// partialParams are the parameter and its other spellings.
func (c *collection) partialParams() []Param {
	groups := c.model.Partials()
	if len(groups) == 0 {
		return nil
	}
	text := map[string]any{"type": "string"}
	if c.part != "" {
		return []Param{{Name: c.part, Doc: "Groups of members that a body sets and an answer shows, with commas between: " + strings.Join(c.groups(), ", ") +
			". All of them when left out.", Schema: text}}
	}
	params := []Param{{Name: partials, Doc: "Groups of members to show beside the ones that are always shown, with commas between: " +
		strings.Join(groups, ", ") + ". Others are dropped. fields narrows what they open.", Schema: text}}
	for _, spelling := range c.spellings {
		params = append(params, Param{Name: spelling, Doc: "Another spelling of " + partials + ".", Schema: text})
	}
	return params
}
