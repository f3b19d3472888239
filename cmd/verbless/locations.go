package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"verbless/internal/companies"
)

type locations struct {
	Serve serveLocations `cmd:"" help:"Play the system that keeps the locations of companies."`
}

type serveLocations struct {
	Listen   string        `default:"127.0.0.1:8090" placeholder:"HOST:PORT" help:"Address to listen at (${default})."`
	Delay    time.Duration `default:"0s" placeholder:"TIME" help:"How long every answer takes (${default})."`
	Failures int           `default:"0" placeholder:"PERCENT" help:"How many calls out of a hundred fail (${default})."`
	Singly   bool          `help:"Take no calls for many companies at once."`
	Token    string        `placeholder:"TOKEN" help:"Bearer token that callers must send. Left out: none."`
}

func (serveLocations) Help() string {
	return "Example: verbless locations serve --delay 5s --failures 30\n\nThen: verbless serve --locations-url http://127.0.0.1:8090/locations\n\nIt makes locations up; docs/locations.md says what a real one answers."
}

func (c serveLocations) Validate() error {
	if c.Failures < 0 || c.Failures > 100 || c.Delay < 0 {
		return errors.New("failures must be 0 to 100, and delay must not be negative")
	}
	return nil
}

func (c serveLocations) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	system := &companies.StandIn{Token: c.Token, Singly: c.Singly}
	system.Trouble(c.Delay, c.Failures)
	server := &http.Server{Handler: system, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	fmt.Printf("Serving made-up locations at http://%s/locations\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
