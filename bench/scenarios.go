package main

import (
	"fmt"
	"slices"
	"strings"
)

// scenario is one row of the table that is measured by load.
type scenario struct {
	name    string
	title   string
	clients int
	count   int // requests of a round, for each side
	status  int
	limit   string // bare, commit or file
	make    func(q *requests) maker
	goal    goal
	beside  string // what other clients ask ours for all the while; empty: there are none
}

// goal is what a row should reach; the zero goal is none.
type goal struct {
	what string // cpu: at most so many times the limit's; rate: at least so many times; p99: at most so many times the undisturbed; ms or mb: at most
	than float64
}

const (
	startUp = "start-up"
	starts  = 5 // starts of a measurement of start-up
	turns   = 4 // parts of a round, in which ours and the limit take turns
)

// scenarios is everything that is measured by load, in the order of the table.
func scenarios() []scenario {
	return []scenario{
		{"get", "GET one", 4, 12000, 200, "bare", func(q *requests) maker { return q.one }, goal{"cpu", 4}, ""},
		{"304", "GET one, If-None-Match (304)", 4, 12000, 304, "bare", func(q *requests) maker { return q.unchanged }, goal{"cpu", 3}, ""},
		{"list", "list of 25, filtered and sorted", 4, 3000, 200, "bare", func(q *requests) maker { return q.list }, goal{"cpu", 12}, ""},
		{"create-8", "create, 8 writers", 8, 4000, 201, "commit", func(q *requests) maker { return q.create }, goal{}, ""},
		{"create-64", "create, 64 writers", 64, 8000, 201, "commit", func(q *requests) maker { return q.create }, goal{"rate", 1}, ""},
		{"patch", "PATCH one member, 8 writers", 8, 4000, 200, "commit", func(q *requests) maker { return q.patch }, goal{}, ""},
		{"history", "history of an article with 10 revisions: list of 10", 4, 3000, 200, "bare", func(q *requests) maker { return q.history }, goal{}, ""},
		{"history-long", "history of an article with 10,000: list of 10", 4, 3000, 200, "bare", func(q *requests) maker { return q.longHistory }, goal{}, ""},
		{"search", "search for a common word and a rare one", 4, 3000, 200, "bare", func(q *requests) maker { return q.search }, goal{}, ""},
		{"search-common", "search for two common words", 4, 400, 200, "bare", func(q *requests) maker { return q.searchCommon }, goal{}, ""},
		{"list-gzip", "the list of 25 in gzip", 4, 3000, 200, "bare", func(q *requests) maker { return q.coded("gzip") }, goal{}, ""},
		{"list-zstd", "the list of 25 in zstd", 4, 3000, 200, "bare", func(q *requests) maker { return q.coded("zstd") }, goal{}, ""},
		{"inbox", "inbox: list of 25", 4, 3000, 200, "bare", func(q *requests) maker { return q.inbox }, goal{}, ""},
		{"send", "send a message, 8 writers", 8, 4000, 201, "commit", func(q *requests) maker { return q.send }, goal{}, ""},
		{"batch", "batch of 300 messages, 2 writers", 2, 400, 201, "commit", func(q *requests) maker { return q.batch }, goal{"rate", 0.5}, ""},
		{"upload", "upload of a 1 MB PNG, 4 clients", 4, 800, 201, "file", func(q *requests) maker { return q.upload }, goal{"rate", 0.6}, ""},
		{"image", "GET an image of 1 MB", 4, 4000, 200, "bare", func(q *requests) maker { return q.show }, goal{}, ""},
		{"bills", "list of 25 invoices", 4, 3000, 200, "bare", func(q *requests) maker { return q.bills }, goal{}, ""},
		{"charge", "create an invoice, 8 writers", 8, 4000, 201, "commit", func(q *requests) maker { return q.charge }, goal{}, ""},
		{"move", "move an invoice, 8 writers", 8, 4000, 200, "commit", func(q *requests) maker { return q.mover() }, goal{}, ""},
		{"pay", "pay an invoice with the test gateway, 8 payers", 8, 2000, 201, "commit", func(q *requests) maker { return q.pay }, goal{}, ""},
		{"companies", "companies: list of 25", 4, 6000, 200, "bare", func(q *requests) maker { return q.companies }, goal{}, ""},
		{"companies-slow", "the same beside others who wait for slow locations", 4, 6000, 200, "bare", func(q *requests) maker { return q.companies }, goal{}, locatedQuery},
	}
}

// chosen are the scenarios that the options ask for.
func (o options) chosen() []scenario {
	list := slices.DeleteFunc(scenarios(), func(s scenario) bool { return o.only != "" && o.only != s.name })
	if o.quick {
		for i := range list {
			list[i].count /= 20
		}
	}
	return list
}

// checkOnly refuses a name that no row has.
func (o options) checkOnly() error {
	names := []string{startUp, tailRow}
	for _, s := range scenarios() {
		names = append(names, s.name)
	}
	for _, row := range largeRows() {
		names = append(names, row.name)
	}
	if o.only != "" && !slices.Contains(names, o.only) {
		return fmt.Errorf("-only takes one of: %s", strings.Join(names, ", "))
	}
	return nil
}
