package companies

import (
	"context"
	"embed"
	"strconv"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/table"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the table of companies.
func Migrations() db.Migrations { return db.Embedded("companies", files) }

// Store is the store of companies.
func Store(d *db.DB, o Options) *table.Table[Company] {
	return table.New(d, table.Config[Company]{
		Name: "companies", Rule: rule(o.Locations != nil),
		Derived: map[string]string{"enterprise": `COALESCE("employee_count", 0) >= ` + strconv.Itoa(o.EnterpriseSize)},
		After: func(_ context.Context, _ *db.Tx, c *change.Change[Company]) error { // what was derived when it was read may have changed
			if c.Now != nil {
				c.Now.Enterprise = enterprise(c.Now.Employees, o.EnterpriseSize)
			}
			return nil
		},
	})
}
