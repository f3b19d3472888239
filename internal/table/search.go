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

// Searcher knows the SQL of an index of words. Which way to a page costs less depends on how many rows hold the words; few
// tells that there are less than query.Many of that rank.
type Searcher interface {
	// Count counts the rows of a rank, up to query.Many. Without a text there is no cheap way to tell that there are few.
	Count(words []string, rank query.Rank) (text string, args []any)
	// Found is the condition that a row holds all the words.
	Found(words []string, few bool) (condition string, args []any)
	// Ranked is a SELECT of the rows of a rank, as _key and _place: a number that a row keeps as long as it lives and shares
	// with no other, the later the higher. Of all, the best have their bonus already, and there are none unless there are few. Of
	// the others the engine must be able to walk many in the order of _place and to stop early.
	Ranked(words []string, rank query.Rank, few bool) (rows string, args []any)
}

// searched reads a page of what holds the words. Common words would find most of the table, so the rows that follow the edge are
// walked in their order, and only those shown are read. Few rows are sorted instead: to walk for them could take long.
func (t *Table[T]) searched(ctx context.Context, reader db.Querier, b *clause, q query.List) ([]*T, error) {
	if q.Sort == Relevance { // most searches end here, with one statement
		if rows, err := t.rank(ctx, reader, b, q, query.All, true, q.Limit+1); err != nil || len(rows) > 0 {
			return rows, err
		}
	}
	_, few, err := t.few(ctx, reader, q.Words, query.All)
	b.reset()
	switch {
	case err != nil || few && q.Sort == Relevance:
		return nil, err
	case q.Sort != Relevance:
		return t.foundAndSorted(ctx, reader, b, q, few)
	}
	ranks := []query.Rank{query.Best, query.Rest}
	if !q.Descending() {
		ranks = []query.Rank{query.Rest, query.Best}
	}
	var found []*T
	for _, rank := range ranks {
		none, few, err := t.few(ctx, reader, q.Words, rank)
		if err == nil && none {
			continue
		}
		b.reset()
		var rows []*T
		if err == nil {
			rows, err = t.rank(ctx, reader, b, q, rank, few, q.Limit+1-len(found))
		}
		if err != nil {
			return nil, err
		}
		for _, row := range rows { // one that was changed meanwhile may have gone from the one rank to the other
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

// few tells whether a rank has no rows for certain, and whether they are few.
func (t *Table[T]) few(ctx context.Context, reader db.Querier, words []string, rank query.Rank) (none, few bool, err error) {
	text, args := t.config.Search.Count(words, rank)
	if text == "" {
		return false, false, nil
	}
	var n int64
	if err := reader.QueryRow(ctx, text, args...).Scan(&n); err != nil {
		return false, false, t.noted(reader, err)
	}
	return n == 0, n < query.Many, nil
}

func (t *Table[T]) keyOf(row *T) any {
	return t.columns[t.key].field(reflect.ValueOf(row).Elem()).Interface()
}

// rank reads the rows of one rank that follow the edge.
func (t *Table[T]) rank(ctx context.Context, reader db.Querier, b *clause, q query.List, rank query.Rank, few bool, limit int) ([]*T, error) {
	text, args := t.config.Search.Ranked(q.Words, rank, few)
	bonus := int64(0)
	if rank == query.Best {
		bonus = query.Bonus
	}
	edge, ahead := placeOf(q, rank, bonus)
	if !ahead {
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
	case rank == query.All || best == (rank == query.Best):
		at -= bonus
		return &at, true
	default:
		return nil, best == q.Descending()
	}
}

// foundAndSorted is a search in another order than its own. Only keys are sorted: rows may be long.
func (t *Table[T]) foundAndSorted(ctx context.Context, reader db.Querier, b *clause, q query.List, few bool) ([]*T, error) {
	columns := t.choose(b, q.Columns)
	key := t.columns[t.key].quoted
	b.write(" WHERE ", key, " IN (SELECT ", key, t.from)
	t.matching(b, q, few)
	t.page(b, q, q.Limit+1)
	b.write(")")
	t.order(b, q)
	return t.read(ctx, reader, columns, b, q.Limit)
}
