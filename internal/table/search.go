package table

import (
	"strconv"
	"strings"

	"verbless/internal/query"
)

// Relevance is the derived column that a searched list is sorted by. Its type holds it as int64.
const Relevance = "relevance"

// Searcher knows the SQL of an index of words. Each answer is a condition on the table's rows with one placeholder, and
// its argument.
type Searcher interface {
	Found(words []string) (condition string, arg any) // the row holds all the words
	Best(words []string) (condition string, arg any)  // it holds them where they count most
}

// bonus puts the best rows before all others and leaves room for a time in microseconds below it.
const bonus = 1 << 62

// ranked begins a list of what was found. Relevance is one number: the best first, then the newest. It depends on the row
// alone, so that pages hold while others are written.
func (t *Table[T]) ranked(b *clause, columns []int, q query.List) {
	names := make([]string, len(columns))
	best, arg := t.config.Search.Best(q.Words)
	for i, c := range columns {
		names[i] = t.columns[c].selected
		if t.columns[c].name == Relevance {
			names[i] = "CASE WHEN " + best + " THEN " + strconv.Itoa(bonus) + " ELSE 0 END + " + t.columns[t.born].quoted + ` AS "` + Relevance + `"`
			b.args = append(b.args, arg)
		}
	}
	b.write("SELECT * FROM (SELECT ", strings.Join(names, ", "), t.from)
	t.matching(b, q)
	b.write(") AS found WHERE 1 = 1")
}
