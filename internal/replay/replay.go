// Package replay keeps the answers to requests that had an Idempotency-Key, in the transaction of the change itself,
// so that a key, its change and its answer exist together or not at all.
package replay

import (
	"context"
	"database/sql"
	"embed"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"verbless/internal/db"
	"verbless/internal/onetime"
	"verbless/internal/stamp"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the table of keys.
func Migrations() db.Migrations { return db.Embedded("replay", files) }

// Keys implements onetime.Store.
type Keys struct {
	db   *db.DB
	kept time.Duration
}

// New keeps answers for the time given.
func New(d *db.DB, kept time.Duration) *Keys { return &Keys{d, kept} }

// Claim takes a key, or gives what is kept under it. A key that is too old counts as new.
func (k *Keys) Claim(ctx context.Context, user int64, key, fingerprint string) (*onetime.Kept, error) {
	var kept *onetime.Kept
	err := k.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		held, err := tx.TryLock(ctx, "idempotency "+strconv.FormatInt(user, 10)+" "+key)
		if err != nil {
			return err
		}
		if !held {
			return onetime.InProgress()
		}
		if _, err = tx.Exec(ctx, `DELETE FROM idempotency_keys WHERE user_id = ? AND key = ? AND created_at <= ?`, user, key, k.oldest(tx.Now())); err != nil {
			return err
		}
		var found onetime.Kept
		var answer sql.NullString
		err = tx.QueryRow(ctx, `SELECT fingerprint, answer FROM idempotency_keys WHERE user_id = ? AND key = ?`, user, key).Scan(&found.Fingerprint, &answer)
		if errors.Is(err, sql.ErrNoRows) {
			_, err = tx.Exec(ctx, `INSERT INTO idempotency_keys (user_id, key, fingerprint, created_at) VALUES (?, ?, ?, ?)`, user, key, fingerprint, stamp.Micros(tx.Now()))
			return err
		}
		if err != nil {
			return db.Fault(err)
		}
		found.Answer, err = base64.StdEncoding.DecodeString(answer.String)
		kept = &found
		return err
	})
	return kept, err
}

// Keep stores the answer under a key just claimed.
func (k *Keys) Keep(ctx context.Context, user int64, key string, answer []byte) error {
	var text strings.Builder
	text.Grow(base64.StdEncoding.EncodedLen(len(answer)))
	encoder := base64.NewEncoder(base64.StdEncoding, &text)
	encoder.Write(answer) // a Builder takes everything
	encoder.Close()
	return k.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE idempotency_keys SET answer = ? WHERE user_id = ? AND key = ?`, text.String(), user, key)
		return err
	})
}

// Purge forgets the keys that are too old.
func (k *Keys) Purge(ctx context.Context) error {
	return k.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM idempotency_keys WHERE created_at <= ?`, k.oldest(tx.Now()))
		return err
	})
}

func (k *Keys) oldest(now time.Time) int64 { return stamp.Micros(now.Add(-k.kept)) }
