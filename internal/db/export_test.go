package db

// Hook lets a test fail BEGIN, COMMIT, SAVEPOINT and so on of SQLite.
func (d *DB) Hook(fn func(text string) error) {
	d.lite.mu.Lock()
	defer d.lite.mu.Unlock()
	d.lite.hook = fn
}

// Waiting is how many writers of SQLite wait for their turn.
func (d *DB) Waiting() int { return int(d.lite.waiting.Load()) }

// Number is the translation of placeholders.
var Number = number
