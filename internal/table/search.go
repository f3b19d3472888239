package table

import (
	"context"
	"reflect"
	"slices"
	"strconv"

	"verbless/internal/db"
	"verbless/internal/query"
)

// Relevance is the derived column that a searched list is sorted by. Its type holds it as int64.
const Relevance = "relevance"

// Searcher knows the SQL of an index of words.
type Searcher interface {
	// Found is the condition that a row holds all the words.
	Found(words []string) (condition string, args []any)
	// Ranked is a SELECT of the rows of one rank, as _key and _place: a number that a row keeps as long as it lives and
	// shares with no other, the later the higher. The engine should be able to walk Best and Rest in the order of _place,
	// and stop early. Few have their bonus already; without a text there is no need to look for few.
	Ranked(words []string, rank query.Rank) (rows string, args []any)
}

// searched reads a page of what holds the words. Common words would find most of the table, so the rows that follow the edge are
// walked in their order, and only those shown are read. Few rows are sorted instead: to walk for them could take long.
func (t *Table[T]) searched(ctx context.Context, reader db.Querier, b *clause, q query.List) ([]*T, error) {
	if q.Sort != Relevance {
		return t.foundAndSorted(ctx, reader, b, q)
	}
	ranks := []query.Rank{query.Best, query.Rest}
	if !q.Descending() {
		ranks = []query.Rank{query.Rest, query.Best}
	}
	found, err := t.rank(ctx, reader, b, q, query.Few, q.Limit+1)
	if err != nil || len(found) > 0 {
		return found, err
	}
	for _, rank := range ranks {
		b.reset()
		rows, err := t.rank(ctx, reader, b, q, rank, q.Limit+1-len(found))
		if err != nil {
			return nil, err
		}
		for _, row := range rows { // one that was changed meanwhile may have gone from the one to the other
			if !slices.ContainsFunc(found, func(other *T) bool { return t.keyOf(other) == t.keyOf(row) }) {
				found = append(found, row)
			}
		}
		if q.Limit > 0 && len(found) > q.Limit {
			break
		}
	}
	return found, nil
}

func (t *Table[T]) keyOf(row *T) any {
	return t.columns[t.key].field(reflect.ValueOf(row).Elem()).Interface()
}

// rank reads the rows of one rank that follow the edge.
func (t *Table[T]) rank(ctx context.Context, reader db.Querier, b *clause, q query.List, rank query.Rank, limit int) ([]*T, error) {
	text, args := t.config.Search.Ranked(q.Words, rank)
	bonus := int64(0)
	if rank == query.Best {
		bonus = query.Bonus
	}
	edge, ahead := placeOf(q, rank, bonus)
	if text == "" || !ahead {
		return nil, nil
	}
	columns := t.pick(q.Columns)
	for i, c := range columns {
		b.write([]string{"SELECT ", ", "}[min(i, 1)])
		if t.columns[c].name == Relevance {
			b.write(strconv.FormatInt(bonus, 10), ` + _place AS "`, Relevance, `"`)
		} else {
			b.write(t.columns[c].selected)
		}
	}
	b.write(" FROM (", text, ") AS found CROSS JOIN ", t.into) // in this order, on SQLite
	b.args = append(b.args, args...)
	b.where(t.layout, t.config.Scope, q.Where)
	b.write(" AND ", t.into, ".", t.columns[t.key].quoted, " = _key")
	sign, way := " > ", " ASC"
	if q.Descending() {
		sign, way = " < ", " DESC"
	}
	if edge != nil {
		b.write(" AND _place", sign)
		b.arg(*edge)
	}
	b.write(" ORDER BY _place", way)
	if q.Limit > 0 {
		b.write(" LIMIT ", strconv.Itoa(limit))
	}
	return t.read(ctx, reader, columns, b, q.Limit)
}

// placeOf is the place in a rank that the page goes on from, nil for all of it. ahead tells whether the rank lies ahead at all.
func placeOf(q query.List, rank query.Rank, bonus int64) (place *int64, ahead bool) {
	if q.Edge == nil {
		return nil, true
	}
	at, _ := q.Edge.Value.(int64)
	best := at >= query.Bonus
	switch {
	case rank == query.Few || best == (rank == query.Best):
		at -= bonus
		return &at, true
	default:
		return nil, best == q.Descending()
	}
}

// foundAndSorted is a search in another order than its own. Only keys are sorted: rows may be long.
func (t *Table[T]) foundAndSorted(ctx context.Context, reader db.Querier, b *clause, q query.List) ([]*T, error) {
	columns := t.choose(b, q.Columns)
	key := t.columns[t.key].quoted
	b.write(" WHERE ", key, " IN (SELECT ", key, t.from)
	t.matching(b, q)
	t.page(b, q, q.Limit+1)
	b.write(")")
	t.order(b, q)
	return t.read(ctx, reader, columns, b, q.Limit)
}
