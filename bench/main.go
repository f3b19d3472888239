// Command bench measures the service beside what the machine can do at best.
//
// Every figure stands beside a limit that is measured in the same round: a bare net/http server that answers with
// the same bytes, or one that makes one durable commit for each request. So the ratios say something even where the
// machine is slow or busy. It builds the real binary, fills a store of its own, and leaves nothing behind but
// bench/RESULTS.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// options is what the command line says.
type options struct {
	articles int
	rounds   int
	quick    bool
	only     string
}

func main() {
	if runChild() {
		return
	}
	o, err := readOptions(os.Args[1:])
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, o)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func readOptions(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.IntVar(&o.articles, "articles", 100_000, "how many articles the store holds")
	flags.IntVar(&o.rounds, "rounds", 3, "how often everything is measured; medians are shown")
	flags.BoolVar(&o.quick, "quick", false, "few requests, few articles, one round: to see that it works, not to measure")
	flags.StringVar(&o.only, "only", "", "measure only the row of this `name`: get, 304, list, list-gzip, list-zstd, history, history-long, search, search-common, create-8, create-64, patch, inbox, send, batch, upload, image, bills, charge, move, pay, companies, companies-slow, companies-p99, large, large-chunks, large-read, start-up")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if o.quick && !given["articles"] {
		o.articles = 2000
	}
	if o.quick && !given["rounds"] {
		o.rounds = 1
	}
	if o.articles < fewestArticles || o.rounds < 1 {
		return o, fmt.Errorf("at least %d articles and 1 round are needed", fewestArticles)
	}
	return o, o.checkOnly()
}

// run measures, prints the table, and keeps it when it is a whole one.
func run(ctx context.Context, o options) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	base := filepath.Join(root, ".cache", "bench")
	if err := os.MkdirAll(base, 0o700); err != nil {
		return err
	}
	r, err := measure(ctx, root, base, o)
	if err != nil {
		return err
	}
	fmt.Print("\n" + r.table())
	if len(r.large) > 0 {
		fmt.Print("\n" + r.largeTable())
	}
	if o.quick || o.only != "" {
		fmt.Println("\nNot the whole measurement, so bench/RESULTS.md stays as it is.")
		return nil
	}
	return os.WriteFile(filepath.Join(root, "bench", "RESULTS.md"), []byte(r.document()), 0o644)
}

// say tells a person who waits what is going on.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
