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

// committer is the limit of writes: one statement in a transaction of its own, or one for each of a batch, durable before
// the answer. Nothing is checked, nothing is read first, and nothing is written beside the row: no history, no words for search.
type committer struct {
	mu       sync.Mutex // the one connection
	pool     *sql.DB
	update   *sql.Stmt
	articles *template
	messages *template
	sent     int
	readers  []int64 // who gets the messages, by place in a batch
	ledger
}

// commits opens a store that was filled before.
func commits(kept answers, dir string) (http.Handler, error) {
	settings := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(0)", "busy_timeout(10000)"}}
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, databaseFile)+"?"+settings.Encode())
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	c := &committer{pool: pool}
	if c.articles, err = learnTable(pool, "articles", "id", "slug", "title", "body", "tags", "created_at", "updated_at"); err != nil {
		return nil, err
	}
	if c.messages, err = learnTable(pool, "messages", "id", "recipient_id", "message", "created_at", "updated_at"); err != nil {
		return nil, err
	}
	var first int64
	if err := pool.QueryRow(`SELECT id FROM users WHERE username = ?`, readerName(0)).Scan(&first); err != nil {
		return nil, err
	}
	for i := range int64(batchSize) {
		c.readers = append(c.readers, first+i)
	}
	if c.update, err = pool.Prepare(`UPDATE articles SET title = ?, version = version + 1, updated_at = ? WHERE id = ?`); err != nil {
		return nil, err
	}
	if c.ledger, err = newLedger(pool); err != nil {
		return nil, err
	}
	reads := bare(kept)
	ready := map[string]*ready{}
	for _, name := range []string{"create", "patch", "send", "batch", "charge", "move", "pay"} {
		ready[name] = prepare(kept[name])
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // the question whether it runs
			reads.ServeHTTP(w, r)
			return
		}
		name, err := c.write(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		ready[name].send(w)
	}), nil
}

// note is what the limit reads of a message.
type note struct{ Message string }

// write does what the request asks for, and gives the name of the row that it belongs to.
func (c *committer) write(r *http.Request) (name string, err error) {
	var article struct {
		Title, Body string
		Tags        []string
	}
	var one note
	var many []note
	if name := c.name(r); name != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		return name, c.ledger.write(name, r, time.Now().UnixMicro())
	}
	name, into := "create", any(&article)
	switch {
	case r.Method == http.MethodPatch:
		name = "patch"
	case r.URL.Path == "/messages":
		name, into = "batch", &many
	case strings.HasSuffix(r.URL.Path, "/messages"):
		name, into = "send", &one
	}
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		return name, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now().UnixMicro()
	switch name {
	case "patch":
		return name, c.change(path.Base(r.URL.Path), article.Title, now)
	case "batch":
		return name, c.sendAll(many, now)
	case "send":
		c.sent++
		_, err = c.messages.insert.Exec(c.messages.values(ident.New(), c.readers[c.sent%batchSize], one.Message, now, now)...)
		return name, err
	}
	tags, err := json.Marshal(article.Tags)
	if err == nil {
		id := ident.New()
		_, err = c.articles.insert.Exec(c.articles.values(id, "article-"+id[24:], article.Title, article.Body, string(tags), now, now)...)
	}
	return name, err
}

func (c *committer) change(id, title string, now int64) error {
	done, err := c.update.Exec(title, now, id)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("%d rows were changed, not one: %v", n, err)
	}
	return nil
}

// sendAll makes one transaction of many rows.
func (c *committer) sendAll(many []note, now int64) error {
	tx, err := c.pool.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after a commit
	insert := tx.Stmt(c.messages.insert)
	defer insert.Close()
	for i, m := range many {
		if _, err := insert.Exec(c.messages.values(ident.New(), c.readers[i%batchSize], m.Message, now, now)...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// template is a row of a table, so that whole rows are written however the table grows.
type template struct {
	insert *sql.Stmt
	row    []any
	places []int // of what differs from row to row
}

// learnTable reads one row of a table; named are the columns whose values the requests give.
func learnTable(pool *sql.DB, table string, named ...string) (*template, error) {
	rows, err := pool.Query("SELECT * FROM " + table + " LIMIT 1")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	t := &template{row: make([]any, len(names))}
	targets := make([]any, len(names))
	for i := range t.row {
		targets[i] = &t.row[i]
	}
	if !rows.Next() {
		return nil, fmt.Errorf("the store has no %s: %v", table, rows.Err())
	}
	if err := rows.Scan(targets...); err != nil {
		return nil, err
	}
	rows.Close()
	for _, name := range named {
		at := slices.Index(names, name)
		if at < 0 {
			return nil, fmt.Errorf("%s have no column %s", table, name)
		}
		t.places = append(t.places, at)
	}
	t.insert, err = pool.Prepare("INSERT INTO " + table + ` ("` + strings.Join(names, `", "`) + `") VALUES (?` + strings.Repeat(", ?", len(names)-1) + ")")
	return t, err
}

// values puts what differs into the row. They are used before the next ones are made.
func (t *template) values(differ ...any) []any {
	for i, v := range differ {
		t.row[t.places[i]] = v
	}
	return t.row
}
