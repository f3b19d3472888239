// Package query says what a caller wants to read, in words that neither HTTP nor SQL has invented:
// conditions on columns, one order, and a place in that order to go on from.
package query

// Op compares a column with values.
type Op int

// The comparisons. In takes any number of values, the others one.
const (
	In Op = iota
	NotIn
	Gt
	Gte
	Lt
	Lte
)

// Cond is one condition on a column. Values are what the column holds: string, int64 or bool.
type Cond struct {
	Column string
	Op     Op
	Values []any
}

// Is is the commonest condition.
func Is(column string, value any) Cond { return Cond{Column: column, Op: In, Values: []any{value}} }

// Any wants the column to hold one of the values; no values match nothing.
func Any(column string, values ...any) Cond { return Cond{Column: column, Op: In, Values: values} }

// Not wants the column to hold none of the values.
func Not(column string, values ...any) Cond { return Cond{Column: column, Op: NotIn, Values: values} }

// Edge is a place in an ordered list: the sort value and the key of the row that stands there.
type Edge struct {
	Before bool // the page wanted lies before the place, not after it
	Value  any
	Key    any
}

// List is a page of rows: which, in what order, from where, and how many.
type List struct {
	Where   []Cond
	Words   []string // rows must hold all of these words, where the store can search
	Columns []string // nil is all of them
	Sort    string   // a column that is never null
	Desc    bool
	Edge    *Edge
	Limit   int
	Per     string // Limit counts for each value of this column, which Where names; such a list has one page
	Count   bool   // also count all rows that match, whatever the page
}

// Descending tells in which direction the rows are read: a page before an edge is read backwards.
func (q *List) Descending() bool { return q.Desc != (q.Edge != nil && q.Edge.Before) }

// Page is what a List finds, always in the order asked for.
type Page[T any] struct {
	Rows  []*T
	More  bool // there are further rows in the direction of travel
	Total int64
}
