package avatars

import (
	"context"
	"embed"
	"slices"
	"strings"
	"time"

	"verbless/internal/blob"
	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/query"
	"verbless/internal/table"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the table of avatars.
func Migrations() db.Migrations { return db.Embedded("avatars", files) }

func (a *Avatars) store() *table.Table[Avatar] {
	prefix := strings.ReplaceAll(a.Address, "'", "''")
	return table.New(a.db, table.Config[Avatar]{
		Name: "avatars", Derived: map[string]string{"image_url": "'" + prefix + "/' || file"}, Before: a.before, After: a.after,
	})
}

// before lets a new avatar share the file of an equal picture. Whoever adds or removes one with the same content waits
// here, so that no file goes while it is being shared.
func (a *Avatars) before(ctx context.Context, tx *db.Tx, c *change.Change[Avatar]) error {
	if c.Dying() {
		return tx.Lock(ctx, "avatar "+c.Was.Hash)
	}
	if !c.Born() {
		return nil
	}
	if err := tx.Lock(ctx, "avatar "+c.Now.Hash); err != nil {
		return err
	}
	shared, err := a.sharing(ctx, tx, c.Now.Hash)
	if err != nil {
		return err
	}
	if shared != "" {
		a.drop(ctx, c.Now.File)
		c.Now.File = shared
	}
	c.Now.Image = a.Address + "/" + c.Now.File
	return nil
}

// sharing finds the file of an avatar with this content, or nothing.
func (a *Avatars) sharing(ctx context.Context, tx *db.Tx, hash string) (string, error) {
	var file string
	err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(file), '') FROM avatars WHERE hash = ?`, hash).Scan(&file)
	return file, db.Fault(err)
}

// after takes the file along with the last avatar that shows it.
func (a *Avatars) after(ctx context.Context, tx *db.Tx, c *change.Change[Avatar]) error {
	if !c.Dying() {
		return nil
	}
	shared, err := a.sharing(ctx, tx, c.Was.Hash)
	if err == nil && shared == "" {
		a.drop(ctx, c.Was.File)
	}
	return err
}

// dropTime bounds how long an answer waits for a file to go; one that stays is swept.
const dropTime = 5 * time.Second

// drop removes a file once it is certain that no row names it. No new row ever will: names are used once.
func (a *Avatars) drop(ctx context.Context, file string) {
	outside := context.WithoutCancel(ctx)
	db.AfterCommit(ctx, func() {
		ctx, cancel := context.WithTimeout(outside, dropTime)
		defer cancel()
		if err := a.Files.Remove(ctx, file); err != nil {
			a.Log.WarnContext(ctx, "a file stays until it is swept", "error", err)
		}
	})
}

// keep is how long a file may be without a row: longer than any request takes.
const keep = time.Hour

// Sweep removes files that no avatar shows: of requests that broke off, and of users that are gone.
func (a *Avatars) Sweep(ctx context.Context) error {
	return a.Files.Sweep(ctx, a.db.Now().Add(-keep), a.wanted)
}

// wanted tells which of the files some avatar shows. Those that none does are looked for again when whoever is about to
// share one has finished.
func (a *Avatars) wanted(ctx context.Context, names []string) (map[string]bool, error) {
	found := map[string]bool{}
	look := func(ctx context.Context, names []string) error {
		values := make([]any, len(names))
		for i, name := range names {
			values[i] = name
		}
		page, err := a.store().List(ctx, query.List{Where: []query.Cond{query.Any("file", values...)}, Columns: []string{"file"}})
		for _, row := range page.Rows {
			found[row.File] = true
		}
		return err
	}
	if err := look(ctx, names); err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return found[name] })
	if len(rest) == 0 {
		return found, nil
	}
	slices.Sort(rest) // everybody takes locks in the same order
	return found, a.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, name := range rest {
			if err := tx.Lock(ctx, "avatar "+blob.HashOf(name)); err != nil {
				return err
			}
		}
		return look(ctx, rest)
	})
}
