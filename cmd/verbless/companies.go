package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"verbless/internal/app"
	"verbless/internal/companies"
	"verbless/internal/config"
)

type directory struct {
	Import importCompanies `cmd:"" help:"Load companies from a file, all of them or none."`
	Export exportCompanies `cmd:"" help:"Print all companies as JSON lines."`
}

type importCompanies struct {
	File string `arg:"" help:"A JSON array, JSON lines, or CSV with a header; - is the standard input."`
}

func (importCompanies) Help() string {
	return "Example: verbless companies import companies.csv\n\nA row whose uuid is known changes that company, any other makes a new one. Every bad row is reported with its line, and then nothing is imported."
}

func (c importCompanies) Run(ctx context.Context, s *config.Settings, log *slog.Logger) error {
	in := io.Reader(os.Stdin)
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	d, err := app.OpenStore(ctx, *s, log, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	load, clean := companies.Import{Options: app.Directory(*s, nil, log)}, ""
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		clean = "\r\x1b[K" // nothing else shares a line with the progress
		load.Step = func(read, written int64) { fmt.Fprintf(os.Stderr, "\r%d rows read, %d written ", read, written) }
	}
	load.Bad = func(line int, why string) { fmt.Fprintf(os.Stderr, "%sline %d: %s\n", clean, line, why) }
	done, err := load.Run(ctx, d, in)
	fmt.Fprint(os.Stderr, clean)
	if err != nil {
		return err
	}
	fmt.Printf("%d rows read, %d written, %d as they were.\n", done.Read, done.Written, done.Read-done.Written)
	return nil
}

type exportCompanies struct{}

func (exportCompanies) Help() string {
	return "Example: verbless companies export > companies.jsonl\n\nverbless companies import takes what it prints."
}

func (exportCompanies) Run(ctx context.Context, s *config.Settings, log *slog.Logger) error {
	d, err := app.OpenStore(ctx, *s, log, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	return companies.Export(ctx, d, app.Directory(*s, nil, log), os.Stdout)
}
