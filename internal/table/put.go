package table

import (
	"context"
	"reflect"

	"verbless/internal/change"
	"verbless/internal/db"
)

// Put makes rows or, where a key is taken already, gives the row that has it the new values; a row that has them is left
// alone. Keys may not repeat among the rows. The rule sees every row as a birth, and no hook runs. It tells how many rows were written.
func (t *Table[T]) Put(ctx context.Context, by change.Actor, rows []*T) (written int64, err error) {
	err = t.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		written = 0
		values := make([][]any, len(rows))
		for i, row := range rows {
			c := &change.Change[T]{Now: row, By: by, At: tx.Now()}
			if err := t.complete(ctx, tx, c); err != nil {
				return err
			}
			if t.config.Rule != nil {
				if err := t.config.Rule(c); err != nil {
					return err
				}
			}
			var err error
			if values[i], err = t.values(reflect.ValueOf(c.Now).Elem()); err != nil {
				return err
			}
		}
		b := begin()
		defer b.free()
		for size := manyRows; len(values) > 0; {
			if size > len(values) {
				size /= 2
				continue
			}
			result, err := tx.Exec(ctx, t.texts.of(t.orUpdate(t.insert(b, values[:size]...))), b.args...)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			written += n
			b.reset()
			values = values[size:]
		}
		return nil
	})
	return written, err
}

// orUpdate lets an insert change the rows whose keys are taken, where anything differs.
func (t *Table[T]) orUpdate(b *clause) *clause {
	b.write(" ON CONFLICT (", t.columns[t.key].quoted, ") DO UPDATE SET ")
	comma := ""
	for i := range t.columns {
		switch c := &t.columns[i]; {
		case i == t.version:
			b.write(comma, c.quoted, " = ", t.into, ".", c.quoted, " + 1")
		case i == t.touch || !c.managed:
			b.write(comma, c.quoted, " = excluded.", c.quoted)
		default:
			continue
		}
		comma = ", "
	}
	word := " WHERE "
	for i := range t.columns {
		if c := &t.columns[i]; !c.managed {
			b.write(word, t.into, ".", c.quoted, " IS DISTINCT FROM excluded.", c.quoted)
			word = " OR "
		}
	}
	return b
}
