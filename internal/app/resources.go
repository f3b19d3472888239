package app

import (
	"verbless/internal/articles"
	"verbless/internal/auth"
	"verbless/internal/db"
	"verbless/internal/gateway"
	"verbless/internal/invoices"
	"verbless/internal/outbox"
	"verbless/internal/replay"
	"verbless/internal/rest"
)

// resources is everything that is served, one line each.
func resources(d *db.DB, book *invoices.Book) []rest.Resource {
	return []rest.Resource{
		auth.New(d),
		articles.New(d),
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
		gateway.Migrations(),
		invoices.Migrations(),
	}
}

// deprecations is the one list of what will go.
func deprecations() []rest.Deprecation { return nil }
