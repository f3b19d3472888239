package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The limits are this very binary, started again.
func TestMain(m *testing.M) {
	if !runChild() {
		os.Exit(m.Run())
	}
}

func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts the real server")
	}
	root := t.TempDir()
	module, err := moduleRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := measure(t.Context(), module, root, options{articles: fewestArticles, rounds: 1, quick: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.rows) != len(scenarios()) || len(r.startUp) != starts || len(r.tails) != 1 || r.tails[0][0] <= 0 || r.tails[0][1] <= 0 || r.held[0] <= 0 || r.most[1] <= 0 {
		t.Fatalf("rows are missing:\n%s", r.table())
	}
	for _, row := range r.rows {
		if rate := row.rates[0]; rate[0] <= 0 || rate[1] <= 0 {
			t.Errorf("%s: got %v requests a second", row.name, rate)
		}
	}
	if left, err := filepath.Glob(filepath.Join(root, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
