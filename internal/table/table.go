// Package table keeps values of one Go type as rows of one table, as their db tags say, and implements change.Store
// over them: keyset lists, and changes that read, edit, judge and write in one transaction.
//
// It writes only the SQL that package query can ask for, which both engines understand. It follows no relations. Its
// tests are the conformance suite beside package db.
package table

import (
	"context"
	"database/sql"
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
	Scope   []query.Cond      // always applied to reads and to finding the row to change
	Derived map[string]string // SQL of the columns that are computed
	Search  Searcher          // finds rows by words; nil: they cannot be found so
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
	selects string // SELECT of all columns
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
	t.from = " FROM " + t.into
	t.selects = t.selectOf(t.all)
	for _, cond := range c.Scope {
		t.column(cond.Column)
	}
	return t
}

func (t *Table[T]) selectOf(columns []int) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = t.columns[c].selected
	}
	return "SELECT " + strings.Join(names, ", ") + t.from
}

// choose begins a SELECT of the columns named.
func (t *Table[T]) choose(b *clause, names []string) []int {
	columns := t.pick(names)
	b.Grow(len(t.selects) + 128)
	if len(names) == 0 {
		b.WriteString(t.selects)
	} else {
		b.WriteString(t.selectOf(columns))
	}
	return columns
}

// Get reads one row, only the columns named (all when none are).
func (t *Table[T]) Get(ctx context.Context, key []query.Cond, columns ...string) (*T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var b clause
	picked := t.choose(&b, columns)
	b.where(t.layout, t.config.Scope, key)
	q := t.db.Reader(ctx)
	row, err := t.one(t.quick(ctx), q, picked, &b)
	if err == nil && row == nil {
		return nil, t.missing(ctx, q, key)
	}
	return row, err
}

// quick is for reads that end sooner than a goroutine to watch their context would start.
func (t *Table[T]) quick(ctx context.Context) context.Context {
	if t.db.Postgres() {
		return ctx
	}
	return context.Background()
}

// one reads the first row, nil when there is none.
func (t *Table[T]) one(ctx context.Context, q db.Querier, columns []int, b *clause) (*T, error) {
	rows, err := q.Query(ctx, b.String(), b.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, t.noted(q, rows.Err())
	}
	return t.scanner(columns).row(rows)
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

// scanner reads rows into values with buffers that are used again for every row.
type scanner[T any] struct {
	table   *Table[T]
	columns []int
	values  []any
	targets []any // pointers to values
}

func (t *Table[T]) scanner(columns []int) *scanner[T] {
	s := &scanner[T]{table: t, columns: columns, values: make([]any, len(columns)), targets: make([]any, len(columns))}
	for i := range s.values {
		s.targets[i] = &s.values[i]
	}
	return s
}

func (s *scanner[T]) row(rows *sql.Rows) (*T, error) {
	if err := rows.Scan(s.targets...); err != nil {
		return nil, err
	}
	row := new(T)
	v := reflect.ValueOf(row).Elem()
	for i, at := range s.columns {
		c := &s.table.columns[at]
		if err := c.set(c.field(v), s.values[i]); err != nil {
			return nil, fmt.Errorf("table: %s.%s: %w", s.table.config.Name, c.name, err)
		}
	}
	return row, nil
}
