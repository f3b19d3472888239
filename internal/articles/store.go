package articles

import (
	"context"
	"embed"
	"io/fs"
	"strconv"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/ident"
	"verbless/internal/query"
	"verbless/internal/stamp"
	"verbless/internal/table"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the tables of articles.
func Migrations() db.Migrations {
	schema, err := fs.Sub(files, "schema")
	if err != nil {
		panic(err)
	}
	return db.Migrations{Name: "articles", Files: schema}
}

// Live is the store of articles that are not in the trash.
func Live(d *db.DB) *table.Table[Article] {
	return table.New(d, table.Config[Article]{
		Name: "articles", Scope: []query.Cond{query.Not("status", trashed)}, Rule: rule, Before: chooseSlug, After: remember, Missing: explain,
	})
}

// bin is the store of articles in the trash.
func bin(d *db.DB) *table.Table[Trashed] {
	return table.New(d, table.Config[Trashed]{
		Name: "articles", Scope: []query.Cond{query.Is("status", trashed)}, Rule: trashRule,
		After: func(ctx context.Context, tx *db.Tx, c *change.Change[Trashed]) error {
			if c.Dying() {
				return bury(ctx, tx, c.Was.ID)
			}
			return nil
		},
	})
}

// chooseSlug makes a slug from the title when there is none, and adds a number until it is free.
// A slug that was asked for must be free as it is.
func chooseSlug(ctx context.Context, tx *db.Tx, c *change.Change[Article]) error {
	if c.Dying() {
		return nil
	}
	if !c.Born() && c.Now.Slug == "" {
		c.Now.Slug = c.Was.Slug
	}
	if !c.Born() && c.Was.Slug == c.Now.Slug {
		return nil
	}
	wanted := c.Now.Slug
	if wanted == "" {
		c.Now.Slug = slugOf(c.Now.Title)
		if err := tx.Lock(ctx, "slug "+c.Now.Slug); err != nil { // two of the same title take turns
			return err
		}
	}
	for n := 2; ; n++ {
		var taken bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM articles WHERE slug = ? AND id <> ?)`, c.Now.Slug, c.Now.ID).Scan(&taken)
		switch {
		case err != nil:
			return db.Fault(err)
		case !taken:
			return nil
		case wanted != "":
			return fault.New(fault.AlreadyExists, "Another article has this slug.").At("/slug")
		case n <= 10:
			c.Now.Slug = slugOf(c.Now.Title) + "-" + strconv.Itoa(n)
		default: // many articles of one title: no more counting, the id's random end is free
			id := ident.New()
			c.Now.Slug = slugOf(c.Now.Title) + "-" + id[len(id)-12:]
		}
	}
}

// remember keeps the id of an article that is removed for good.
func remember(ctx context.Context, tx *db.Tx, c *change.Change[Article]) error {
	if !c.Dying() {
		return nil
	}
	return bury(ctx, tx, c.Was.ID)
}

func bury(ctx context.Context, tx *db.Tx, id string) error {
	_, err := tx.Exec(ctx, `INSERT INTO articles_removed (id, removed_at) VALUES (?, ?)`, id, stamp.Micros(tx.Now()))
	return err
}

// explain tells why an article is not there. Everybody with a token could have read it, so everybody may know.
func explain(ctx context.Context, q db.Querier, key []query.Cond) error {
	at := key[len(key)-1]
	var found bool
	text := `SELECT EXISTS (SELECT 1 FROM articles WHERE id = ?)`
	if at.Column == "slug" {
		text = `SELECT EXISTS (SELECT 1 FROM articles WHERE slug = ?)`
	}
	if err := q.QueryRow(ctx, text, at.Values[0]).Scan(&found); err != nil {
		return db.Fault(err)
	}
	if found {
		return fault.New(fault.ArticleTrashed, "This article is in the trash.")
	}
	if err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM articles_removed WHERE id = ?)`, at.Values[0]).Scan(&found); err != nil {
		return db.Fault(err)
	}
	if found {
		return fault.New(fault.ArticleRemoved, "This article was removed for good.")
	}
	return nil
}

// purgeBatch bounds how many articles one transaction removes, so that others are not kept waiting.
const purgeBatch = 100

// Purge removes for good what has been in the trash longer than kept.
func Purge(ctx context.Context, d *db.DB, kept time.Duration) error {
	trash := bin(d)
	for {
		page, err := trash.List(ctx, query.List{
			Where: []query.Cond{{Column: "trashed_at", Op: query.Lte, Values: []any{stamp.Micros(d.Now().Add(-kept))}}}, Columns: []string{"id"},
			Sort: "id", Limit: purgeBatch,
		})
		if err != nil || len(page.Rows) == 0 {
			return err
		}
		err = d.Do(ctx, func(ctx context.Context) error {
			for _, old := range page.Rows {
				_, err := trash.Change(ctx, change.System, []query.Cond{query.Is("id", old.ID)}, func(*Trashed) (*Trashed, error) { return nil, nil })
				if err != nil && !fault.Is(err, fault.NotFoundCode) { // restored in the meantime
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}
