package companies

import (
	"context"

	"verbless/internal/rest"
)

// Locator is a system that keeps locations. It gives what it has in time, by uuid; missing tells whether any could not be had.
type Locator interface {
	Locate(ctx context.Context, uuids []string) (found map[string][]Location, missing bool)
}

// outside lets answers show what the other system keeps; nil when there is none.
func outside(l Locator) *rest.Outside[Company] {
	if l == nil {
		return nil
	}
	return &rest.Outside[Company]{Member: "locations", Load: func(ctx context.Context, rows []*Company) []rest.Warning {
		uuids := make([]string, len(rows))
		for i, row := range rows {
			uuids[i] = row.UUID
		}
		found, missing := l.Locate(ctx, uuids)
		for _, row := range rows {
			row.Locations = nil
			if list, ok := found[row.UUID]; ok {
				row.Locations = &list
			}
		}
		if !missing {
			return nil
		}
		return []rest.Warning{{Code: "locations_unavailable", Message: "Locations come from another system, which did not give all of them in time. Those that are null are unknown."}}
	}}
}
