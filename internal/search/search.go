// Package search finds rows by words, with FTS5 on SQLite and full text on PostgreSQL. The index is changed in the
// transaction that changes the row, and holds only words: what is found is read from the row.
//
// A search is words that must all be there; there are no operators, so any text is a search. It does not stem, and does not
// look for parts of words.
package search

import (
	"context"
	"strconv"
	"strings"

	"verbless/internal/db"
	"verbless/internal/query"
)

// Index is the words of one table's rows. Its own tables are NAME_docs and NAME_words on SQLite, NAME_words on PostgreSQL.
type Index struct {
	name     string
	postgres bool
}

// New gives the index of that name.
func New(d *db.DB, name string) Index { return Index{name, d != nil && d.Postgres()} }

// Put keeps the words of a row, in place of those it had. Words of the head count more than those of the text. The index is
// written at the end of the transaction: FTS5 writes a piece of index under every savepoint, and merges them later.
func (x Index) Put(tx *db.Tx, id, head, text string) {
	first, all := spaced(head), spaced(text)
	tx.Last(func(ctx context.Context, tx *db.Tx) error { return x.put(ctx, tx, id, first, all) })
}

func (x Index) put(ctx context.Context, tx *db.Tx, id, first, all string) error {
	if x.postgres {
		return run(ctx, tx, `INSERT INTO `+x.name+`_words (id, head, words)
			VALUES (?, array_to_tsvector(string_to_array(?, ' ')), array_to_tsvector(string_to_array(?, ' ')))
			ON CONFLICT (id) DO UPDATE SET head = excluded.head, words = excluded.words`, id, first, strings.TrimSpace(first+" "+all))
	}
	if err := run(ctx, tx, `INSERT INTO `+x.name+`_docs (id) VALUES (?) ON CONFLICT (id) DO NOTHING`, id); err != nil {
		return err
	}
	return run(ctx, tx, `INSERT OR REPLACE INTO `+x.name+`_words (rowid, head, text) VALUES ((SELECT n FROM `+x.name+`_docs WHERE id = ?), ?, ?)`, id, first, all)
}

// Drop forgets a row.
func (x Index) Drop(tx *db.Tx, id string) {
	tx.Last(func(ctx context.Context, tx *db.Tx) error { return x.drop(ctx, tx, id) })
}

func (x Index) drop(ctx context.Context, tx *db.Tx, id string) error {
	if x.postgres {
		return run(ctx, tx, `DELETE FROM `+x.name+`_words WHERE id = ?`, id)
	}
	if err := run(ctx, tx, `DELETE FROM `+x.name+`_words WHERE rowid = (SELECT n FROM `+x.name+`_docs WHERE id = ?)`, id); err != nil {
		return err
	}
	return run(ctx, tx, `DELETE FROM `+x.name+`_docs WHERE id = ?`, id)
}

// Found is the condition that a row holds all the words; it implements table.Searcher.
func (x Index) Found(words []string) (string, []any) {
	if x.postgres {
		return `id IN (SELECT id FROM ` + x.name + `_words WHERE words @@ ?::tsquery)`, []any{db.Anew, quote(words, " & ")}
	}
	return `id IN (SELECT id FROM ` + x.name + `_docs WHERE n IN (SELECT rowid FROM ` + x.name + `_words WHERE ` + x.name + `_words MATCH ?))`, []any{quote(words, " AND ")}
}

var bonus = strconv.FormatInt(query.Bonus, 10)

// few is how many rows are sorted rather than walked in their order.
const few = "200"

// Ranked gives the rows of one rank: the best hold all the words in the head. Which way costs less depends on how common the
// words are: PostgreSQL judges that by itself, when it plans for these words. SQLite can walk downwards in the order of the
// index, but skips what it need not see only upwards; so it first looks whether there are few.
func (x Index) Ranked(words []string, rank query.Rank) (string, []any) {
	if x.postgres {
		all := quote(words, " & ")
		switch rank {
		case query.Best:
			return `SELECT id AS _key, n AS _place FROM ` + x.name + `_words WHERE head @@ ?::tsquery`, []any{db.Anew, all}
		case query.Rest:
			return `SELECT id AS _key, n AS _place FROM ` + x.name + `_words WHERE words @@ ?::tsquery AND NOT head @@ ?::tsquery`, []any{db.Anew, all, all}
		}
		return "", nil
	}
	all := "(" + quote(words, " AND ") + ")"
	matches := ` FROM ` + x.name + `_words WHERE ` + x.name + `_words MATCH ?`
	walked := `SELECT _place, (SELECT id FROM ` + x.name + `_docs WHERE n = _place) AS _key FROM (SELECT rowid AS _place` + matches + `)`
	switch rank {
	case query.Best:
		return walked, []any{"head : " + all}
	case query.Rest:
		return walked, []any{all + " NOT (head : " + all + ")"}
	}
	return `SELECT _n + CASE WHEN _n IN (SELECT rowid` + matches + `) THEN ` + bonus + ` ELSE 0 END AS _place, (SELECT id FROM ` + x.name + `_docs WHERE n = _n) AS _key
		FROM (SELECT _n, COUNT(*) OVER () AS many FROM (SELECT rowid AS _n` + matches + ` LIMIT ` + few + `)) WHERE many < ` + few, []any{"head : " + all, all}
}

// quote makes a query of either engine. Words are letters and digits, so nothing in them needs an escape.
func quote(words []string, and string) string {
	mark := `"`
	if and == " & " {
		mark = `'`
	}
	return mark + strings.Join(words, mark+and+mark) + mark
}

func run(ctx context.Context, tx *db.Tx, text string, args ...any) error {
	_, err := tx.Exec(ctx, text, args...)
	return err
}
