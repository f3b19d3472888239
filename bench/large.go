package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// largeRow is one way to move a large file.
type largeRow struct {
	name  string
	title string
	move  func(b *bench, m *mover) error
	goal  goal

	rates []pair // MiB per second
	costs []pair // milliseconds of processor time per GiB
}

const (
	mebibyte  = 1 << 20
	chunkSize = 16 * mebibyte
)

// largeRows are measured on servers of their own, so that their memory is that of large files.
func largeRows() []*largeRow {
	return []*largeRow{
		{name: "large", title: "1 GiB sent in one PUT", move: (*bench).putWhole, goal: goal{"rate", 0.9}},
		{name: "large-chunks", title: "1 GiB sent in chunks of 16 MiB", move: (*bench).putChunks, goal: goal{"rate", 0.9}},
		{name: "large-read", title: "1 GiB read", move: (*bench).readWhole},
	}
}

// mover is one side: where it takes a file, and where it gives it back.
type mover struct {
	*process
	begin func(m *mover) error
	put   string // address of the file that is being moved
	get   string
	token string
}

// large moves a file of 1 GiB to and from ours and the limit, in turns.
func (b *bench) large(ctx context.Context, r *report) (err error) {
	for _, row := range largeRows() {
		if b.only == "" || b.only == row.name || b.only == "large-read" && row.name == "large" { // what is read must have been sent
			r.large = append(r.large, row)
		}
	}
	if len(r.large) == 0 {
		return nil
	}
	b.largeSize = 1 << 30
	if b.quick {
		b.largeSize = 2 * chunkSize
	}
	sides, err := b.movers(ctx)
	for _, m := range sides {
		defer func() { err = errors.Join(err, m.stop()) }()
	}
	if err != nil {
		return err
	}
	for round := range b.options.rounds {
		for _, row := range r.large {
			var rate, cost pair
			for i := range sides {
				at := (i + round) % len(sides)
				if rate[at], cost[at], err = b.moved(row, sides[at]); err != nil {
					return fmt.Errorf("%s: %w", row.name, err)
				}
			}
			row.rates, row.costs = append(row.rates, rate), append(row.costs, cost)
			say("round %d, %s: %.0f and %.0f MiB/s, %.0f and %.0f ms per GiB", round+1, row.name, rate[0], rate[1], cost[0], cost[1])
		}
	}
	for i, m := range sides {
		_, most, err := m.memory()
		if err != nil {
			return err
		}
		r.largeMost[i] = megabytes(most)
	}
	return nil
}

// movers starts ours, with the store that is there, and the limit.
func (b *bench) movers(ctx context.Context) ([]*mover, error) {
	ours, _, err := start(ctx, b.dir, b.requests.one, serveCommand(b.binary, b.data))
	if err != nil {
		return nil, err
	}
	sides := []*mover{{process: ours, token: b.requests.token, begin: (*mover).beginUpload}}
	dir := filepath.Join(b.dir, "large")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return sides, err
	}
	limit, _, err := start(ctx, b.dir, b.requests.one, childCommand("large", b.kept, dir))
	if err != nil {
		return sides, err
	}
	return append(sides, &mover{process: limit, begin: func(m *mover) error {
		m.put, m.get = "http://"+m.address+"/file", "http://"+m.address+"/file"
		return nil
	}}), nil
}

// beginUpload removes the file of the round before, and asks where to send the next.
func (m *mover) beginUpload() error {
	if m.get != "" {
		if _, err := m.do(http.MethodDelete, strings.TrimSuffix(m.get, "/content"), nil, 0, ""); err != nil {
			return err
		}
	}
	answer, err := m.do(http.MethodPost, "http://"+m.address+"/uploads?uploadType=resumable", nil, 0, "")
	if err != nil {
		return err
	}
	m.put = answer.Header.Get("Location")
	m.get, _, _ = strings.Cut(m.put, "?")
	return nil
}

// do sends a request, and reads what comes back to the end.
func (m *mover) do(method, address string, body io.Reader, size int64, contentRange string) (*http.Response, error) {
	r, err := http.NewRequest(method, address, body)
	if err != nil {
		return nil, err
	}
	r.ContentLength = size
	r.Header.Set("Authorization", "Bearer "+m.token)
	if contentRange != "" {
		r.Header.Set("Content-Range", contentRange)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, answer.Body, make([]byte, mebibyte)); err != nil {
		return nil, err
	}
	if answer.StatusCode >= 400 {
		return nil, fmt.Errorf("%s: %s", method, answer.Status)
	}
	return answer, nil
}

// moved measures one move.
func (b *bench) moved(row *largeRow, m *mover) (rate, cost float64, err error) {
	if row.name != "large-read" {
		if err := m.begin(m); err != nil {
			return 0, 0, err
		}
	}
	before, err := m.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := row.move(b, m); err != nil {
		return 0, 0, err
	}
	took := time.Since(began)
	after, err := m.cpu()
	size := float64(b.largeSize)
	return size / mebibyte / took.Seconds(), (after - before).Seconds() * 1000 * (1 << 30) / size, err
}

// zeros is a body that costs its sender nothing.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func (b *bench) putWhole(m *mover) error {
	_, err := m.do(http.MethodPut, m.put, io.LimitReader(zeros{}, b.largeSize), b.largeSize, "")
	return err
}

func (b *bench) putChunks(m *mover) error {
	for at := int64(0); at < b.largeSize; at += chunkSize {
		to := min(at+chunkSize, b.largeSize)
		if _, err := m.do(http.MethodPut, m.put, io.LimitReader(zeros{}, to-at), to-at, fmt.Sprintf("bytes %d-%d/%d", at, to-1, b.largeSize)); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) readWhole(m *mover) error {
	_, err := m.do(http.MethodGet, m.get, nil, 0, "")
	return err
}

// sink is the limit of large files: a PUT goes to a file, and is synced before the answer. A chunk goes behind those before it.
func sink(kept answers, dir string) http.Handler {
	reads, name := bare(kept), filepath.Join(dir, "file")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/file":
			reads.ServeHTTP(w, r)
		case r.Method == http.MethodGet:
			http.ServeFile(w, r, name)
		default:
			flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
			if at := r.Header.Get("Content-Range"); at == "" || strings.HasPrefix(at, "bytes 0-") {
				flags |= os.O_TRUNC
			}
			if err := sinkFile(name, flags, r.Body); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		}
	})
}

// largeTable is what was measured with large files, in Markdown.
func (r *report) largeTable() string {
	var b strings.Builder
	b.WriteString("|  | ours | limit | ours / limit | CPU of ours | CPU of limit | CPU ours / limit | goal |  |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n")
	for _, row := range r.large {
		rate := func(of func(pair) float64) string { return thousands(median(row.rates, of)) + " MiB/s" }
		cost := func(of func(pair) float64) string { return thousands(median(row.costs, of)) + " ms/GiB" }
		cells := append([]string{row.title, rate(first), rate(second), ratios(row.rates), cost(first), cost(second), ratios(row.costs)}, row.goal.verdict(median(row.rates, pair.ratio))...)
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	fmt.Fprintf(&b, "| memory of the process, at most | %.0f MB | %.0f MB | %s |  |  |  |  |  |\n", r.largeMost[0], r.largeMost[1], ratios([]pair{r.largeMost}))
	return b.String()
}
