package app

import (
	"verbless/internal/articles"
	"verbless/internal/auth"
	"verbless/internal/avatars"
	"verbless/internal/config"
	"verbless/internal/db"
	"verbless/internal/gateway"
	"verbless/internal/invoices"
	"verbless/internal/messages"
	"verbless/internal/outbox"
	"verbless/internal/replay"
	"verbless/internal/rest"
)

// resources is everything that is served, one line each.
func resources(d *db.DB, s config.Settings, pictures *avatars.Avatars, book *invoices.Book) []rest.Resource {
	return []rest.Resource{
		auth.New(d, messages.Inbox(d)),
		articles.New(d),
		messages.New(d, s.MaxBatch),
		pictures.Resource(),
		pictures.Media(),
		invoices.New(book),
		health(d),
		ready(d),
	}
}

// migrations is the schema of everything, in the order in which it is made.
func migrations() []db.Migrations {
	return []db.Migrations{
		auth.Migrations(),
		replay.Migrations(),
		outbox.Migrations(),
		articles.Migrations(),
		messages.Migrations(),
		avatars.Migrations(),
		gateway.Migrations(),
		invoices.Migrations(),
	}
}

// deprecations is the one list of what will go.
func deprecations() []rest.Deprecation { return nil }
