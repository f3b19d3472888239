package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"errors"
)

// Secret gives 32 random bytes under a name: made once, kept in the database, the same for every node.
func (d *DB) Secret(ctx context.Context, name string) ([]byte, error) {
	secret, err := readSecret(ctx, d.Reader(ctx), name)
	if !errors.Is(err, sql.ErrNoRows) {
		return secret, err
	}
	err = d.Write(ctx, func(ctx context.Context, tx *Tx) error {
		var fresh [32]byte
		rand.Read(fresh[:]) // never fails: crypto/rand aborts the program instead
		_, err := tx.Exec(ctx, "INSERT INTO secrets (name, value, created_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING",
			name, base64.RawStdEncoding.EncodeToString(fresh[:]), tx.Now().UnixMicro())
		if err != nil {
			return err
		}
		secret, err = readSecret(ctx, tx, name) // ours, or that of a faster node
		return err
	})
	return secret, err
}

func readSecret(ctx context.Context, q Querier, name string) ([]byte, error) {
	var text string
	if err := q.QueryRow(ctx, "SELECT value FROM secrets WHERE name = ?", name).Scan(&text); err != nil {
		return nil, Fault(err)
	}
	return base64.RawStdEncoding.DecodeString(text)
}
