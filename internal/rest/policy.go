package rest

import (
	"reflect"

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

// ownerOf is the user a row belongs to, 0 when the resource has no owners.
func (c *collection) ownerOf(row reflect.Value) int64 {
	if c.model.Owner == nil {
		return 0
	}
	return c.model.Owner.Of(row).Int()
}

// mayRead hides what the caller may not know to exist.
func (c *collection) mayRead(by change.Actor, row reflect.Value) error {
	if !permits(c.rights.Read, by, c.ownerOf(row)) {
		return fault.NotFound()
	}
	return nil
}

// mayWrite refuses openly only what the caller may see.
func (c *collection) mayWrite(who Who, by change.Actor, row reflect.Value) error {
	if err := c.mayRead(by, row); err != nil {
		return err
	}
	if !permits(who, by, c.ownerOf(row)) {
		return fault.Forbidden()
	}
	return nil
}

// seesPrivate tells whether private members of the row are shown.
func (c *collection) seesPrivate(by change.Actor, row reflect.Value) bool {
	return permits(Owners, by, c.ownerOf(row))
}

// scope narrows a list to what the caller may read.
func (c *collection) scope(by change.Actor) ([]query.Cond, error) {
	switch {
	case permits(c.rights.List, by, 0):
		return nil, nil
	case c.rights.List == Owners && by.ID != 0:
		return []query.Cond{query.Is(c.model.Owner.Column, by.ID)}, nil
	}
	return nil, fault.Forbidden()
}
