package db

import (
	"database/sql/driver"
	"time"

	"modernc.org/sqlite"
)

// Stopper gives SQLite a function stop() that calls fn, on connections opened from now on.
func Stopper(fn func()) {
	sqlite.MustRegisterScalarFunction("stop", 0, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) {
		fn()
		return nil, nil
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
