// Command verbless serves uploads, articles, messages, invoices and a company directory over an HTTP JSON API,
// and looks after their store. This file puts the commands together; each has a file of its own.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"verbless/internal/config"
)

type commands struct {
	config.Settings `embed:""`

	Serve     serve      `cmd:"" help:"Run the service."`
	Users     users      `cmd:"" help:"Look after users."`
	Tokens    tokens     `cmd:"" help:"Issue and revoke tokens."`
	Companies directory  `cmd:"" help:"Load and print companies."`
	Locations locations  `cmd:"" help:"Stand in for the system that keeps locations."`
	Migrate   migrate    `cmd:"" help:"Bring the store's schema up to date."`
	Backup    backup     `cmd:"" help:"Write a consistent copy of the store while it is in use."`
	Health    health     `cmd:"" help:"Ask whether the service can answer requests."`
	OpenAPI   openapi    `cmd:"" name:"openapi" help:"Print the OpenAPI description."`
	Show      showConfig `cmd:"" name:"config" help:"Print the settings that hold, and where they come from."`
	Version   version    `cmd:"" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var cli commands
	parser := kong.Must(&cli, kong.Name("verbless"), config.Groups(), kong.UsageOnError(),
		kong.Description("One binary for a team's uploads, articles, messages, invoices and company directory.\n\nExample: verbless serve --demo"))
	run, err := parser.Parse(os.Args[1:])
	if err == nil {
		log, flush := newLog(&cli.Settings, os.Stderr)
		run.BindTo(ctx, (*context.Context)(nil))
		err = run.Run(&cli.Settings, log)
		flush()
	}
	if err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "verbless: "+message(err))
		os.Exit(1)
	}
}
