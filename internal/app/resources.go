package app

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"verbless/internal/articles"
	"verbless/internal/auth"
	"verbless/internal/avatars"
	"verbless/internal/companies"
	"verbless/internal/config"
	"verbless/internal/db"
	"verbless/internal/gateway"
	"verbless/internal/invoices"
	"verbless/internal/messages"
	"verbless/internal/metric"
	"verbless/internal/neighbour"
	"verbless/internal/outbox"
	"verbless/internal/replay"
	"verbless/internal/rest"
	"verbless/internal/uploads"
)

// resources is everything that is served, one line each.
func resources(d *db.DB, s config.Settings, pictures *avatars.Avatars, sent *uploads.Uploads, book *invoices.Book, metrics *metric.Registry, log *slog.Logger) []rest.Resource {
	all := []rest.Resource{
		auth.New(d, messages.Inbox(d)),
		articles.New(d),
		messages.New(d, s.MaxBatch),
		pictures.Resource(),
		pictures.Media(),
		sent.Resource(),
		invoices.New(book),
		companies.New(d, Directory(s, metrics, log)),
		health(d),
		ready(d),
	}
	if s.Metrics == "on" {
		all = append(all, figures(metrics))
	}
	return all
}

// onlyUploads tells which paths a server of uploads alone has: theirs, and those that every service has.
func onlyUploads(pattern string) bool {
	top := strings.SplitN(pattern, "/", 3)[1]
	return slices.Contains([]string{"", "docs", "uploads", "healthz", "readyz", "metrics", "openapi.json", "schemas", "problems"}, top)
}

// Directory is how companies are kept.
func Directory(s config.Settings, metrics *metric.Registry, log *slog.Logger) companies.Options {
	o := companies.Options{EnterpriseSize: s.EnterpriseSize}
	if s.LocationsURL != "" {
		o.Locations = companies.Ask(neighbour.Options[[]companies.Location]{
			Name: "locations", Metrics: metrics,
			URL: strings.TrimRight(s.LocationsURL, "/"), Token: s.LocationsToken, Limit: s.LocationsTimeout, Concurrency: s.LocationsCalls,
			Fresh: s.LocationsFresh, Stale: s.LocationsStale, Rest: s.LocationsRest, Log: log,
		})
	}
	return o
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
		companies.Migrations(),
		invoices.Migrations(), // they point at companies
		uploads.Migrations(),
	}
}

// deprecations is the one list of what will go.
func deprecations() []rest.Deprecation {
	since, sunset := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 11, 1, 0, 0, 0, 0, time.UTC)
	return []rest.Deprecation{
		{Resource: "companies", Parameter: "partial", Since: since, Sunset: sunset, Instead: "partials"},
		{Resource: "companies", Parameter: "include", Since: since, Sunset: sunset, Instead: "partials"},
	}
}
