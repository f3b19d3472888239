package auth

import (
	"context"

	"verbless/internal/db"
)

// Found is which of the users asked for exist.
type Found struct {
	Numbered map[int64]bool
	Named    map[string]int64 // by folded username
}

// Lookup finds users by number and by folded username, all in one query.
func Lookup(ctx context.Context, q db.Querier, ids []int64, names []string) (Found, error) {
	found := Found{map[int64]bool{}, map[string]int64{}}
	numbers, listed := db.Marks(distinct(ids))
	words, named := db.Marks(distinct(names))
	rows, err := q.Query(ctx, `SELECT id, username_key FROM users WHERE id IN (`+numbers+`)
		UNION ALL SELECT id, username_key FROM users WHERE username_key IN (`+words+`)`, append(listed, named...)...)
	if err != nil {
		return found, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return found, err
		}
		found.Numbered[id], found.Named[name] = true, id
	}
	return found, db.Note(q, rows.Err())
}

func distinct[V comparable](values []V) []any {
	seen := make(map[V]bool, len(values))
	var list []any
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}
