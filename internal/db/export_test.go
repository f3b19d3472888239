package db

import (
	"time"

	"zombiezen.com/go/sqlite"
)

// Stopper gives SQLite a function stop() that calls fn, on the connection that writes.
func (d *DB) Stopper(fn func()) error {
	return d.lite.conn.CreateFunction("stop", &sqlite.FunctionImpl{
		Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
			fn()
			return sqlite.Value{}, nil
		},
	})
}

// Hook lets a test fail BEGIN, COMMIT, SAVEPOINT and so on of SQLite.
func (d *DB) Hook(fn func(text string) error) {
	d.lite.mu.Lock()
	defer d.lite.mu.Unlock()
	d.lite.hook = fn
}

// Patient keeps groups open for as long as writers wait.
func (d *DB) Patient() { d.lite.patience = time.Hour }

// Waiting is how many writers of SQLite wait for their turn.
func (d *DB) Waiting() int { return int(d.lite.waiting.Load()) }

// Number is the translation of placeholders.
var Number = number

// Fail acts as if a statement had ended with err.
func (t *Tx) Fail(err error) error { return t.note(err) }
