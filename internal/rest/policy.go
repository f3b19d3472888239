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

// permits tells whether the caller may do a thing; own tells whether it is theirs.
func permits(who Who, by change.Actor, own bool) bool {
	switch who {
	case Everyone:
		return by.Role != ""
	case Owners:
		return by.IsAdmin() || own
	case Admins:
		return by.IsAdmin()
	}
	return false
}

// owned tells whether a row belongs to the caller: by one of its own owners or, where it has none, by what it lies under.
func (c *collection) owned(call *Call, row reflect.Value) bool {
	if len(c.model.Owners) == 0 {
		return c.parent != nil && call.ownsParent
	}
	return c.ownedBy(call.By, row)
}

func (c *collection) ownedBy(by change.Actor, row reflect.Value) bool {
	for _, owner := range c.model.Owners {
		if by.ID != 0 && owner.Of(row).Int() == by.ID {
			return true
		}
	}
	return false
}

// inhabited tells whether a whole collection belongs to one user, because what it lies under is one of its owners.
func (c *collection) inhabited() bool {
	return c.parent != nil && c.model.Parent != nil && slices.Contains(c.model.Owners, c.model.Parent)
}

// whole tells whether the collection as a whole is one user's: it lies under them, or under what they own.
func (c *collection) whole() bool {
	return c.inhabited() || c.parent != nil && c.model.Parent != nil && len(c.model.Owners) == 0
}

// opens tells whether the caller may do a thing with the collection as a whole; above is what its path asks for.
func (c *collection) opens(who Who, call *Call, above []query.Cond) bool {
	own := true
	switch {
	case c.inhabited():
		own = call.By.ID != 0 && above[0].Values[0] == any(call.By.ID)
	case c.whole():
		own = call.ownsParent
	}
	return permits(who, call.By, own)
}

// mayRead hides what the caller may not know to exist.
func (c *collection) mayRead(call *Call, row reflect.Value) error {
	if !permits(c.rights.Read, call.By, c.owned(call, row)) && !c.isOpen(call, row) {
		return fault.NotFound()
	}
	return nil
}

// isOpen tells whether a row may be read by everyone with a token and, where guests are welcome, by everybody.
func (c *collection) isOpen(call *Call, row reflect.Value) bool {
	guest := call.op != nil && call.op.Guests
	return c.open != nil && (guest || permits(Everyone, call.By, false)) && slices.Contains(c.open.Values, c.model.ByColumn(c.open.Column).Of(row).Interface())
}

// mayWrite refuses openly only what the caller may see.
func (c *collection) mayWrite(who Who, call *Call, row reflect.Value) error {
	if err := c.mayRead(call, row); err != nil {
		return err
	}
	if !permits(who, call.By, c.owned(call, row)) {
		return fault.Forbidden()
	}
	return nil
}

// seesPrivate tells whether private members of the row are shown.
func (c *collection) seesPrivate(by change.Actor, row reflect.Value) bool {
	return len(c.model.Owners) > 0 && permits(Owners, by, c.ownedBy(by, row))
}

// scope narrows a list to what the caller may read, and hides one that is somebody else's.
func (c *collection) scope(call *Call, above []query.Cond) ([]query.Cond, error) {
	by := call.By
	switch {
	case c.whole() && !c.opens(c.rights.List, call, above):
		return nil, fault.NotFound()
	case c.mine != "" && permits(c.rights.List, by, true):
		return []query.Cond{query.Is(c.mine, by.ID)}, nil
	case permits(c.rights.List, by, c.whole()):
		return nil, nil
	case c.rights.List == Owners && by.ID != 0:
		return []query.Cond{query.Is(c.model.Owners[0].Column, by.ID)}, nil
	}
	return nil, fault.Forbidden()
}

// check panics on rights that make no sense, at start-up.
func (c *collection) check() {
	r := c.rights
	if len(c.model.Owners) == 0 && c.parent == nil && slices.Contains([]Who{r.List, r.Read, r.Create, r.Change, r.Remove}, Owners) {
		panic("rest: " + c.name + " has rights of owners, but nobody owns it")
	}
	if c.model.Version == nil {
		panic("rest: " + c.name + " has no version, so its ETags would lie")
	}
}
