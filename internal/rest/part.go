package rest

import (
	"net/url"
	"slices"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/jsondoc"
)

// parts are the groups that the parameter of Collection.Part names, given once with commas or several times; none: all of them.
func (c *collection) parts(values url.Values) []string {
	if c.part == "" || !values.Has(c.part) {
		return nil
	}
	return strings.Split(strings.Join(values[c.part], ","), ",")
}

// groups are those that can be named.
func (c *collection) groups() []string {
	return slices.DeleteFunc(c.model.Partials(), func(name string) bool { return name == field.Full })
}

// manyTimes tells whether a parameter may be given more than once: some clients write a list of groups so.
func (op *Operation) manyTimes(name string) bool {
	return op.resource != nil && name == op.resource.part
}

// checkParts refuses groups that are not there: what a client thinks it has set must not be dropped.
func (c *collection) checkParts(call *Call) {
	groups := c.groups()
	for _, name := range c.parts(call.Query) {
		if !slices.Contains(groups, name) {
			call.bad.Add(fault.New(fault.InvalidParameter, "This takes any of: %s.", strings.Join(groups, ", ")).In(c.part))
			return
		}
	}
}

// parse reads the body. Where groups are named, it may set no others.
func (c *collection) parse(call *Call) (any, error) {
	doc, err := parse(call.Body)
	names := c.parts(call.Query)
	body, ok := doc.(*jsondoc.Object)
	if err != nil || len(names) == 0 || !ok {
		return doc, err
	}
	var bad fault.List
	for _, f := range c.model.Fields {
		if _, sent := body.Get(f.Name); sent && f.Partial != "" && !slices.Contains(names, f.Partial) {
			bad.Add(fault.New(fault.PartNotNamed, "The parameter %s does not name %s, so the body cannot set it.", c.part, f.Partial).At("/" + f.Name))
		}
	}
	return doc, bad.Err()
}

// writtenTo is what the answer to a write shows.
func (c *collection) writtenTo(call *Call) *view {
	if names := c.parts(call.Query); len(names) > 0 {
		return c.openView(names)
	}
	return c.written
}
