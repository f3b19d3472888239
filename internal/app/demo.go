package app

import (
	"context"
	"fmt"

	"verbless/internal/articles"
	"verbless/internal/auth"
	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/field"
	"verbless/internal/invoices"
	"verbless/internal/money"
	"verbless/internal/query"
)

// FirstStart makes an admin in a store that has no users, and gives its token; later starts give none.
func (a *App) FirstStart(ctx context.Context) (token string, err error) {
	err = a.DB.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		token = ""
		if err := tx.Lock(ctx, "first start"); err != nil { // nodes that start together take turns
			return err
		}
		page, err := auth.Users(a.DB).List(ctx, query.List{Limit: 1})
		if err != nil || len(page.Rows) > 0 {
			return err
		}
		admin, err := auth.CreateUser(ctx, a.DB, auth.User{Username: "admin", Role: change.Admin})
		if err != nil {
			return err
		}
		issued, err := auth.Issue(ctx, a.DB, admin.ID, "first start", nil)
		if err == nil {
			token = *issued.Token
		}
		return err
	})
	return token, err
}

// Demo fills a store that has no articles with samples, and gives a token for alice, who wrote some of them.
func (a *App) Demo(ctx context.Context) (token string, err error) {
	err = a.DB.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "first start"); err != nil {
			return err
		}
		page, err := articles.Live(a.DB).List(ctx, query.List{Limit: 1})
		if err != nil {
			return err
		}
		if len(page.Rows) == 0 {
			if err := a.samples(ctx); err != nil {
				return err
			}
		}
		alice, err := auth.Find(ctx, a.DB, "alice")
		if err != nil {
			return err
		}
		issued, err := auth.Issue(ctx, a.DB, alice.ID, "demo", nil)
		if err == nil {
			token = *issued.Token
		}
		return err
	})
	return token, err
}

var samples = []struct {
	author, title, body, status string
	tags                        []string
}{
	{"alice", "Hello, world", "Every article has revisions, a slug, tags and an ETag.\n\nThis one is published.", "published", []string{"welcome"}},
	{"alice", "Why paths have no verbs", "The method is the action: `DELETE /articles/hello-world` throws it away, `PATCH /articles/trashed/hello-world` brings it back.", "published", []string{"design", "http"}},
	{"bob", "Notes on conditional requests", "Read with `If-None-Match`, write with `If-Match`, and nobody loses anybody's work.", "published", []string{"http"}},
	{"bob", "The plan for last year", "Archived: still readable, still listed under `status=archived`.", "archived", []string{"plans"}},
}

// samples makes people and their writing.
func (a *App) samples(ctx context.Context) error {
	ids := map[string]int64{}
	for _, name := range []string{"alice", "bob"} {
		email := name + "@example.com"
		user, err := auth.CreateUser(ctx, a.DB, auth.User{Username: name, Name: name, Email: &email, Role: change.Member})
		if err != nil {
			return err
		}
		ids[name] = user.ID
	}
	acme, err := a.sampleCompanies(ctx)
	if err != nil {
		return err
	}
	if err := a.sampleInvoices(ctx, ids["alice"], acme); err != nil {
		return err
	}
	for _, s := range samples {
		_, err := articles.Live(a.DB).Change(ctx, change.System, nil, func(*articles.Article) (*articles.Article, error) {
			return &articles.Article{Title: s.title, Body: s.body, Status: s.status, Tags: s.tags, Author: ids[s.author], Metadata: field.Object("{}")}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var sampleInvoices = []struct {
	minor                        int64
	currency, description, state string
	contact                      *invoices.Contact
	billed                       bool // to the sample company, whose contact info counts
}{
	{125050, "EUR", "Design of a garden", "draft", nil, false},
	{9900, "EUR", "Ten hours of advice", "published", &invoices.Contact{Name: "Carol", Email: "carol@example.com"}, false},
	{48000, "JPY", "Translation, one page", "published", nil, true},
}

// sampleInvoices makes bills: a draft, and two that can be paid with tok_ok.
func (a *App) sampleInvoices(ctx context.Context, owner int64, company string) error {
	store := a.Invoices.Store()
	for _, s := range sampleInvoices {
		made, err := store.Change(ctx, change.System, nil, func(*invoices.Invoice) (*invoices.Invoice, error) {
			i := &invoices.Invoice{Amount: money.Price{Amount: money.Of(s.minor, s.currency)}, Currency: s.currency, Description: s.description, Contact: s.contact, Owner: owner, Metadata: field.Object("{}")}
			if s.billed {
				i.Company = &company
			}
			return i, nil
		})
		if err != nil {
			return err
		}
		_, err = store.Change(ctx, change.System, []query.Cond{query.Is("id", made.Now.ID)}, func(was *invoices.Invoice) (*invoices.Invoice, error) {
			now := *was
			now.Status = s.state
			return &now, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Tour is three calls to try, with a token that works.
func Tour(base, token string) string {
	return fmt.Sprintf(`Three calls to try, as alice:

  curl -H 'Authorization: Bearer %[2]s' '%[1]s/articles?include=author&fields=title,author.name'
  curl -H 'Authorization: Bearer %[2]s' -H 'Content-Type: application/json' -d '{"title": "My first article"}' %[1]s/articles
  curl -H 'Authorization: Bearer %[2]s' -X DELETE -i %[1]s/articles/my-first-article

`, base, token)
}
