package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite"

	"verbless/internal/ident"
)

// committer is the limit of writes: one statement in a transaction of its own, durable before the answer.
// Nothing is checked, nothing is read first, and nothing is written beside the row: no history, no words for search.
type committer struct {
	mu             sync.Mutex // the one connection
	insert, update *sql.Stmt
	row            []any // what a new row holds, but for what the request says
	id, slug       int   // places in row
	title, body    int
	tags           int
	created        int
	updated        int
}

// commits opens a store that was filled before.
func commits(kept answers, dir string) (http.Handler, error) {
	settings := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(0)", "busy_timeout(10000)"}}
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, databaseFile)+"?"+settings.Encode())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	c := &committer{}
	if err := c.prepare(pool); err != nil {
		return nil, err
	}
	reads, created, changed := bare(kept), prepare(kept["create"]), prepare(kept["patch"])
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Title, Body string
			Tags        []string
		}
		var err error
		answer := created
		switch r.Method {
		case http.MethodGet: // the question whether it runs
			reads.ServeHTTP(w, r)
			return
		case http.MethodPatch:
			answer = changed
			if err = json.NewDecoder(r.Body).Decode(&in); err == nil {
				err = c.change(path.Base(r.URL.Path), in.Title)
			}
		default:
			if err = json.NewDecoder(r.Body).Decode(&in); err == nil {
				err = c.add(in.Title, in.Body, in.Tags)
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer.send(w)
	}), nil
}

// prepare learns the columns from the store, so that it writes whole rows however the table grows.
func (c *committer) prepare(pool *sql.DB) error {
	rows, err := pool.Query("SELECT * FROM articles LIMIT 1")
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	c.row = make([]any, len(names))
	targets := make([]any, len(names))
	for i := range c.row {
		targets[i] = &c.row[i]
	}
	if !rows.Next() {
		return fmt.Errorf("the store is empty: %v", rows.Err())
	}
	if err := rows.Scan(targets...); err != nil {
		return err
	}
	rows.Close()
	places := map[string]*int{"id": &c.id, "slug": &c.slug, "title": &c.title, "body": &c.body, "tags": &c.tags, "created_at": &c.created, "updated_at": &c.updated}
	for name, at := range places {
		if *at = slices.Index(names, name); *at < 0 {
			return fmt.Errorf("articles have no column %s", name)
		}
	}
	c.insert, err = pool.Prepare(`INSERT INTO articles ("` + strings.Join(names, `", "`) + `") VALUES (?` + strings.Repeat(", ?", len(names)-1) + ")")
	if err != nil {
		return err
	}
	c.update, err = pool.Prepare(`UPDATE articles SET title = ?, version = version + 1, updated_at = ? WHERE id = ?`)
	return err
}

func (c *committer) add(title, body string, tags []string) error {
	list, err := json.Marshal(tags)
	if err != nil {
		return err
	}
	id, now := ident.New(), time.Now().UnixMicro()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.row[c.id], c.row[c.slug], c.row[c.title], c.row[c.body], c.row[c.tags] = id, "article-"+id[24:], title, body, string(list)
	c.row[c.created], c.row[c.updated] = now, now
	_, err = c.insert.Exec(c.row...)
	return err
}

func (c *committer) change(id, title string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	done, err := c.update.Exec(title, time.Now().UnixMicro(), id)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("%d rows were changed, not one: %v", n, err)
	}
	return nil
}
