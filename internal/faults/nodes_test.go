//go:build linux

package faults

import (
	"database/sql"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"verbless/internal/db/dbtest"
)

// twoNodes runs two servers on one PostgreSQL database.
func twoNodes(t *testing.T) []*server {
	t.Helper()
	address := dbtest.Postgres(t)
	first := start(t, launch{database: address})
	second := start(t, launch{database: address, token: first.token})
	return []*server{first, second}
}

// race sends one request through all nodes several times at once, and gives the answers.
func race(t *testing.T, nodes []*server, times int, call, body string, headers ...string) []answer {
	t.Helper()
	client := newClient()
	defer client.CloseIdleConnections()
	answers := make([]answer, len(nodes)*times)
	var gate, running sync.WaitGroup
	gate.Add(1)
	for i := range answers {
		node := nodes[i%len(nodes)]
		running.Go(func() {
			gate.Wait()
			a, err := send(client, node.url, node.token, call, body, headers...)
			if err != nil {
				t.Errorf("%s: %v", call, err)
			}
			answers[i] = a
		})
	}
	gate.Done()
	running.Wait()
	return answers
}

// TestOneKeyOnTwoNodes: whichever node gets the second request with a key, there is one article.
func TestOneKeyOnTwoNodes(t *testing.T) {
	t.Parallel()
	nodes := twoNodes(t)
	count := map[string]int{}
	for i := range 40 {
		title := fmt.Sprintf("Key %d", i)
		ids := map[string]bool{}
		first := 0
		for _, a := range race(t, nodes, 3, "POST /articles", fmt.Sprintf(`{"title":%q}`, title), fmt.Sprintf("Idempotency-Key: key-%d", i)) {
			switch code, err := problem(a); {
			case a.status == http.StatusCreated && a.header.Get("Idempotency-Replayed") == "true":
				count["replayed"]++
				ids[a.text("id")] = true
			case a.status == http.StatusCreated:
				count["first"]++
				first++
				ids[a.text("id")] = true
			case a.status == http.StatusConflict && err == nil && code == "idempotency_in_progress":
				count["in progress"]++
			default:
				t.Errorf("%s: %s", title, a)
			}
		}
		if n := nodes[0].titled(t, title); n != 1 || first != 1 || len(ids) != 1 {
			t.Errorf("%s: %d articles, %d first answers, %d ids", title, n, first, len(ids))
		}
	}
	t.Log(count)
	if count["first"] == 0 || count["replayed"]+count["in progress"] == 0 {
		t.Errorf("the requests never met: %v", count)
	}
}

// TestOneTagOnTwoNodes: of many changes that rest on the same state, one is made.
func TestOneTagOnTwoNodes(t *testing.T) {
	t.Parallel()
	nodes := twoNodes(t)
	a := nodes[0].want(t, http.StatusCreated, "POST /articles", `{"title":"One tag"}`)
	for i := range 40 {
		won := 0
		for _, b := range race(t, nodes, 4, "PATCH /articles/"+a.text("id"), fmt.Sprintf(`{"body":"round %d"}`, i), "If-Match: "+a.header.Get("ETag")) {
			switch code, err := problem(b); {
			case b.status == http.StatusOK:
				won++
			case b.status != http.StatusPreconditionFailed || err != nil || code != "precondition_failed":
				t.Errorf("round %d: %s", i, b)
			}
		}
		if won != 1 {
			t.Errorf("round %d: %d changes were made", i, won)
		}
		a = nodes[i%2].want(t, http.StatusOK, "GET /articles/"+a.text("id"), "")
		if want := fmt.Sprintf("round %d", i); a.text("body") != want {
			t.Fatalf("the body is %q, want %q", a.text("body"), want)
		}
	}
}

// TestFirstStartOfTwo starts two nodes on an empty database at the same moment: both serve, and there is one admin.
func TestFirstStartOfTwo(t *testing.T) {
	t.Parallel()
	for range pick(4, 30) {
		address := dbtest.Postgres(t)
		var nodes []*server
		for range 2 {
			s, err := tryStart(t, launch{database: address})
			if err != nil {
				t.Fatal(err)
			}
			nodes = append(nodes, s)
		}
		tokens := 0
		for _, s := range nodes {
			s.await(t)
			if s.token != "" {
				tokens++
				s.want(t, http.StatusOK, "GET /users/me", "")
			}
		}
		if users := count(t, address, "SELECT COUNT(*) FROM users"); users != 1 || tokens != 1 {
			t.Errorf("%d users, %d tokens were shown", users, tokens)
		}
		for _, s := range nodes {
			s.kill()
		}
	}
}

func count(t testing.TB, address, text string) (n int) {
	t.Helper()
	pool, err := sql.Open("pgx", address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.QueryRow(text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
