package table

import (
	"strings"

	"verbless/internal/db"
	"verbless/internal/query"
)

// clause is a statement while it is written: its text and what stands for the question marks.
type clause struct {
	strings.Builder
	args []any
}

func (b *clause) arg(v any) {
	b.WriteByte('?')
	b.args = append(b.args, db.Plain(v))
}

// where writes all the conditions, the table's own scope first.
func (b *clause) where(l *layout, lists ...[]query.Cond) {
	word := " WHERE "
	for _, conds := range lists {
		for _, c := range conds {
			b.WriteString(word)
			b.cond(l.column(c.Column), c)
			word = " AND "
		}
	}
	if word == " WHERE " {
		b.WriteString(" WHERE 1 = 1")
	}
}

var comparisons = map[query.Op]string{query.Gt: " > ", query.Gte: " >= ", query.Lt: " < ", query.Lte: " <= "}

func (b *clause) cond(col *column, c query.Cond) {
	switch c.Op {
	case query.In:
		b.anyOf(col, c.Values)
	case query.NotIn:
		b.noneOf(col, c.Values)
	default:
		sign, ok := comparisons[c.Op]
		if !ok || len(c.Values) != 1 {
			panic("table: a comparison of " + col.name + " takes one value")
		}
		b.WriteString(col.quoted + sign)
		b.arg(c.Values[0])
	}
}

// anyOf: nil among the values stands for NULL, and no values match nothing.
func (b *clause) anyOf(col *column, values []any) {
	values, null := split(values)
	switch {
	case len(values) == 0 && null:
		b.WriteString(col.quoted + " IS NULL")
	case len(values) == 0:
		b.WriteString("1 = 0")
	case null:
		b.WriteString("(" + col.quoted + " IS NULL OR ")
		b.oneOf(col, "", values)
		b.WriteByte(')')
	default:
		b.oneOf(col, "", values)
	}
}

// noneOf: a column that holds nothing holds none of the values, although SQL thinks otherwise.
func (b *clause) noneOf(col *column, values []any) {
	values, null := split(values)
	switch {
	case len(values) == 0 && null:
		b.WriteString(col.quoted + " IS NOT NULL")
	case len(values) == 0:
		b.WriteString("1 = 1")
	case null || !col.nullable: // NOT IN leaves out NULL by itself
		b.oneOf(col, " NOT", values)
	default:
		b.WriteString("(" + col.quoted + " IS NULL OR ")
		b.oneOf(col, " NOT", values)
		b.WriteByte(')')
	}
}

func (b *clause) oneOf(col *column, not string, values []any) {
	b.WriteString(col.quoted)
	if len(values) == 1 {
		sign := " = "
		if not != "" {
			sign = " <> "
		}
		b.WriteString(sign)
		b.arg(values[0])
		return
	}
	marks, padded := db.Marks(values)
	b.WriteString(not + " IN (" + marks + ")")
	for _, v := range padded {
		b.args = append(b.args, db.Plain(v))
	}
}

// split takes nil out of the values.
func split(values []any) (rest []any, null bool) {
	for i, v := range values {
		if v == nil {
			for _, v := range values[i:] {
				if v != nil {
					rest = append(rest, v)
				}
			}
			return append(values[:i:i], rest...), true
		}
	}
	return values, false
}
