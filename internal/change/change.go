// Package change is what can happen to a resource: a function from what was to what is, judged by a rule.
// A rule sees every change, whether HTTP, a command or a job asks for it. It uses neither SQL nor HTTP.
package change

import (
	"context"
	"slices"
	"time"

	"verbless/internal/query"
)

// The roles a user may have.
const (
	Admin  = "admin"
	Member = "member"
)

// Actor is who asks. The zero Actor is nobody.
type Actor struct {
	ID       int64
	Username string
	Role     string
}

// System is the actor of commands and jobs: it may do what an admin may.
var System = Actor{Username: "system", Role: Admin}

// IsAdmin tells whether the actor may do everything.
func (a Actor) IsAdmin() bool { return a.Role == Admin }

// Change is one thing on its way from Was to Now. Was nil is a birth, Now nil a removal.
type Change[T any] struct {
	Was, Now *T
	By       Actor
	At       time.Time
}

// Born tells whether the thing is new.
func (c *Change[T]) Born() bool { return c.Was == nil }

// Dying tells whether the thing is about to be removed.
func (c *Change[T]) Dying() bool { return c.Now == nil }

// Becomes turns one end into another: what would have been removed is kept in a new form.
func (c *Change[T]) Becomes(now *T) { c.Now = now }

// Rule may refuse a change with an error, or complete it. nil allows everything.
type Rule[T any] func(*Change[T]) error

// Edit makes what will be from what was: was nil asks for a birth, a nil answer for a removal.
// It must leave was as it is, and may run more than once.
type Edit[T any] func(was *T) (*T, error)

// Store keeps things of one type. A key is the conditions that find exactly one of them.
type Store[T any] interface {
	// Get reads one, only the columns named (all when none are).
	Get(ctx context.Context, key []query.Cond, columns ...string) (*T, error)
	// List reads a page.
	List(ctx context.Context, q query.List) (query.Page[T], error)
	// Change runs edit, rule and write in one transaction on the row that key finds, or on nothing when key is nil,
	// and tells what came of it. A change that changes nothing is not written.
	Change(ctx context.Context, by Actor, key []query.Cond, edit Edit[T]) (*Change[T], error)
}

// Nursery is a Store that makes many at once, all or none, in few statements.
type Nursery[T any] interface {
	// CreateMany makes the rows and gives them back in their order. judged holds, for each row, what is known to be wrong
	// with it already, or nil. Every fault of every row comes in one error, with pointers below the row's index: /3/title.
	CreateMany(ctx context.Context, by Actor, rows []*T, judged []error) ([]*T, error)
}

// Moves lists, for each state, the states that may follow it.
type Moves map[string][]string

// Allows tells whether from may become to. Staying is always allowed.
func (m Moves) Allows(from, to string) bool { return from == to || slices.Contains(m[from], to) }

// Next lists the states that may follow from, never nil.
func (m Moves) Next(from string) []string { return append([]string{}, m[from]...) }
