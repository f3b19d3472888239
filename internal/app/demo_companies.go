package app

import (
	"context"

	"verbless/internal/change"
	"verbless/internal/companies"
	"verbless/internal/field"
	"verbless/internal/ident"
)

// sampleCompanies fills the directory, and gives the uuid of the first.
func (a *App) sampleCompanies(ctx context.Context) (string, error) {
	acme := ident.New()
	count := func(n int64) *int64 { return &n }
	text := func(s string) *string { return &s }
	_, err := companies.Store(a.DB, Directory(a.settings, nil, a.log)).Put(ctx, change.System, []*companies.Company{
		{UUID: acme, Name: "Acme", Status: "active", Contact: &companies.Contact{Name: "Ann", Email: "ann@acme.example", Phone: "+41 31 555 01 00"}, Website: text("https://acme.example"),
			Industry: text("Anvils"), Employees: count(1200), Locations: &[]companies.Location{{Name: "Head office", City: "Bern", Country: "CH"}}, Metadata: field.Object("{}")},
		{Name: "Corner Bakery", Status: "active", Employees: count(4), Industry: text("Food"), Metadata: field.Object("{}")},
		{Name: "Old Mill", Status: "inactive", Metadata: field.Object("{}")},
	})
	return acme, err
}
