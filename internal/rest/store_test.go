package rest_test

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/query"
	"verbless/internal/stamp"
)

// memory is a change.Store. It gives out copies that hold only the columns asked for, and remembers what was asked.
type memory[T any] struct {
	world *world
	model *field.Model
	rows  []*T
	asked []string                                // "get id version", one for each read
	rate  func(row *T, words []string) (found *T) // for a search: the row with its relevance, nil when it holds not all words
}

func newMemory[T any](w *world, one string) *memory[T] {
	m := &memory[T]{world: w, model: field.NewModel(one, reflect.TypeFor[T]())}
	w.tables = append(w.tables, m)
	return m
}

func (m *memory[T]) keep() func() {
	rows := slices.Clone(m.rows) // rows are replaced, never changed
	return func() { m.rows = rows }
}

// reads gives what was asked of the store since the last time.
func (m *memory[T]) reads() []string {
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

// column is what a column holds: nil, string, int64 or bool.
func (m *memory[T]) column(row *T, name string) any {
	f := m.model.ByColumn(name)
	if f == nil {
		panic("no column " + name)
	}
	v := f.Of(reflect.ValueOf(row).Elem())
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if at, ok := v.Interface().(time.Time); ok {
		return stamp.Micros(at)
	}
	return v.Interface()
}

// project copies a row, all of it or some columns.
func (m *memory[T]) project(row *T, columns []string) *T {
	out := new(T)
	if columns == nil {
		*out = *row
		return out
	}
	for _, name := range columns {
		f := m.model.ByColumn(name)
		f.Of(reflect.ValueOf(out).Elem()).Set(f.Of(reflect.ValueOf(row).Elem()))
	}
	return out
}

func (m *memory[T]) matches(row *T, conds []query.Cond) bool {
	return !slices.ContainsFunc(conds, func(c query.Cond) bool {
		held := m.column(row, c.Column)
		if c.Op == query.In || c.Op == query.NotIn {
			return slices.Contains(c.Values, held) != (c.Op == query.In)
		}
		if held == nil {
			return true
		}
		order := compareColumns(held, c.Values[0])
		return !map[query.Op]bool{query.Gt: order > 0, query.Gte: order >= 0, query.Lt: order < 0, query.Lte: order <= 0}[c.Op]
	})
}

// compareColumns orders two values of one column.
func compareColumns(a, b any) int {
	switch a := a.(type) {
	case string:
		return cmp.Compare(a, b.(string))
	case int64:
		return cmp.Compare(a, b.(int64))
	}
	number := map[any]int{false: 0, true: 1}
	return cmp.Compare(number[a], number[b])
}

// Get reads one.
func (m *memory[T]) Get(ctx context.Context, key []query.Cond, columns ...string) (row *T, err error) {
	err = m.world.do(ctx, "get", func() error {
		m.asked = append(m.asked, strings.TrimSpace("get "+strings.Join(columns, " ")))
		i := slices.IndexFunc(m.rows, func(r *T) bool { return m.matches(r, key) })
		if i < 0 {
			return fault.NotFound()
		}
		row = m.project(m.rows[i], columns)
		return nil
	})
	return row, err
}

// List reads a page by keyset.
func (m *memory[T]) List(ctx context.Context, q query.List) (page query.Page[T], err error) {
	err = m.world.do(ctx, "list", func() error {
		m.asked = append(m.asked, strings.TrimSpace("list "+strings.Join(q.Columns, " ")))
		backwards := q.Edge != nil && q.Edge.Before
		way := 1
		if q.Desc != backwards {
			way = -1
		}
		place := func(row *T, value, key any) int {
			return way * cmp.Or(compareColumns(m.column(row, q.Sort), value), compareColumns(m.column(row, m.model.Key.Column), key))
		}
		matching := m.find(q)
		page.Total = int64(len(matching))
		found := slices.DeleteFunc(matching, func(row *T) bool { return q.Edge != nil && place(row, q.Edge.Value, q.Edge.Key) <= 0 })
		slices.SortFunc(found, func(a, b *T) int { return place(a, m.column(b, q.Sort), m.column(b, m.model.Key.Column)) })
		if q.Per != "" {
			found = m.firstOfEach(found, q.Per, q.Limit)
		} else if page.More = len(found) > q.Limit; page.More {
			found = found[:q.Limit]
		}
		if backwards {
			slices.Reverse(found)
		}
		for _, row := range found {
			page.Rows = append(page.Rows, m.project(row, q.Columns))
		}
		return nil
	})
	return page, err
}

// find lists what matches a query, in no order.
func (m *memory[T]) find(q query.List) []*T {
	var found []*T
	for _, row := range m.rows {
		if len(q.Words) > 0 {
			row = m.rate(row, q.Words)
		}
		if row != nil && m.matches(row, q.Where) {
			found = append(found, row)
		}
	}
	return found
}

// firstOfEach keeps so many rows of each value of a column.
func (m *memory[T]) firstOfEach(rows []*T, column string, limit int) []*T {
	count := map[any]int{}
	return slices.DeleteFunc(rows, func(row *T) bool {
		value := m.column(row, column)
		count[value]++
		return count[value] > limit
	})
}

// Change runs an edit.
func (m *memory[T]) Change(ctx context.Context, by change.Actor, key []query.Cond, edit change.Edit[T]) (c *change.Change[T], err error) {
	err = m.world.do(ctx, "change", func() error {
		c = &change.Change[T]{By: by, At: m.world.clock}
		i := -1
		if key != nil {
			if i = slices.IndexFunc(m.rows, func(r *T) bool { return m.matches(r, key) }); i < 0 {
				return fault.NotFound()
			}
			c.Was = m.project(m.rows[i], nil)
		}
		now, err := edit(c.Was)
		if err != nil {
			return err
		}
		c.Now = now
		m.write(c, i)
		return nil
	})
	return c, err
}

// write puts the change at its place, and counts versions.
func (m *memory[T]) write(c *change.Change[T], i int) {
	switch {
	case c.Now == nil:
		m.rows = slices.Delete(slices.Clone(m.rows), i, i+1)
	case c.Was == nil:
		c.Now = m.project(c.Now, nil)
		if key := m.model.Key.Of(reflect.ValueOf(c.Now).Elem()); key.Kind() == reflect.String && key.IsZero() {
			key.SetString(m.world.id())
		}
		m.stamp(c.Now, "created_at", "updated_at")
		m.rows = append(m.rows, m.project(c.Now, nil))
	case reflect.DeepEqual(c.Was, c.Now):
		c.Now = c.Was
	default:
		m.stamp(c.Now, "updated_at")
		m.rows = slices.Clone(m.rows)
		m.rows[i] = m.project(c.Now, nil)
	}
}

// stamp sets times where they are not set yet, and the next version.
func (m *memory[T]) stamp(row *T, columns ...string) {
	v := reflect.ValueOf(row).Elem()
	version := m.model.Version.Of(v)
	version.SetInt(version.Int() + 1)
	for _, name := range columns {
		if f := m.model.ByColumn(name); f != nil {
			f.Of(v).Set(reflect.ValueOf(m.world.clock))
		}
	}
	m.world.clock = m.world.clock.Add(time.Second)
}

// add puts a row in, past the API.
func (m *memory[T]) add(row T) *T {
	c, err := m.Change(context.Background(), change.System, nil, func(*T) (*T, error) { return &row, nil })
	if err != nil {
		panic(err)
	}
	return c.Now
}
