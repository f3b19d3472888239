package uploads

import (
	"context"
	"time"

	"verbless/internal/db"
	"verbless/internal/query"
	"verbless/internal/stamp"
)

// batch is how many are looked at in one go.
const batch = 100

// remembered is how long it is known how an upload ended.
const remembered = 30 * 24 * time.Hour

// Expire ends what was not finished in time, and forgets what has long been over.
func (u *Uploads) Expire(ctx context.Context) error {
	for {
		ids, err := u.expired(ctx)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			gone, err := u.end(ctx, id)
			if err != nil {
				return err
			}
			if gone {
				u.counts.abandoned.Add(1)
			}
		}
	}
}

// expired lists some that are over their time. Those long over it go at once.
func (u *Uploads) expired(ctx context.Context) (ids []string, err error) {
	now := u.db.Now()
	err = u.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM upload_sessions WHERE expires_at < ? AND state <> 'open'`, stamp.Micros(now.Add(-remembered)))
		return err
	})
	if err != nil {
		return nil, err
	}
	rows, err := u.db.Reader(ctx).Query(ctx, `SELECT upload_id FROM upload_sessions WHERE expires_at < ? AND state = 'open' ORDER BY expires_at LIMIT ?`, stamp.Micros(now), batch)
	if err != nil {
		return nil, db.Fault(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, db.Fault(rows.Err())
}

// unclaimed is how long a file may be without an upload: longer than any request brings bytes to it without a pause.
const unclaimed = 24 * time.Hour

// Sweep removes files that no upload has: of requests that broke off, and of users that are gone.
func (u *Uploads) Sweep(ctx context.Context) error {
	return u.Files.Sweep(ctx, u.db.Now().Add(-unclaimed), func(ctx context.Context, names []string) (map[string]bool, error) {
		wanted := map[string]bool{}
		values := make([]any, len(names))
		for i, name := range names {
			values[i] = name
		}
		page, err := u.store.List(ctx, query.List{Where: []query.Cond{query.Any("file", values...)}, Columns: []string{"file"}, Limit: len(names)})
		for _, row := range page.Rows {
			wanted[row.File] = true
		}
		return wanted, err
	})
}
