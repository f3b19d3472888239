package main

import (
	"context"
	"fmt"
	"log/slog"

	"verbless/internal/app"
	"verbless/internal/auth"
	"verbless/internal/config"
)

type users struct {
	Create createUser `cmd:"" help:"Add a user."`
}

type createUser struct {
	Name string `arg:"" help:"Username: 1 to 64 letters, digits, '_', '-' or '.'."`
	Role string `enum:"admin,member" default:"member" help:"admin or member (${default})."`
}

func (createUser) Help() string { return "Example: verbless users create alice --role member" }

func (c createUser) Run(ctx context.Context, s *config.Settings, log *slog.Logger) error {
	d, err := app.OpenStore(ctx, *s, log, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	user, err := auth.CreateUser(ctx, d, auth.User{Username: c.Name, Role: c.Role})
	if err != nil {
		return err
	}
	fmt.Println(user.ID)
	return nil
}
