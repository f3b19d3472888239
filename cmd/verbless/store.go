package main

import (
	"context"
	"fmt"
	"log/slog"

	"verbless/internal/app"
	"verbless/internal/config"
)

type migrate struct{}

func (migrate) Help() string {
	return "Example: verbless migrate --data ./data\n\nEvery start does this by itself; the command is for doing it beforehand."
}

func (migrate) Run(ctx context.Context, s *config.Settings, log *slog.Logger) error {
	d, err := app.OpenStore(ctx, *s, log, nil)
	if err != nil {
		return err
	}
	fmt.Println("The schema is up to date.")
	return d.Close()
}

type backup struct {
	File string `arg:"" help:"Where to write the copy. A file that is there already is not touched."`
}

func (backup) Help() string {
	return "Example: verbless backup ./verbless-$(date +%F).db\n\nTo restore, stop the service and put the copy at DATA/verbless.db."
}

func (c backup) Run(ctx context.Context, s *config.Settings, log *slog.Logger) error {
	d, err := app.OpenStore(ctx, *s, log, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Backup(ctx, c.File)
}
