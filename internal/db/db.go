// Package db keeps things in SQLite or PostgreSQL with one SQL text for both.
//
// It promises: a Write that returned nil is on disk; one that returned an error other than outcome_unknown left no
// trace; writers of one row never lose each other's work; and errors of the drivers come out as faults, told apart by
// code. On SQLite the commits of writers that wait for each other share one fsync.
//
// It does not build queries beyond what package query can say, follow relations, or hide SQL from those who need it:
// they write it once with ? placeholders, in the part that both engines understand. Rows must be closed before the next
// statement of the same transaction, and after a failed statement a transaction can only end, on both engines alike.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"verbless/internal/fault"
	"verbless/internal/lite"
	"verbless/internal/stamp"
)

// Options says which database to open.
type Options struct {
	URL   string // "sqlite" (file verbless.db in Dir), "sqlite:PATH", or "postgres://…"
	Dir   string
	Log   *slog.Logger
	Clock stamp.Clock // stamp.Now when nil
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	log    *slog.Logger
	clock  stamp.Clock
	reader Querier      // reads outside of transactions, with translated errors
	reads  atomic.Int64 // statements run through it
	counts counts

	lite    *writer // of SQLite, nil on PostgreSQL
	readers *lite.Pool
	watch   *lite.Watch // nil where it cannot be had
	file    string

	pool  *sql.DB // of PostgreSQL
	texts *placeholders

	setsMu sync.Mutex
	sets   []Migrations // every set this program has shown to Migrate
}

// Open connects to the database and refuses one that could lose what it acknowledged. It never migrates by itself.
func Open(ctx context.Context, o Options) (*DB, error) {
	d := &DB{log: o.Log, clock: o.Clock}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if d.clock == nil {
		d.clock = stamp.Now
	}
	var err error
	path, isFile := strings.CutPrefix(o.URL, "sqlite:")
	switch {
	case o.URL == "sqlite":
		err = d.openSQLite(ctx, filepath.Join(o.Dir, "verbless.db"))
	case isFile && path != "":
		err = d.openSQLite(ctx, path)
	case strings.HasPrefix(o.URL, "postgres://"), strings.HasPrefix(o.URL, "postgresql://"):
		err = d.openPostgres(ctx, o.URL)
	default: // the address is not repeated: it may hold a password
		err = errors.New(`the database must be "sqlite", "sqlite:PATH" or "postgres://…"`)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Postgres tells which engine it is, for the few texts that must differ.
func (d *DB) Postgres() bool { return d.lite == nil }

// Now is the time by the clock of the service, in the precision that is stored.
func (d *DB) Now() time.Time { return d.clock().UTC().Truncate(time.Microsecond) }

// Ping fails unless the database can be read and may still be written to.
func (d *DB) Ping(ctx context.Context) error {
	if d.lite != nil {
		if err := d.lite.refusal(); err != nil {
			return err
		}
		var one int
		return Fault(d.reader.QueryRow(ctx, "SELECT 1").Scan(&one))
	}
	var standby bool
	if err := d.reader.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&standby); err != nil {
		return Fault(err)
	}
	if standby {
		return fault.New(fault.Unavailable, "The database takes no writes just now.").After(time.Second)
	}
	return nil
}

// Reads is how many statements were run outside transactions since the start.
func (d *DB) Reads() int64 { return d.reads.Load() }

// Mark is what DB.Mark gives; marks can be compared.
type Mark = lite.Mark

// Mark stands for all that was ever committed: whatever was read after one mark still holds while the mark is the same. ok is
// false where that cannot be told without asking: on PostgreSQL, and inside a transaction.
func (d *DB) Mark(ctx context.Context) (mark Mark, ok bool) {
	if d.watch == nil || d.current(ctx) != nil {
		return mark, false
	}
	return d.watch.Mark()
}

// Close ends all connections; SQLite first moves its log into the main file.
func (d *DB) Close() error {
	if d.lite == nil {
		return d.pool.Close()
	}
	if d.watch != nil {
		d.watch.Close()
	}
	err := d.readers.Close() // first, so that nothing holds the log back
	if werr := d.lite.close(); err == nil {
		err = werr
	}
	if err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	return nil
}
