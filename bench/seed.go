package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"verbless/internal/app"
	"verbless/internal/articles"
	"verbless/internal/auth"
	"verbless/internal/change"
	"verbless/internal/config"
	"verbless/internal/db"
	"verbless/internal/field"
	"verbless/internal/messages"
)

const (
	seedBatch      = 1000 // articles in one transaction
	fewestArticles = 1000 // below this the writers would not find articles of their own
	databaseFile   = "verbless.db"
)

// store is what the load must know of a store that was filled.
type store struct {
	token string
	mine  []string // articles that the token's user wrote: they are changed
	read  []string // articles of others: they stay as they are, so their ETags hold

	drafted []string // invoices that can be moved
	payable []bill
}

// seed fills a new data folder through the packages of the service itself, so that rows are as real ones are.
func seed(ctx context.Context, dir string, n int) (*store, error) {
	settings := config.Default()
	settings.Data = dir
	batches := (n + seedBatch - 1) / seedBatch
	at := time.Now().Add(-time.Duration(batches+100) * time.Minute)
	clock := func() time.Time { // the rows of one transaction share a time; the next one is later
		at = at.Add(time.Minute)
		return at
	}
	d, err := app.OpenStore(ctx, settings, slog.New(slog.DiscardHandler), clock)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	authors, err := seedAuthors(ctx, d)
	if err != nil {
		return nil, err
	}
	issued, err := auth.Issue(ctx, d, authors[0], "bench", nil)
	if err != nil {
		return nil, err
	}
	s := &store{token: *issued.Token}
	writing, live := newText(1), articles.Live(d)
	for done := 0; done < n; done += seedBatch {
		err := d.Do(ctx, func(ctx context.Context) error {
			for i := done; i < min(done+seedBatch, n); i++ {
				if err := s.add(ctx, live, writing, authors, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := errors.Join(seedInbox(ctx, d, authors, n), seedCompanies(ctx, d, n), seedHistories(ctx, d, authors[1])); err != nil {
		return nil, err
	}
	if err := s.seedBills(ctx, d, authors[0], n); err != nil {
		return nil, err
	}
	return s, d.Close()
}

// readerName is one of those that messages are sent to.
func readerName(i int) string { return fmt.Sprintf("reader%d", i+1) }

// seedInbox makes those who get messages, and fills the inbox of the one who asks.
func seedInbox(ctx context.Context, d *db.DB, authors []int64, n int) error {
	err := d.Do(ctx, func(ctx context.Context) error {
		for i := range batchSize {
			if _, err := auth.CreateUser(ctx, d, auth.User{Username: readerName(i), Role: change.Member}); err != nil {
				return err
			}
		}
		return nil
	})
	writing, inbox := newText(4), messages.Store(d)
	for done := 0; done < n && err == nil; done += seedBatch {
		rows := make([]*messages.Message, min(seedBatch, n-done))
		for i := range rows {
			rows[i] = &messages.Message{User: messages.To(authors[0]), Sender: authors[1+i%4], Message: writing.note(), Read: i%10 > 0, Metadata: field.Object("{}")}
		}
		_, err = inbox.CreateMany(ctx, change.System, rows, make([]error, len(rows)))
	}
	return err
}

// seedAuthors makes a few members; the first is the one who asks.
func seedAuthors(ctx context.Context, d *db.DB) ([]int64, error) {
	var ids []int64
	for i := range 5 {
		user, err := auth.CreateUser(ctx, d, auth.User{Username: fmt.Sprintf("author%d", i+1), Role: change.Member})
		if err != nil {
			return nil, err
		}
		ids = append(ids, user.ID)
	}
	return ids, nil
}

func (s *store) add(ctx context.Context, live change.Store[articles.Article], t text, authors []int64, n int) error {
	by := authors[n%len(authors)]
	done, err := live.Change(ctx, change.System, nil, func(*articles.Article) (*articles.Article, error) {
		return &articles.Article{Title: t.title(n), Body: t.body(), Status: t.status(), Tags: t.tags(), Author: by, Metadata: field.Object("{}")}, nil
	})
	if err != nil {
		return err
	}
	if by == authors[0] {
		s.mine = append(s.mine, done.Now.ID)
	} else {
		s.read = append(s.read, done.Now.ID)
	}
	return nil
}

// copyStore gives the limit of writes the same rows and the same indexes to start from.
func copyStore(from, to string) error {
	in, err := os.Open(filepath.Join(from, databaseFile))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(filepath.Join(to, databaseFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	if err := out.Sync(); err != nil { // or the first commits would pay for it
		out.Close()
		return err
	}
	return out.Close()
}
