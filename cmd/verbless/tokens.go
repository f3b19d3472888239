package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"verbless/internal/app"
	"verbless/internal/auth"
	"verbless/internal/config"
	"verbless/internal/fault"
)

type tokens struct {
	Issue  issueToken  `cmd:"" help:"Issue a token for a user and print it, alone."`
	Revoke revokeToken `cmd:"" help:"End a token at once."`
}

type issueToken struct {
	User    string        `arg:"" help:"Number or username."`
	Name    string        `help:"To tell tokens apart."`
	Expires time.Duration `help:"How long it works, for example 720h. For ever when left out."`
}

func (issueToken) Help() string {
	return "Example: TOKEN=$(verbless tokens issue alice --name laptop --expires 720h)"
}

func (c issueToken) Run(ctx context.Context, s *config.Settings, log *slog.Logger) error {
	d, err := app.OpenStore(ctx, *s, log, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	user, err := auth.Find(ctx, d, c.User)
	if err != nil {
		return err
	}
	var expires *time.Time
	if c.Expires != 0 {
		at := d.Now().Add(c.Expires)
		expires = &at
	}
	token, err := auth.Issue(ctx, d, user.ID, c.Name, expires)
	if err != nil {
		return err
	}
	fmt.Println(*token.Token)
	return nil
}

type revokeToken struct {
	ID string `arg:"" name:"id" help:"The token's id, as GET /users/{user}/tokens lists it. Not the token itself."`
}

func (revokeToken) Help() string {
	return "Example: verbless tokens revoke 0197a0c4-5f0e-7cc3-9a3b-2f2d8f9d6a11"
}

func (c revokeToken) Run(ctx context.Context, s *config.Settings, log *slog.Logger) error {
	d, err := app.OpenStore(ctx, *s, log, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	err = auth.Revoke(ctx, d, c.ID)
	if fault.Is(err, fault.NotFoundCode) {
		return fault.New(fault.NotFoundCode, "There is no token with the id %q.", c.ID)
	}
	return err
}
