package table

import (
	"context"
	"reflect"
	"slices"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/query"
)

// Members says where the items of a list column stand one by one, so that rows can be found by them.
type Members struct {
	Table string
	Row   string // column with the key of the row
	Item  string // column with the item
}

// holds is the condition that the list has one of the values.
func (b *clause) holds(l *layout, m *Members, c query.Cond) {
	if c.Op != query.In {
		panic("table: a list can only be asked what it holds")
	}
	b.write(l.columns[l.key].quoted, ` IN (SELECT "`, m.Row, `" FROM "`, m.Table, `" WHERE `)
	b.anyOf(&column{name: m.Item, quoted: `"` + m.Item + `"`}, c.Values)
	b.write(")")
}

// writeMembers adds the items that are new and takes away those that are gone, at birth, change and death alike.
func (t *Table[T]) writeMembers(ctx context.Context, tx *db.Tx, c *change.Change[T]) error {
	for i := range t.columns {
		col := &t.columns[i]
		if col.members == nil {
			continue
		}
		key, was := t.items(c.Was, col)
		id, now := t.items(c.Now, col)
		if id == nil {
			id = key
		}
		for _, item := range was {
			if slices.Contains(now, item) {
				continue
			}
			if _, err := tx.Exec(ctx, `DELETE FROM "`+col.members.Table+`" WHERE "`+col.members.Item+`" = ? AND "`+col.members.Row+`" = ?`, item, id); err != nil {
				return err
			}
		}
		if err := addMembers(ctx, tx, col.members, id, slices.DeleteFunc(slices.Clone(now), func(item string) bool { return slices.Contains(was, item) })); err != nil {
			return err
		}
	}
	return nil
}

// items gives the key of a row and what its list holds; nothing for no row.
func (t *Table[T]) items(row *T, col *column) (key any, items []string) {
	if row == nil {
		return nil, nil
	}
	v := reflect.ValueOf(row).Elem()
	return t.columns[t.key].field(v).Interface(), col.field(v).Interface().([]string)
}

func addMembers(ctx context.Context, tx *db.Tx, m *Members, key any, items []string) error {
	if len(items) == 0 {
		return nil
	}
	b := begin()
	defer b.free()
	b.write(`INSERT INTO "`, m.Table, `" ("`, m.Item, `", "`, m.Row, `") VALUES `)
	for i, item := range items {
		b.write([]string{"(", ", ("}[min(i, 1)])
		b.arg(item)
		b.write(", ")
		b.arg(key)
		b.write(")")
	}
	_, err := tx.Exec(ctx, string(b.text), b.args...)
	return err
}
