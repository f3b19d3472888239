package articles

import (
	"slices"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/ident"
)

// The states of an article.
const (
	published = "published"
	archived  = "archived"
	trashed   = "trashed"
)

// moves is what may become of an article's status. Only DELETE leads into the trash.
var moves = change.Moves{
	published: {archived},
	archived:  {published},
	trashed:   {published},
}

// rule is what may happen to an article outside the trash.
func rule(c *change.Change[Article]) error {
	switch {
	case c.Dying() && c.Was.Status == published: // thrown away, not destroyed
		thrown := *c.Was
		thrown.Status, thrown.TrashedAt = trashed, &c.At
		c.Becomes(&thrown)
		return nil
	case c.Dying():
		return nil
	case !c.Born() && !moves.Allows(c.Was.Status, c.Now.Status):
		return refused(c.Was.Status, c.Now.Status)
	case c.Now.Slug != "" && reservedSlug(c.Now.Slug):
		return fault.Invalid(fault.NotAllowedValue, "/slug", "This slug is taken for something else in a path.")
	}
	stampStatus(c)
	return nil
}

// trashRule is what may happen to an article in the trash: back it goes, or away for good.
func trashRule(c *change.Change[Trashed]) error {
	if c.Dying() {
		return nil
	}
	if err := onlyStatus(c.Was.Article, c.Now.Article); err != nil {
		return err
	}
	if c.Was.Status == c.Now.Status {
		return nil
	}
	if !moves.Allows(c.Was.Status, c.Now.Status) {
		return refused(c.Was.Status, c.Now.Status)
	}
	c.Now.TrashedAt = nil
	return nil
}

// now is what may become of an article as it is. DELETE throws a published one away, and removes an archived one.
func now(_ change.Actor, a *Article) change.Now {
	return change.Now{Next: map[string]change.Next{"status": {Is: a.Status, May: moves.Next(a.Status)}}}
}

// trashedNow is what may become of an article in the trash.
func trashedNow(_ change.Actor, t *Trashed) change.Now {
	return change.Now{Next: map[string]change.Next{"status": {Is: t.Status, May: moves.Next(t.Status)}}, Fixed: []string{"slug", "title", "body", "tags", "metadata"}}
}

// onlyStatus refuses changes of what an article in the trash holds.
func onlyStatus(was, now Article) error {
	var bad fault.List
	for _, member := range []struct {
		name string
		same bool
	}{
		{"slug", was.Slug == now.Slug}, {"title", was.Title == now.Title}, {"body", was.Body == now.Body},
		{"tags", slices.Equal(was.Tags, now.Tags)}, {"metadata", string(was.Metadata) == string(now.Metadata)},
	} {
		if !member.same {
			bad.Add(fault.New(fault.ReadOnly, "In the trash only status can be changed.").At("/" + member.name))
		}
	}
	return bad.Err()
}

// stampStatus sets the time a state was entered, in the change that enters it.
func stampStatus(c *change.Change[Article]) {
	if !c.Born() && c.Was.Status == c.Now.Status {
		return
	}
	switch c.Now.Status {
	case published:
		c.Now.Archived = nil
		if c.Now.Published == nil {
			c.Now.Published = &c.At
		}
	case archived:
		c.Now.Archived = &c.At
	}
}

func refused(from, to string) error {
	return fault.New(fault.TransitionRefused, "An article that is %s cannot become %s.", from, to).At("/status").
		With("from", from).With("to", to).With("allowed", moves.Next(from)).With("reason", "not_in_table")
}

// reservedSlug tells whether a slug would be taken for something else in a path.
func reservedSlug(slug string) bool { return slug == trashed || ident.Valid(slug) }
