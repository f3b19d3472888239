package rest

import (
	"reflect"
	"slices"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/query"
)

// Who may do a thing.
type Who int

// From the fewest to the most. Owners includes admins, Everyone is everyone with a token.
const (
	Nobody Who = iota
	Admins
	Owners
	Everyone
)

// Rights are who may do what with one resource.
type Rights struct{ List, Read, Create, Change, Remove Who }

// Policy is the one table of who may do what, by the name of the resource.
type Policy map[string]Rights

func permits(who Who, by change.Actor, owner int64) bool {
	switch who {
	case Everyone:
		return by.Role != ""
	case Owners:
		return by.IsAdmin() || by.ID != 0 && by.ID == owner
	case Admins:
		return by.IsAdmin()
	}
	return false
}

// ownerOf is the user a row belongs to: its own owner or, where it has none, that of what it lies under.
func (c *collection) ownerOf(call *Call, row reflect.Value) int64 {
	switch {
	case c.model.Owner != nil:
		return c.model.Owner.Of(row).Int()
	case c.parent != nil:
		return call.parentOwner
	}
	return 0
}

// mayRead hides what the caller may not know to exist.
func (c *collection) mayRead(call *Call, row reflect.Value) error {
	if !permits(c.rights.Read, call.By, c.ownerOf(call, row)) {
		return fault.NotFound()
	}
	return nil
}

// mayWrite refuses openly only what the caller may see.
func (c *collection) mayWrite(who Who, call *Call, row reflect.Value) error {
	if err := c.mayRead(call, row); err != nil {
		return err
	}
	if !permits(who, call.By, c.ownerOf(call, row)) {
		return fault.Forbidden()
	}
	return nil
}

// seesPrivate tells whether private members of the row are shown.
func (c *collection) seesPrivate(by change.Actor, row reflect.Value) bool {
	return c.model.Owner != nil && permits(Owners, by, c.model.Owner.Of(row).Int())
}

// scope narrows a list to what the caller may read. Where rows belong to what they lie under, that has been decided already.
func (c *collection) scope(by change.Actor) ([]query.Cond, error) {
	switch {
	case permits(c.rights.List, by, 0) || c.rights.List == Owners && c.model.Owner == nil:
		return nil, nil
	case c.rights.List == Owners && by.ID != 0:
		return []query.Cond{query.Is(c.model.Owner.Column, by.ID)}, nil
	}
	return nil, fault.Forbidden()
}

// check panics on rights that make no sense, at start-up.
func (c *collection) check() {
	r := c.rights
	if c.model.Owner == nil && c.parent == nil && slices.Contains([]Who{r.List, r.Read, r.Create, r.Change, r.Remove}, Owners) {
		panic("rest: " + c.name + " has rights of owners, but nobody owns it")
	}
	if c.model.Version == nil {
		panic("rest: " + c.name + " has no version, so its ETags would lie")
	}
}
