package table

import (
	"context"
	"reflect"
	"strconv"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
)

// manyRows bounds how many rows one statement writes. Smaller statements write powers of two, so that few texts have to
// be prepared whatever the number of rows.
const manyRows = 64

// CreateMany makes all rows or none. The rule sees each birth as if it came alone; a row that is judged already is only
// resolved, so that all that is wrong with it is told. Before sees none of the others: they are written after all are judged.
func (t *Table[T]) CreateMany(ctx context.Context, by change.Actor, rows []*T, judged []error) ([]*T, error) {
	var made []*T
	err := t.db.Write(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		made, err = t.createMany(ctx, tx, by, rows, judged)
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

func (t *Table[T]) createMany(ctx context.Context, tx *db.Tx, by change.Actor, rows []*T, judged []error) ([]*T, error) {
	births, now := make([]change.Change[T], len(rows)), make([]*T, len(rows))
	for i, row := range rows {
		births[i] = change.Change[T]{Now: row, By: by, At: tx.Now()}
		if err := t.complete(ctx, tx, &births[i]); err != nil {
			return nil, err
		}
		now[i] = births[i].Now
	}
	resolved, err := t.resolve(ctx, tx, now)
	if err != nil {
		return nil, err
	}
	var bad fault.List
	for i := range births {
		verdicts := []error{judged[i], resolved[i]}
		if judged[i] == nil && resolved[i] == nil {
			verdicts = []error{t.judge(ctx, tx, &births[i])}
		}
		for _, verdict := range verdicts {
			if err := bad.Below("/"+strconv.Itoa(i), verdict); err != nil {
				return nil, err
			}
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return t.writeMany(ctx, tx, births)
}

// writeMany puts all births into the table, and then runs what belongs to each.
func (t *Table[T]) writeMany(ctx context.Context, tx *db.Tx, births []change.Change[T]) ([]*T, error) {
	values, made := make([][]any, len(births)), make([]*T, len(births))
	for i := range births {
		c := &births[i]
		if err := t.complete(ctx, tx, c); err != nil { // the rule may have put another in its place
			return nil, err
		}
		var err error
		if values[i], err = t.values(reflect.ValueOf(c.Now).Elem()); err != nil {
			return nil, err
		}
		made[i] = c.Now
	}
	b := begin()
	defer b.free()
	for size := manyRows; len(values) > 0; {
		if size > len(values) {
			size /= 2
			continue
		}
		if err := t.exec(ctx, tx, t.insert(b, values[:size]...), size); err != nil {
			return nil, err
		}
		b.reset()
		values = values[size:]
	}
	for i := range births {
		if err := t.writeMembers(ctx, tx, &births[i]); err != nil {
			return nil, err
		}
	}
	if t.config.After != nil {
		for i := range births {
			if err := t.config.After(ctx, tx, &births[i]); err != nil {
				return nil, err
			}
		}
	}
	return made, nil
}
