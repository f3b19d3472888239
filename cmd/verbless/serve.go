package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"verbless/internal/app"
	"verbless/internal/config"
)

type serve struct{}

func (serve) Help() string {
	return "Example: verbless serve --demo\n\nThe first start makes an admin and prints its token once. Stop it with Ctrl-C: it finishes what runs."
}

// Run listens first, so that clients that come early wait instead of being turned away.
func (serve) Run(ctx context.Context, s *config.Settings, log *slog.Logger) error {
	collectByHeadroom()
	listener, err := net.Listen("tcp", s.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	s.Addr = listener.Addr().String()
	a, err := app.Open(ctx, *s, log, nil)
	if err != nil {
		return err
	}
	defer a.Close()
	token, err := a.FirstStart(ctx)
	if err != nil {
		return err
	}
	if token != "" {
		fmt.Printf("Made the user admin. Its token is shown this once:\n\n  %s\n\n", token)
	}
	if s.Demo {
		if token, err = a.Demo(ctx); err != nil {
			return err
		}
		fmt.Print(app.Tour(s.Base(), token))
	}
	if s.TLS() { // without certificates the end of a terminal ends the server, as ever
		hangups := make(chan os.Signal, 1)
		signal.Notify(hangups, syscall.SIGHUP)
		defer signal.Stop(hangups)
		go func() {
			for range hangups {
				a.Reload()
			}
		}()
	}
	fmt.Printf("Serving at %s\n", s.Base())
	return a.Serve(ctx, listener)
}
