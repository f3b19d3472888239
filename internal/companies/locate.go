package companies

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/jsondoc"
	"verbless/internal/neighbour"
)

// Ask is the Locator that asks another system, in the words of docs/locations.md.
func Ask(o neighbour.Options[[]Location]) Locator {
	o.Parameter, o.Member, o.Decode = "companies", "locations", believe()
	if o.Now == nil {
		o.Now = time.Now
	}
	return asker{neighbour.New(o)}
}

type asker struct {
	*neighbour.Client[[]Location]
}

func (a asker) Locate(ctx context.Context, uuids []string) (map[string][]Location, bool) {
	return a.Get(ctx, uuids)
}

// believe judges what another system says by the rules that hold for a body here. Members that we do not know are left out.
func believe() func(text json.RawMessage) ([]Location, error) {
	model := field.NewModel("company", reflect.TypeFor[Company]())
	return func(text json.RawMessage) ([]Location, error) {
		list := []Location{}
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, err
		}
		plain, err := json.Marshal(map[string]any{"name": "x", "locations": list})
		if err != nil {
			return nil, err
		}
		doc, err := jsondoc.Parse(plain)
		if err != nil {
			return nil, err
		}
		var bad fault.List
		row := new(Company)
		if model.Fill(reflect.ValueOf(row).Elem(), nil, doc, "", false, &bad); bad.Len() > 0 || row.Locations == nil {
			return nil, fault.New(fault.ValidationFailed, "These are not locations.")
		}
		return *row.Locations, nil
	}
}
