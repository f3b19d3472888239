package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"verbless/internal/fault"
	"verbless/internal/lite"
)

// Backup writes a consistent copy of a SQLite database to a new file while the service runs. The file appears whole or not at all.
func (d *DB) Backup(ctx context.Context, file string) error {
	if d.Postgres() {
		return fault.New(fault.InvalidRequest, "This database is PostgreSQL: make the copy with pg_dump or pg_basebackup.")
	}
	if _, err := os.Lstat(file); err == nil {
		return alreadyThere(file)
	}
	dir, err := os.MkdirTemp(filepath.Dir(file), ".backup-")
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer os.RemoveAll(dir)
	partial := filepath.Join(dir, "copy.db")
	if err := d.copyTo(ctx, partial); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := syncPath(partial); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := moveNew(partial, file); err != nil {
		return err
	}
	return syncPath(filepath.Dir(file))
}

// copyTo needs a connection of its own: those that read may not write, even to another file.
func (d *DB) copyTo(ctx context.Context, file string) error {
	c, err := lite.Open(d.file, settings...)
	if err != nil {
		return Fault(err)
	}
	defer c.Close()
	_, err = c.Exec(ctx, "VACUUM INTO ?", []any{file})
	return Fault(err)
}

// moveNew gives a file its name unless the name is taken. A link, unlike a rename, never overwrites.
func moveNew(from, to string) error {
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return alreadyThere(to)
	}
	if err == nil {
		return nil
	}
	if _, err := os.Lstat(to); err == nil { // a file system without links
		return alreadyThere(to)
	}
	return os.Rename(from, to)
}

func alreadyThere(file string) error {
	return fault.New(fault.AlreadyExists, "%s is there already: a backup never overwrites a file.", filepath.Base(file))
}

func syncPath(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
