package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// pair is one figure of ours and the same of the limit.
type pair [2]float64

func (p pair) ratio() float64 { return p[0] / p[1] }

// row is one scenario with what every round gave.
type row struct {
	scenario
	rates, costs []pair
}

// report is all that was measured.
type report struct {
	articles, rounds int
	disk             string
	rows             []row
	startUp          []pair // milliseconds
	large            []*largeRow
	largeMost        pair
	tails            []pair // milliseconds: beside others who wait for slow locations, and without them
	held, most       pair   // megabytes after the load: resident, and at most
}

// median of one figure of all rounds.
func median(list []pair, of func(pair) float64) float64 {
	values := make([]float64, len(list))
	for i, p := range list {
		values[i] = of(p)
	}
	slices.Sort(values)
	if n := len(values); n%2 == 0 {
		return (values[n/2-1] + values[n/2]) / 2
	}
	return values[len(values)/2]
}

func first(p pair) float64  { return p[0] }
func second(p pair) float64 { return p[1] }

// ratios is the median of the rounds' ratios, with the least and the greatest of them.
func ratios(list []pair) string {
	text := fmt.Sprintf("%.2f", median(list, pair.ratio))
	if len(list) > 1 {
		low := slices.MinFunc(list, byRatio).ratio()
		high := slices.MaxFunc(list, byRatio).ratio()
		text += fmt.Sprintf(" (%.2f–%.2f)", low, high)
	}
	return text
}

func byRatio(a, b pair) int {
	switch {
	case a.ratio() < b.ratio():
		return -1
	case a.ratio() > b.ratio():
		return 1
	}
	return 0
}

// table is the result in Markdown.
func (r *report) table() string {
	lines := [][]string{
		{"", "ours", "limit", "ours / limit", "CPU of ours", "CPU of limit", "CPU ours / limit", "goal", ""},
		{"---", "---:", "---:", "---:", "---:", "---:", "---:", "---", "---"},
	}
	for _, row := range r.rows {
		rate := func(of func(pair) float64) string { return thousands(median(row.rates, of)) + "/s" }
		cost := func(of func(pair) float64) string { return thousands(median(row.costs, of)) + " µs" }
		lines = append(lines, append([]string{row.title, rate(first), rate(second), ratios(row.rates), cost(first), cost(second), ratios(row.costs)}, row.verdict()...))
	}
	if len(r.tails) > 0 {
		lines = append(lines, append([]string{"companies: p99 beside slow locations, and without", fmt.Sprintf("%.2f ms", median(r.tails, first)), fmt.Sprintf("%.2f ms", median(r.tails, second)),
			ratios(r.tails), "", "", ""}, goal{"p99", 2}.verdict(median(r.tails, pair.ratio))...))
	}
	if len(r.startUp) > 0 {
		ours := median(r.startUp, first)
		lines = append(lines, append([]string{"start-up to the first 200", fmt.Sprintf("%.0f ms", ours), fmt.Sprintf("%.0f ms", median(r.startUp, second)),
			ratios(r.startUp), "", "", ""}, goal{"ms", 100}.verdict(ours)...))
	}
	if r.most[0] > 0 {
		lines = append(lines, append([]string{"memory after the load, at most", fmt.Sprintf("%.0f MB", r.most[0]), fmt.Sprintf("%.0f MB", r.most[1]), ratios([]pair{r.most}), "", "", ""},
			goal{"mb", 100}.verdict(r.most[0])...))
		lines = append(lines, []string{"memory after the load, then", fmt.Sprintf("%.0f MB", r.held[0]), fmt.Sprintf("%.0f MB", r.held[1]), ratios([]pair{r.held}), "", "", "", "", ""})
	}
	var b strings.Builder
	for _, cells := range lines {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return b.String()
}

// verdict compares the figure that the goal speaks of.
func (r row) verdict() []string {
	if r.goal.what == "rate" {
		return r.goal.verdict(median(r.rates, pair.ratio))
	}
	return r.goal.verdict(median(r.costs, pair.ratio))
}

// verdict names the goal, and whether it was reached.
func (g goal) verdict(got float64) []string {
	text, ok := "", got <= g.than
	switch g.what {
	case "":
		return []string{"", ""}
	case "cpu":
		text = fmt.Sprintf("CPU ≤ %.0f ×", g.than)
	case "rate":
		text, ok = fmt.Sprintf("requests ≥ %.1f ×", g.than), got >= g.than
	case "p99":
		text = fmt.Sprintf("p99 ≤ %.0f ×", g.than)
	case "ms":
		text = fmt.Sprintf("≤ %.0f ms", g.than)
	case "mb":
		text = fmt.Sprintf("≤ %.0f MB", g.than)
	}
	if ok {
		return []string{text, "✓"}
	}
	return []string{text, "✗"}
}

// thousands writes a whole number so that it can be read.
func thousands(f float64) string {
	text := fmt.Sprintf("%.0f", f)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// document is the table with what a reader must know to trust it, or to measure again.
func (r *report) document() string {
	return fmt.Sprintf(documentText, thousands(float64(r.articles)), r.rounds, r.table(), starts,
		time.Now().UTC().Format("2006-01-02"), strings.TrimPrefix(runtime.Version(), "go"), processor(), runtime.NumCPU(), r.disk, spread, r.largeTable())
}

const documentText = `# How fast it is

Measured with a store of %s articles of about 1 KB each, as many messages of about 120 bytes in one inbox, and as
many invoices of one owner, medians of %d rounds.

%s
Large files, on servers of their own:

%[11]s
The figures of one machine say little; the ratios say more. Ours and its limit take turns within each round, so that
whatever else the machine does falls on both. In brackets: the least and the greatest ratio of a round.

- The limit of a read is a bare net/http server: no token is looked at, nothing is read from a store, and the answer
  has the same bytes and headers as the real one.
- The limit of a write is a bare net/http server that decodes the body and makes one INSERT or UPDATE of the same row,
  in a copy of the same store, with one durable commit (SQLite, WAL, synchronous FULL) before it answers. It checks
  nothing, and writes nothing but this row; ours also keeps the article's history and its words for search. Writers of
  ours that wait for each other share a commit, so ours may still be faster. For a batch it makes one transaction of
  300 such INSERTs, to the same recipients, whom it does not look up. For an invoice it is one INSERT, or one UPDATE of
  its status; ours also keeps the history of a move, and a payment is three commits: the attempt before the gateway is
  asked, the ledger of the test gateway, and the result with the move, its history and its notice.
- The limit of an upload is a bare net/http server that streams the body to a file and syncs it before it answers. Ours also
  judges the picture by decoding all of it, strips it, syncs the folder, and commits a row. Each upload is another picture.
- The limit of a large file is a bare net/http server that copies the body to a file, or behind the chunks before it, and syncs it
  before it answers; a read is http.ServeFile. Ours also keeps a CRC32C and commits a row for every 64 MiB and at the end.
- CPU is processor time of the server's process alone, user and system, for each request.
- Reads have 4 connections. They send a token, like every request here, and ask for %[10]d articles all over the store.
- The server runs with the settings that it has by itself and an address for locations, and writes its log to a file.
- Slow locations: the server asks a system that takes 5 seconds and fails 3 times out of 10. 16 further clients ask for
  companies with locations, each again 100 ms after its last answer, while the row is measured on either side.
- The row of p99 is ours twice: the time within which 99 of 100 lists of companies without locations were answered, beside those
  16 clients and, in the second column, without them, in turns on the same server.
- Start-up is the time from the start of the process to the first 200 to a request with a token, the median of %[4]d starts.
- Memory is that of the whole process (VmHWM, and VmRSS) after all the load above.

Measured on %[5]s with Go %[6]s on %[8]d × %[7]s, store on %[9]s. Clients and servers share the processors.

To measure again, on a machine that does nothing else:

    make bench

or go run ./bench; -h lists what can be chosen. It takes a few minutes and about 1 GB of disk below .cache, which it
gives back.
`
