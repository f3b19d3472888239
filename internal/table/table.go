// Package table keeps values of one Go type as rows of one table, as their db tags say, and implements change.Store
// over them: keyset lists, and changes that read, edit, judge and write in one transaction.
//
// It writes only the SQL that package query can ask for, which both engines understand. It follows no relations. Its
// tests are the conformance suite beside package db.
package table

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/query"
)

// Config declares a table.
type Config[T any] struct {
	Name    string
	Scope   []query.Cond       // always applied to reads and to finding the row to change
	Derived map[string]string  // SQL of the columns that are computed
	Members map[string]Members // list columns that rows can be found by
	Search  Searcher           // finds rows by words; nil: they cannot be found so
	Rule    change.Rule[T]
	Resolve func(ctx context.Context, tx *db.Tx, now []*T) ([]error, error) // before the rule, of one row or of many: completes what only SQL knows; an error, or nil, for each
	Enter   func(ctx context.Context, tx *db.Tx, key []query.Cond) error    // before the row is read: takes what must be locked first
	Before  func(ctx context.Context, tx *db.Tx, c *change.Change[T]) error // after the rule, before the write: completes with SQL
	After   func(ctx context.Context, tx *db.Tx, c *change.Change[T]) error // after the write, in the same transaction; not called when nothing changed
	Missing func(ctx context.Context, q db.Querier, key []query.Cond) error // explains why nothing was found; nil or a nil result means fault.NotFound()
}

// Table keeps values of one struct type in one table, as their db tags say:
//
//	ID string `db:"id,key"`
//
// The options are key (string or int64; made at birth when empty), version (int64; 1 at birth, one more per change),
// born and touch (time.Time; set at birth, touch also on every change), fixed (never changed after birth) and derived
// (computed by SQL, see Config.Derived).
type Table[T any] struct {
	db     *db.DB
	config Config[T]
	*layout
	from    string // FROM "table"
	into    string // "table"
	selects string // all columns, with commas between
	texts   texts
}

var (
	_ change.Store[struct{}]   = (*Table[struct{}])(nil)
	_ change.Nursery[struct{}] = (*Table[struct{}])(nil)
)

// New makes a table. It panics on tags that make no sense.
func New[T any](d *db.DB, c Config[T]) *Table[T] {
	if !identifier.MatchString(c.Name) {
		panic("table: not a table name: " + c.Name)
	}
	t := &Table[T]{db: d, config: c, layout: layOut(reflect.TypeFor[T]()), into: `"` + c.Name + `"`}
	t.derive(c.Derived)
	for name, m := range c.Members {
		t.column(name).members = &m
	}
	t.from = " FROM " + t.into
	t.selects = strings.Join(t.selected(), ", ")
	for _, cond := range c.Scope {
		t.column(cond.Column)
	}
	return t
}

// choose begins a SELECT of the columns named.
func (t *Table[T]) choose(b *clause, names []string) []int {
	columns := t.pick(names)
	b.write("SELECT ")
	if len(names) == 0 {
		b.write(t.selects)
	} else {
		for i, c := range columns {
			if i > 0 {
				b.write(", ")
			}
			b.write(t.columns[c].selected)
		}
	}
	b.write(t.from)
	return columns
}

// Get reads one row, only the columns named (all when none are).
func (t *Table[T]) Get(ctx context.Context, key []query.Cond, columns ...string) (*T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := begin()
	defer b.free()
	picked := t.choose(b, columns)
	b.where(t.layout, t.config.Scope, key)
	q := t.db.Reader(ctx)
	row, err := t.one(t.db.Quick(ctx), q, picked, b)
	if err == nil && row == nil {
		return nil, t.missing(ctx, q, key)
	}
	return row, err
}

// one reads the first row, nil when there is none.
func (t *Table[T]) one(ctx context.Context, q db.Querier, columns []int, b *clause) (*T, error) {
	rows, err := q.Query(ctx, t.texts.of(b), b.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, t.noted(q, rows.Err())
	}
	row := new(T)
	return row, t.fill(row, rows, columns)
}

// noted translates an error that came while rows were read, and lets the transaction know of it.
func (t *Table[T]) noted(q db.Querier, err error) error {
	return db.Note(q, err)
}

func (t *Table[T]) missing(ctx context.Context, q db.Querier, key []query.Cond) error {
	if t.config.Missing != nil {
		if err := t.config.Missing(ctx, q, key); err != nil {
			return err
		}
	}
	return fault.NotFound()
}

// fill takes over the row that rows have come to.
func (t *Table[T]) fill(row *T, rows db.Rows, columns []int) error {
	v := reflect.ValueOf(row).Elem()
	for i, at := range columns {
		c := &t.columns[at]
		if err := c.Set(c.field(v), rows, i); err != nil {
			return errors.Join(rows.Err(), fmt.Errorf("table: %s.%s: %w", t.config.Name, c.name, err))
		}
	}
	return rows.Err() // that of a column which could not be read: it seems to be NULL
}
