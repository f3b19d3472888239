package db

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Migrations is the history of one part of the schema: files 0001_name.sql for both engines, 0001_name.sqlite.sql and
// 0001_name.postgres.sql for one. A file that was released is never changed: only its name is remembered.
type Migrations struct {
	Name  string
	Files fs.FS
}

// Embedded is the history in the folder schema of the files that a package embeds.
func Embedded(name string, files embed.FS) Migrations {
	schema, err := fs.Sub(files, "schema")
	if err != nil {
		panic(err) // the name of a folder is wrong; every start would say so
	}
	return Migrations{Name: name, Files: schema}
}

//go:embed schema/*.sql
var ownSchema embed.FS

var migrationName = regexp.MustCompile(`^(\d{4}_[a-z0-9_]+)(?:\.(sqlite|postgres))?\.sql$`)

// step is one file, to be applied once.
type step struct{ id, text string }

// Migrate brings the schema up to date: this package's own set, then the sets in the order given, each by file name.
// Every file is one transaction together with its record, and all processes take turns, so a kill at any moment leaves
// a whole number of files applied. It refuses a database that a newer program has changed.
func (d *DB) Migrate(ctx context.Context, sets ...Migrations) error {
	steps, err := d.plan(sets)
	if err != nil {
		return err
	}
	applied, err := d.applied(ctx)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	known := map[string]bool{}
	for _, s := range steps {
		known[s.id] = true
	}
	for id := range applied {
		if !known[id] {
			return fmt.Errorf("the database was changed by a newer program: it has migration %s, which this one does not know; start the newer program, or restore a backup from before", id)
		}
	}
	for _, s := range steps {
		if applied[s.id] {
			continue
		}
		if err := d.apply(ctx, s); err != nil {
			return fmt.Errorf("migration %s: %w", s.id, err)
		}
	}
	return nil
}

// plan lists the files of all sets that this DB has ever been shown.
func (d *DB) plan(sets []Migrations) ([]step, error) {
	d.setsMu.Lock()
	defer d.setsMu.Unlock()
	if d.sets == nil {
		d.sets = []Migrations{{Name: "db", Files: ownSchema}}
	}
	for _, set := range sets {
		if i := slices.IndexFunc(d.sets, func(s Migrations) bool { return s.Name == set.Name }); i >= 0 {
			d.sets[i] = set
		} else {
			d.sets = append(d.sets, set)
		}
	}
	engine := "sqlite"
	if d.Postgres() {
		engine = "postgres"
	}
	var all []step
	for _, set := range d.sets {
		steps, err := set.steps(engine)
		if err != nil {
			return nil, fmt.Errorf("migrations of %s: %w", set.Name, err)
		}
		all = append(all, steps...)
	}
	return all, nil
}

func (m Migrations) steps(engine string) ([]step, error) {
	var steps []step
	err := fs.WalkDir(m.Files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".sql") {
			return err
		}
		name := migrationName.FindStringSubmatch(path.Base(file))
		if name == nil {
			return fmt.Errorf("%s is not named like 0001_name.sql", file)
		}
		if name[2] != "" && name[2] != engine {
			return nil
		}
		text, err := fs.ReadFile(m.Files, file)
		steps = append(steps, step{m.Name + "/" + name[1], string(text)})
		return err
	})
	slices.SortFunc(steps, func(a, b step) int { return cmp.Compare(a.id, b.id) })
	for i := range steps[min(1, len(steps)):] {
		if steps[i].id == steps[i+1].id {
			return nil, fmt.Errorf("%s is there twice", steps[i].id)
		}
	}
	return steps, err
}

// applied reads what is recorded, without a lock: the common start has nothing to do.
func (d *DB) applied(ctx context.Context) (map[string]bool, error) {
	rows, err := d.reader.Query(ctx, "SELECT id FROM migrations")
	if noTable(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	ids := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids[id] = true
	}
	return ids, Fault(rows.Err())
}

// noTable: SQLite has no code of its own for it; should it be another fault in the text, apply will meet it again.
func noTable(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "42P01"
	}
	code, ok := sqliteCode(err)
	return ok && code == codeError
}

// apply runs one file, unless another process has done so by now.
func (d *DB) apply(ctx context.Context, s step) error {
	return d.Write(ctx, func(ctx context.Context, tx *Tx) error {
		if d.Postgres() { // SQLite has its lock from BEGIN IMMEDIATE
			if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0"); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(1986359906)"); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS migrations (id TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)"); err != nil {
			return err
		}
		res, err := tx.Exec(ctx, "INSERT INTO migrations (id, applied_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", s.id, tx.Now().UnixMicro())
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		if err := tx.note(tx.script(ctx, s.text)); err != nil {
			return err
		}
		AfterCommit(ctx, func() { d.log.Info("migrated", "id", s.id) })
		return nil
	})
}
