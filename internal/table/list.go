package table

import (
	"context"
	"slices"
	"strconv"

	"verbless/internal/db"
	"verbless/internal/query"
)

// List reads a page by keyset: however far in, it costs what the first page costs.
func (t *Table[T]) List(ctx context.Context, q query.List) (query.Page[T], error) {
	var page query.Page[T]
	reader := t.db.Reader(ctx)
	b := begin()
	defer b.free()
	if q.Count {
		b.write("SELECT COUNT(*)", t.from)
		t.matching(b, q, false)
		if err := reader.QueryRow(ctx, t.texts.of(b), b.args...).Scan(&page.Total); err != nil {
			return page, t.noted(reader, err)
		}
		b.reset()
	}
	if q.Per != "" {
		var err error
		page.Rows, err = t.perValue(ctx, reader, b, q)
		return page, err
	}
	read := t.plain
	if len(q.Words) > 0 {
		read = t.searched
	}
	rows, err := read(ctx, reader, b, q)
	if err != nil {
		return page, err
	}
	if q.Limit > 0 && len(rows) > q.Limit {
		rows, page.More = rows[:q.Limit], true
	}
	if q.Edge != nil && q.Edge.Before {
		slices.Reverse(rows)
	}
	page.Rows = rows
	return page, nil
}

// plain reads the rows of a page, and one more, which tells whether there is more.
func (t *Table[T]) plain(ctx context.Context, reader db.Querier, b *clause, q query.List) ([]*T, error) {
	columns := t.choose(b, q.Columns)
	t.matching(b, q, false)
	t.page(b, q, q.Limit+1)
	return t.read(ctx, reader, columns, b, q.Limit)
}

// matching writes the conditions of a list. few tells that few rows hold its words.
func (t *Table[T]) matching(b *clause, q query.List, few bool) {
	b.where(t.layout, t.config.Scope, q.Where)
	if len(q.Words) > 0 {
		found, args := t.config.Search.Found(q.Words, few)
		b.write(" AND ", found)
		b.args = append(b.args, args...)
	}
}

// mostValues is how many values one statement asks for; SQLite takes 500 at most.
const mostValues = 200

// perValue reads the first rows for each value of one column, in statements that follow an index for each value.
func (t *Table[T]) perValue(ctx context.Context, reader db.Querier, b *clause, q query.List) ([]*T, error) {
	at := slices.IndexFunc(q.Where, func(c query.Cond) bool { return c.Column == q.Per && c.Op == query.In })
	var found []*T
	for values := range slices.Chunk(q.Where[at].Values, mostValues) {
		b.reset()
		rows, err := t.perSome(ctx, reader, b, q, at, values)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

func (t *Table[T]) perSome(ctx context.Context, reader db.Querier, b *clause, q query.List, at int, values []any) ([]*T, error) {
	columns := t.pick(q.Columns)
	one := q
	for i, value := range values {
		if i > 0 {
			b.write(" UNION ALL ")
		}
		one.Where = slices.Clone(q.Where)
		one.Where[at] = query.Is(q.Per, value)
		b.write("SELECT * FROM (")
		t.choose(b, q.Columns)
		t.matching(b, one, false)
		t.page(b, one, q.Limit)
		b.write(") AS part")
	}
	return t.read(ctx, reader, columns, b, q.Limit)
}

// page writes where to go on from, the order, and how many rows to read where there is a limit.
func (t *Table[T]) page(b *clause, q query.List, rows int) {
	if key, sort := t.sorts(q); q.Edge != nil {
		sign := " > "
		if q.Descending() {
			sign = " < "
		}
		b.write(" AND ")
		if sort == key {
			b.write(key.quoted, sign)
		} else {
			b.write("(", sort.quoted, ", ", key.quoted, ")", sign, "(")
			b.arg(q.Edge.Value)
			b.write(", ")
		}
		b.arg(q.Edge.Key)
		if sort != key {
			b.write(")")
		}
	}
	t.order(b, q)
	if q.Limit > 0 {
		b.write(" LIMIT ", strconv.Itoa(rows))
	}
}

// sorts gives the columns that a list is sorted by: the key is the last word.
func (t *Table[T]) sorts(q query.List) (key, sort *column) {
	key = &t.columns[t.key]
	if q.Sort == "" {
		return key, key
	}
	return key, t.column(q.Sort)
}

// order writes the order. A page before an edge is read backwards.
func (t *Table[T]) order(b *clause, q query.List) {
	key, sort := t.sorts(q)
	way := " ASC"
	if q.Descending() {
		way = " DESC"
	}
	b.write(" ORDER BY ", sort.quoted, way)
	if sort != key {
		b.write(", ", key.quoted, way)
	}
}

// read gives all rows of a statement.
func (t *Table[T]) read(ctx context.Context, q db.Querier, columns []int, b *clause, limit int) ([]*T, error) {
	rows, err := q.Query(ctx, t.texts.of(b), b.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make([]*T, 0, min(limit, 1000)+1)
	for rows.Next() {
		row := new(T)
		if err := t.fill(row, rows, columns); err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	return found, t.noted(q, rows.Err())
}
