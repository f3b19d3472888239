package table

import (
	"context"
	"reflect"

	"verbless/internal/db"
	"verbless/internal/query"
)

// Members says where the items of a list column stand one by one, so that rows can be found by them. The rows of that table
// go with the row they belong to, by a foreign key.
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

// writeMembers puts the items of list columns that have changed in the place of those that were.
func (t *Table[T]) writeMembers(ctx context.Context, tx *db.Tx, now *T, before []any) error {
	row := reflect.ValueOf(now).Elem()
	key, err := t.columns[t.key].get(t.columns[t.key].field(row))
	if err != nil {
		return err
	}
	for i := range t.columns {
		col := &t.columns[i]
		if col.members == nil {
			continue
		}
		value, err := col.get(col.field(row))
		if err != nil {
			return err
		}
		if before != nil && before[i] == value {
			continue
		}
		m := col.members
		if before != nil {
			if _, err := tx.Exec(ctx, `DELETE FROM "`+m.Table+`" WHERE "`+m.Row+`" = ?`, key); err != nil {
				return err
			}
		}
		for _, item := range col.field(row).Interface().([]string) {
			if _, err := tx.Exec(ctx, `INSERT INTO "`+m.Table+`" ("`+m.Row+`", "`+m.Item+`") VALUES (?, ?)`, key, item); err != nil {
				return err
			}
		}
	}
	return nil
}
