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

// Index is the words of the rows of the table of that name. Its own tables are NAME_docs and NAME_words on SQLite, NAME_words on PostgreSQL.
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

var (
	bonus = strconv.FormatInt(query.Bonus, 10)
	many  = strconv.Itoa(query.Many)
	limit = " LIMIT " + many
)

// Count, Found and Ranked implement table.Searcher. The best hold all the words in the head.
func (x Index) Count(words []string, rank query.Rank) (string, []any) {
	switch {
	case rank == query.Rest || rank == query.Best && !x.postgres: // FTS5 would look at every row that holds the words anywhere
		return "", nil
	case x.postgres:
		return `SELECT COUNT(*) FROM (` + x.some(rank) + limit + `) AS hits`, []any{db.Anew, quote(words, " & ")}
	}
	return `SELECT COUNT(*) FROM (SELECT rowid` + x.matches() + limit + `)`, []any{quote(words, " AND ")}
}

// Found is the condition that a row holds all the words.
func (x Index) Found(words []string, few bool) (string, []any) {
	switch {
	case x.postgres && few:
		return `id IN (SELECT id FROM (` + x.some(query.All) + limit + `) AS hits)`, []any{db.Anew, quote(words, " & ")}
	case x.postgres:
		return `id IN (SELECT id FROM ` + x.name + `_words WHERE words @@ ?::tsquery)`, []any{db.Anew, quote(words, " & ")}
	}
	found := `IN (SELECT rowid` + x.matches() + `)`
	if few {
		return `id IN (SELECT id FROM ` + x.name + `_docs WHERE n ` + found + `)`, []any{quote(words, " AND ")}
	}
	return `(SELECT n FROM ` + x.name + `_docs AS d WHERE d.id = ` + x.name + `.id) ` + found, []any{quote(words, " AND ")} // the rows can be walked in any order
}

// Ranked gives the rows of one rank. SQLite can walk its index downwards, but skips what it need not see only upwards.
// PostgreSQL thinks that rare words are more common than they are, and would walk for them too; a limit keeps it from that.
func (x Index) Ranked(words []string, rank query.Rank, few bool) (string, []any) {
	if x.postgres {
		all := quote(words, " & ")
		switch {
		case rank == query.All:
			return `SELECT id AS _key, n + CASE WHEN head @@ ?::tsquery THEN ` + bonus + ` ELSE 0 END AS _place
				FROM (SELECT hits.*, COUNT(*) OVER () AS _many FROM (` + x.some(rank) + limit + `) AS hits) AS counted WHERE _many < ` + many, []any{db.Anew, all, all}
		case rank == query.Rest:
			return `SELECT id AS _key, n AS _place FROM ` + x.name + `_words WHERE words @@ ?::tsquery AND NOT head @@ ?::tsquery`, []any{db.Anew, all, all}
		case few:
			return `SELECT id AS _key, n AS _place FROM (` + x.some(rank) + limit + `) AS hits`, []any{db.Anew, all}
		}
		return `SELECT id AS _key, n AS _place FROM ` + x.name + `_words WHERE head @@ ?::tsquery`, []any{db.Anew, all}
	}
	all := "(" + quote(words, " AND ") + ")"
	found := `SELECT rowid AS _n` + x.matches()
	key := `(SELECT id FROM ` + x.name + `_docs WHERE n = _n) AS _key FROM (`
	switch rank {
	case query.Best:
		return `SELECT _n AS _place, ` + key + found + `)`, []any{"head : " + all}
	case query.Rest:
		return `SELECT _n AS _place, ` + key + found + `)`, []any{all + " NOT (head : " + all + ")"}
	}
	return `SELECT _n + CASE WHEN _n IN (SELECT rowid` + x.matches() + `) THEN ` + bonus + ` ELSE 0 END AS _place, ` + key +
		`SELECT _n, COUNT(*) OVER () AS _many FROM (` + found + limit + `)) WHERE _many < ` + many, []any{"head : " + all, all}
}

func (x Index) matches() string {
	return ` FROM ` + x.name + `_words WHERE ` + x.name + `_words MATCH ?`
}

// some selects rows of PostgreSQL that hold the words, in the head or anywhere.
func (x Index) some(rank query.Rank) string {
	in := "words"
	if rank == query.Best {
		in = "head"
	}
	return `SELECT id, n, head FROM ` + x.name + `_words WHERE ` + in + ` @@ ?::tsquery`
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
