package articles

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/ident"
	"verbless/internal/query"
	"verbless/internal/rest"
	"verbless/internal/stamp"
	"verbless/internal/table"
)

// Revision is one state of an article's text. Its id is its number within the article, and is never used again.
type Revision struct {
	Row     string    `json:"-" db:"id,key"`
	Number  int64     `json:"id" also:"number" db:"number,fixed" readOnly:"true" api:"id,sort,filter" minimum:"1"`
	Title   string    `json:"title" db:"title" required:"true" minLength:"1" maxLength:"200" doc:"Set when the revision is made; history does not change."`
	Body    string    `json:"body" db:"body" maxLength:"500000" default:"" doc:"Markdown, kept as given. Set when the revision is made."`
	Current bool      `json:"is_current" db:"is_current" api:"filter" doc:"True for the one revision that the article shows. Set it to true to go back to this one."`
	Article string    `json:"-" db:"article_id,fixed" link:"article" api:"parent"`
	Author  int64     `json:"-" db:"author_id,fixed" link:"author" api:"filter"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
}

func revisions(d *db.DB) rest.Resource {
	return rest.Collection[Revision]{
		Name: "revisions", One: "revision", Shape: rest.Bare("revisions"), Store: chronicleOf(d), Key: byNumber, KeyDoc: "Its number within the article.", Now: rest.Now(revisionNow),
		Refuses: []fault.Code{fault.RevisionIsCurrent, fault.ArticleTrashed, fault.ArticleRemoved}, Newest: "number",
		Relations: []rest.Relation{author}, Methods: "GET POST PATCH DELETE",
		Doc: "One state of an article's text. Exactly one revision of an article is current.",
	}
}

func byNumber(_ change.Actor, text string) (query.Cond, bool) {
	n, ok := ident.Number(text)
	return query.Is("number", n), ok
}

// revisionRule lets history grow, shrink and be gone back to, but not be written again.
func revisionRule(c *change.Change[Revision]) error {
	switch {
	case c.Born():
		c.Now.Author = c.By.ID
		return nil
	case c.Dying() && c.Was.Current:
		return isCurrent("The current revision cannot be removed; make another one current first.")
	case c.Dying():
		return nil
	case c.Was.Current && !c.Now.Current:
		return isCurrent("One revision must be current; make another one current instead.")
	}
	var bad fault.List
	if c.Was.Title != c.Now.Title {
		bad.Add(fault.New(fault.ReadOnly, "History does not change; add a revision.").At("/title"))
	}
	if c.Was.Body != c.Now.Body {
		bad.Add(fault.New(fault.ReadOnly, "History does not change; add a revision.").At("/body"))
	}
	return bad.Err()
}

// revisionNow is what may become of a revision as it is.
func revisionNow(_ change.Actor, r *Revision) change.Now {
	now := change.Now{Fixed: []string{"title", "body"}}
	if r.Current {
		now.Fixed, now.Kept = append(now.Fixed, "is_current"), fault.RevisionIsCurrent
	}
	return now
}

func isCurrent(message string) error {
	return fault.New(fault.RevisionIsCurrent, "%s", message).At("/is_current")
}

// chronicle is the store of revisions.
type chronicle struct{ articles *table.Table[Article] }

func chronicleOf(d *db.DB) *table.Table[Revision] {
	s := chronicle{Live(d)}
	return table.New(d, table.Config[Revision]{Name: "revisions", Rule: revisionRule, Enter: s.enter, Before: s.before, After: s.after})
}

// enter locks the article first, as a change of the article does, so that the two never wait for each other.
func (chronicle) enter(ctx context.Context, tx *db.Tx, key []query.Cond) error {
	return tx.LockRow(ctx, "articles", "id", key[0].Values[0])
}

// before gives a new revision its number, and lets the current one step back for its successor.
func (chronicle) before(ctx context.Context, tx *db.Tx, c *change.Change[Revision]) error {
	if c.Born() {
		// Whatever happened to the article since the request began is seen here: its row is locked.
		err := tx.QueryRow(ctx, `UPDATE articles SET last_revision = last_revision + 1 WHERE id = ? AND status <> ? RETURNING last_revision`,
			c.Now.Article, trashed).Scan(&c.Now.Number)
		if errors.Is(err, sql.ErrNoRows) {
			return cmp.Or(explain(ctx, tx, []query.Cond{query.Is("id", c.Now.Article)}), error(fault.NotFound()))
		}
		if err != nil {
			return db.Fault(err)
		}
		c.Now.Row = rowID(c.Now.Article, c.Now.Number)
	}
	if !c.Dying() && c.Now.Current && (c.Born() || !c.Was.Current) {
		return retire(ctx, tx, c.Now.Article)
	}
	return nil
}

// after lets the article show what its new current revision holds.
func (s chronicle) after(ctx context.Context, tx *db.Tx, c *change.Change[Revision]) error {
	if c.Dying() || !c.Now.Current || !c.Born() && c.Was.Current {
		return nil
	}
	_, err := s.articles.Change(ctx, c.By, []query.Cond{query.Is("id", c.Now.Article)}, func(was *Article) (*Article, error) {
		now := *was
		now.Title, now.Body, now.Current = c.Now.Title, c.Now.Body, c.Now.Number
		return &now, nil
	})
	return err
}

func rowID(article string, number int64) string { return article + "." + strconv.FormatInt(number, 10) }

// retire makes the current revision one of the others.
func retire(ctx context.Context, tx *db.Tx, article string) error {
	_, err := tx.Exec(ctx, `UPDATE revisions SET is_current = ?, version = version + 1 WHERE article_id = ? AND is_current`, false, article)
	return err
}

// revise adds the revision that a change of an article's own text makes.
func revise(ctx context.Context, tx *db.Tx, c *change.Change[Article]) error {
	if !c.Born() {
		if err := retire(ctx, tx, c.Now.ID); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `INSERT INTO revisions (id, article_id, number, title, body, is_current, author_id, version, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)`,
		rowID(c.Now.ID, c.Now.Current), c.Now.ID, c.Now.Current, c.Now.Title, c.Now.Body, true, cmp.Or(c.By.ID, c.Now.Author), stamp.Micros(tx.Now()))
	return err
}
