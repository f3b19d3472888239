package articles

import (
	"context"
	"embed"
	"strconv"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/ident"
	"verbless/internal/query"
	"verbless/internal/search"
	"verbless/internal/stamp"
	"verbless/internal/table"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the tables of articles.
func Migrations() db.Migrations { return db.Embedded("articles", files) }

// Live is the store of articles that are not in the trash.
func Live(d *db.DB) *table.Table[Article] {
	s := store{search.New(d, "articles")}
	return table.New(d, table.Config[Article]{
		Name: "articles", Scope: []query.Cond{query.Not("status", trashed)}, Derived: relevance, Members: tagged, Search: s.words,
		Rule: rule, Before: s.before, After: s.after, Missing: explain,
	})
}

// tagged lets articles be found by their tags.
var tagged = map[string]table.Members{"tags": {Table: "articles_tags", Row: "article_id", Item: "tag"}}

// relevance means something in a search alone.
var relevance = map[string]string{table.Relevance: "0"}

// bin is the store of articles in the trash.
func bin(d *db.DB) *table.Table[Trashed] {
	s := store{search.New(d, "articles")}
	return table.New(d, table.Config[Trashed]{
		Name: "articles", Scope: []query.Cond{query.Is("status", trashed)}, Derived: relevance, Members: tagged, Rule: trashRule,
		After: func(ctx context.Context, tx *db.Tx, c *change.Change[Trashed]) error {
			if c.Dying() {
				return s.bury(ctx, tx, c.Was.ID)
			}
			return nil
		},
	})
}

// store keeps what belongs to an article beside its row: its history and its words.
type store struct{ words search.Index }

// before completes an article: its slug, and the number of the revision that a change of its text makes.
func (s store) before(ctx context.Context, tx *db.Tx, c *change.Change[Article]) error {
	switch {
	case c.Dying():
		return nil
	case c.Born():
		c.Now.Current, c.Now.Last = 1, 1
	case c.Now.Current == c.Was.Current && newText(c): // else an older revision is made current again
		c.Now.Last++
		c.Now.Current = c.Now.Last
	}
	return chooseSlug(ctx, tx, c)
}

func newText(c *change.Change[Article]) bool {
	return c.Born() || c.Was.Title != c.Now.Title || c.Was.Body != c.Now.Body
}

// after writes what belongs to the change: a revision, words, or the id of what is gone.
func (s store) after(ctx context.Context, tx *db.Tx, c *change.Change[Article]) error {
	if c.Dying() {
		return s.bury(ctx, tx, c.Was.ID)
	}
	if c.Born() || c.Now.Last != c.Was.Last {
		if err := revise(ctx, tx, c); err != nil {
			return err
		}
	}
	if newText(c) {
		s.words.Put(tx, c.Now.ID, c.Now.Title, c.Now.Body)
	}
	return nil
}

// chooseSlug makes a slug from the title when there is none, and adds a number until it is free.
// A slug that was asked for must be free as it is.
func chooseSlug(ctx context.Context, tx *db.Tx, c *change.Change[Article]) error {
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

// bury removes what belongs to an article and keeps its id.
func (s store) bury(ctx context.Context, tx *db.Tx, id string) error {
	s.words.Drop(tx, id)
	if _, err := tx.Exec(ctx, `DELETE FROM revisions WHERE article_id = ?`, id); err != nil {
		return err
	}
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
