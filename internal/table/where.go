package table

import (
	"sync"

	"verbless/internal/db"
	"verbless/internal/query"
)

// clause is a statement while it is written: its text and what stands for the question marks.
type clause struct {
	text []byte
	args []any
}

var clauses = sync.Pool{New: func() any { return new(clause) }}

// begin gives an empty clause, to be freed when its statement was run.
func begin() *clause { return clauses.Get().(*clause) }

func (b *clause) free() {
	b.reset()
	clauses.Put(b)
}

func (b *clause) reset() {
	clear(b.args)
	b.text, b.args = b.text[:0], b.args[:0]
}

func (b *clause) write(words ...string) {
	for _, word := range words {
		b.text = append(b.text, word...)
	}
}

func (b *clause) arg(v any) {
	b.write("?")
	b.args = append(b.args, db.Plain(v))
}

// texts keeps the text of every statement that was written, so that the same one is not made again.
type texts struct {
	mu    sync.RWMutex
	known map[string]string
}

const textsKept = 1024

func (t *texts) of(b *clause) string {
	t.mu.RLock()
	text, ok := t.known[string(b.text)]
	t.mu.RUnlock()
	if ok {
		return text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= textsKept {
		t.known = map[string]string{}
	}
	text = string(b.text)
	t.known[text] = text
	return text
}

// where writes all the conditions, the table's own scope first.
func (b *clause) where(l *layout, lists ...[]query.Cond) {
	word := " WHERE "
	for _, conds := range lists {
		for _, c := range conds {
			b.write(word)
			if col := l.column(c.Column); col.members != nil {
				b.holds(l, col.members, c)
			} else {
				b.cond(col, c)
			}
			word = " AND "
		}
	}
	if word == " WHERE " {
		b.write(" WHERE 1 = 1")
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
		b.write(col.quoted, sign)
		b.arg(c.Values[0])
	}
}

// anyOf: nil among the values stands for NULL, and no values match nothing.
func (b *clause) anyOf(col *column, values []any) {
	values, null := split(values)
	switch {
	case len(values) == 0 && null:
		b.write(col.quoted, " IS NULL")
	case len(values) == 0:
		b.write("1 = 0")
	case null:
		b.write("(", col.quoted, " IS NULL OR ")
		b.oneOf(col, "", values)
		b.write(")")
	default:
		b.oneOf(col, "", values)
	}
}

// noneOf: a column that holds nothing holds none of the values, although SQL thinks otherwise.
func (b *clause) noneOf(col *column, values []any) {
	values, null := split(values)
	switch {
	case len(values) == 0 && null:
		b.write(col.quoted, " IS NOT NULL")
	case len(values) == 0:
		b.write("1 = 1")
	case null || !col.nullable: // NOT IN leaves out NULL by itself
		b.oneOf(col, " NOT", values)
	default:
		b.write("(", col.quoted, " IS NULL OR ")
		b.oneOf(col, " NOT", values)
		b.write(")")
	}
}

func (b *clause) oneOf(col *column, not string, values []any) {
	b.write(col.quoted)
	if len(values) == 1 {
		sign := " = "
		if not != "" {
			sign = " <> "
		}
		b.write(sign)
		b.arg(values[0])
		return
	}
	marks, padded := db.Marks(values)
	b.write(not, " IN (", marks, ")")
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
