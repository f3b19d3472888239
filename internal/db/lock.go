package db

import "context"

// Lock waits until no other transaction holds the name. It is for rules over more than one row; SQLite needs none,
// because it has one writer.
func (t *Tx) Lock(ctx context.Context, name string) error {
	if t.db.lite != nil {
		return nil
	}
	_, err := t.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`, name)
	return err
}

// TryLock is Lock that does not wait: false says that another transaction holds the name.
func (t *Tx) TryLock(ctx context.Context, name string) (held bool, err error) {
	if t.db.lite != nil {
		return true, nil
	}
	err = t.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))`, name).Scan(&held)
	return held, Fault(err)
}

// LockRow keeps a row from other writers until the end. Transactions that change more than one row take the same one first.
func (t *Tx) LockRow(ctx context.Context, table, key string, value any) error {
	if t.db.lite != nil {
		return nil
	}
	_, err := t.Exec(ctx, `SELECT 1 FROM `+table+` WHERE `+key+` = ? FOR UPDATE`, value)
	return err
}
