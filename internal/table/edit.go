package table

import (
	"context"
	"fmt"
	"reflect"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/ident"
	"verbless/internal/query"
)

// Change runs edit, rule and write in one transaction on the row that key finds, or on nothing when key is nil.
// The row is locked from being read to the commit, so concurrent edits follow one another. A change that changes
// nothing is not written, and then Now is Was.
func (t *Table[T]) Change(ctx context.Context, by change.Actor, key []query.Cond, edit change.Edit[T]) (*change.Change[T], error) {
	var result *change.Change[T]
	err := t.db.Write(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		result, err = t.change(ctx, tx, by, key, edit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (t *Table[T]) change(ctx context.Context, tx *db.Tx, by change.Actor, key []query.Cond, edit change.Edit[T]) (*change.Change[T], error) {
	c := &change.Change[T]{By: by, At: tx.Now()}
	var before []any // what the columns held, out of reach of whoever edits
	if key != nil {
		var err error
		if t.config.Enter != nil {
			if err = t.config.Enter(ctx, tx, key); err != nil {
				return nil, err
			}
		}
		if c.Was, err = t.lock(ctx, tx, key); err != nil {
			return nil, err
		}
		if before, err = t.values(reflect.ValueOf(c.Was).Elem()); err != nil {
			return nil, err
		}
	}
	now, err := edit(c.Was)
	if err != nil {
		return nil, err
	}
	c.Now = now
	if c.Was == nil && c.Now == nil {
		return c, nil
	}
	if err := t.complete(ctx, tx, c); err != nil { // the rule sees the key and the times
		return nil, err
	}
	if c.Now != nil {
		judged, err := t.resolve(ctx, tx, []*T{c.Now})
		if err == nil {
			err = judged[0]
		}
		if err != nil {
			return nil, err
		}
	}
	if err := t.judge(ctx, tx, c); err != nil {
		return nil, err
	}
	changed, err := t.write(ctx, tx, c, before)
	if err != nil {
		return nil, err
	}
	if !changed {
		c.Now = c.Was
		return c, nil
	}
	if err := t.writeMembers(ctx, tx, c); err != nil {
		return nil, err
	}
	if t.config.After != nil {
		return c, t.config.After(ctx, tx, c)
	}
	return c, nil
}

// resolve completes rows by SQL, and tells what is wrong with each.
func (t *Table[T]) resolve(ctx context.Context, tx *db.Tx, now []*T) ([]error, error) {
	if t.config.Resolve == nil {
		return make([]error, len(now)), nil
	}
	return t.config.Resolve(ctx, tx, now)
}

// judge asks the rule, and lets SQL complete what it allows.
func (t *Table[T]) judge(ctx context.Context, tx *db.Tx, c *change.Change[T]) error {
	if t.config.Rule != nil {
		if err := t.config.Rule(c); err != nil {
			return err
		}
	}
	if t.config.Before != nil {
		return t.config.Before(ctx, tx, c)
	}
	return nil
}

// lock reads the row and keeps it from others until the end. On SQLite the transaction does so by itself.
func (t *Table[T]) lock(ctx context.Context, tx *db.Tx, key []query.Cond) (*T, error) {
	b := begin()
	defer b.free()
	t.choose(b, nil)
	b.where(t.layout, t.config.Scope, key)
	if t.db.Postgres() {
		b.write(" FOR UPDATE")
	}
	row, err := t.one(ctx, tx, t.all, b)
	if err == nil && row == nil {
		return nil, t.missing(ctx, tx, key)
	}
	return row, err
}

// complete sets what nobody edits, in a copy: edit may run again, and must not find what a lost attempt has left.
func (t *Table[T]) complete(ctx context.Context, tx *db.Tx, c *change.Change[T]) error {
	if c.Now == nil {
		return nil
	}
	fresh := *c.Now
	c.Now = &fresh
	now := reflect.ValueOf(c.Now).Elem()
	if c.Was != nil {
		was := reflect.ValueOf(c.Was).Elem()
		for i := range t.columns {
			if col := &t.columns[i]; col.managed {
				col.field(now).Set(col.field(was))
			}
		}
		return nil
	}
	if t.version >= 0 {
		t.columns[t.version].field(now).SetInt(1)
	}
	t.stamp(now, t.born, tx.Now())
	t.stamp(now, t.touch, tx.Now())
	key := t.columns[t.key].field(now)
	if !key.IsZero() {
		return nil
	}
	if key.Kind() == reflect.String {
		key.SetString(ident.New())
		return nil
	}
	n, err := tx.Next(ctx, t.config.Name)
	key.SetInt(n)
	return err
}

// write puts the difference into the table, and tells whether there was one.
func (t *Table[T]) write(ctx context.Context, tx *db.Tx, c *change.Change[T], before []any) (bool, error) {
	if c.Now == nil && c.Was == nil {
		return false, nil
	}
	b := begin()
	defer b.free()
	if c.Now == nil {
		b.write("DELETE", t.from)
		err := t.exec(ctx, tx, t.same(b, before), 1)
		if fault.Is(err, fault.StillReferenced) {
			err = fault.New(fault.StillReferenced, "Something else refers to this, so it stays.").Because(err)
		}
		return true, err
	}
	if err := t.complete(ctx, tx, c); err != nil { // the rule may have put another in its place
		return false, err
	}
	now := reflect.ValueOf(c.Now).Elem()
	after, err := t.values(now)
	if err != nil {
		return false, err
	}
	if c.Was == nil {
		return true, t.exec(ctx, tx, t.insert(b, after), 1)
	}
	var set []int
	for i := range after {
		if after[i] != before[i] && !t.columns[i].derived {
			set = append(set, i)
		}
	}
	if len(set) == 0 {
		return false, nil
	}
	if t.version >= 0 {
		next := before[t.version].(int64) + 1
		t.columns[t.version].field(now).SetInt(next)
		after[t.version] = next
		set = append(set, t.version)
	}
	if t.touch >= 0 {
		t.stamp(now, t.touch, tx.Now())
		after[t.touch] = tx.Now().UnixMicro()
		set = append(set, t.touch)
	}
	b.write("UPDATE ", t.into)
	for n, i := range set {
		b.write([]string{" SET ", ", "}[min(n, 1)], t.columns[i].quoted, " = ")
		b.arg(after[i])
	}
	return true, t.exec(ctx, tx, t.same(b, before), 1)
}

// insert writes rows, each as the values of its columns, in one statement.
func (t *Table[T]) insert(b *clause, rows ...[]any) *clause {
	b.write("INSERT INTO ", t.into, " (")
	comma := ""
	for i := range t.columns {
		if !t.columns[i].derived {
			b.write(comma, t.columns[i].quoted)
			comma = ", "
		}
	}
	b.write(") VALUES ")
	for n, values := range rows {
		comma = []string{"(", ", ("}[min(n, 1)]
		for i, v := range values {
			if !t.columns[i].derived {
				b.write(comma)
				b.arg(v)
				comma = ", "
			}
		}
		b.write(")")
	}
	return b
}

// same ends a statement with the row as it was read.
func (t *Table[T]) same(b *clause, before []any) *clause {
	b.write(" WHERE ", t.columns[t.key].quoted, " = ")
	b.arg(before[t.key])
	if t.version >= 0 {
		b.write(" AND ", t.columns[t.version].quoted, " = ")
		b.arg(before[t.version])
	}
	return b
}

// exec insists on a number of rows: they are locked, so only a hook of this very change can have touched them.
func (t *Table[T]) exec(ctx context.Context, tx *db.Tx, b *clause, want int) error {
	res, err := tx.Exec(ctx, t.texts.of(b), b.args...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n != int64(want) {
		err = fmt.Errorf("table: a change of %s wrote %d rows instead of %d", t.config.Name, n, want)
	}
	return err
}
