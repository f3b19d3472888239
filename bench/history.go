package main

import (
	"context"
	"fmt"

	"verbless/internal/articles"
	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/field"
)

// The articles whose histories are read, by their slugs, and searches: for a common word and a rare one, and for two that
// almost every article holds.
const (
	shortHistory = "/articles/short-history/revisions?limit=10"
	longHistory  = "/articles/long-history/revisions?limit=10"
	searchQuery  = "/articles?q=house+777"
	commonQuery  = "/articles?q=house+home"
)

// exact are the reads that are told apart by their whole address.
func exact(kept answers) map[string]*ready {
	return map[string]*ready{
		shortHistory: prepare(kept["history"]), longHistory: prepare(kept["history-long"]),
		searchQuery: prepare(kept["search"]), commonQuery: prepare(kept["search-common"]),
	}
}

// seedHistories makes an article with 10 revisions and one with 10,000.
func seedHistories(ctx context.Context, d *db.DB, author int64) error {
	writing := newText(5)
	for slug, revisions := range map[string]int{"short-history": 10, "long-history": 10_000} {
		made, err := articles.Live(d).Change(ctx, change.System, nil, func(*articles.Article) (*articles.Article, error) {
			return &articles.Article{Slug: slug, Title: slug, Body: writing.body(), Status: "published", Author: author, Metadata: field.Object("{}")}, nil
		})
		if err != nil {
			return err
		}
		err = d.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
			for n := 2; n <= revisions; n++ {
				_, err := tx.Exec(ctx, `INSERT INTO revisions (id, article_id, number, title, body, is_current, author_id, version, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)`,
					fmt.Sprintf("%s.%d", made.Now.ID, n), made.Now.ID, n, slug, writing.body(), false, author, tx.Now().UnixMicro())
				if err != nil {
					return err
				}
			}
			_, err := tx.Exec(ctx, `UPDATE articles SET last_revision = ? WHERE id = ?`, revisions, made.Now.ID)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (q *requests) history(_, _ int) []byte { return q.bytes("GET", shortHistory, "", "") }

func (q *requests) longHistory(_, _ int) []byte { return q.bytes("GET", longHistory, "", "") }

func (q *requests) search(_, _ int) []byte { return q.bytes("GET", searchQuery, "", "") }

func (q *requests) searchCommon(_, _ int) []byte { return q.bytes("GET", commonQuery, "", "") }
