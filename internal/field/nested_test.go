package field

import (
	"reflect"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

type nestedRow struct {
	ID    string   `json:"id" db:"id,key" readOnly:"true"`
	Place *place   `json:"place" db:"place" partial:"place"`
	Stops *[]place `json:"stops" db:"stops" default:"[]" maxItems:"2" partial:"full"`
}

type place struct {
	City string `json:"city" required:"true" minLength:"1"`
	Code string `json:"code" default:""`
}

func TestNested(t *testing.T) {
	m := NewModel("row", reflect.TypeFor[nestedRow]())
	tests := []struct{ in, want, pointer string }{
		{`{}`, `{"id":"","place":null,"stops":[]}`, ""},
		{`{"place":{"city":"Bern"},"stops":[{"city":"Thun","code":"3600"}]}`, `{"id":"","place":{"city":"Bern","code":""},"stops":[{"city":"Thun","code":"3600"}]}`, ""},
		{`{"place":null,"stops":null}`, `{"id":"","place":null,"stops":null}`, ""},
		{`{"place":{}}`, "", "/place/city"},
		{`{"place":{"city":"Bern","zip":1}}`, "", "/place/zip"},
		{`{"place":[]}`, "", "/place"},
		{`{"stops":[{"city":"Bern"},{"city":1}]}`, "", "/stops/1/city"},
		{`{"stops":[{},{},{}]}`, "", "/stops"},
	}
	for _, test := range tests {
		doc, err := jsondoc.Parse([]byte(test.in))
		if err != nil {
			t.Fatal(err)
		}
		row := m.New()
		var bad fault.List
		m.Fill(row, nil, doc, "", false, &bad)
		if test.pointer != "" {
			if f := fault.As(bad.Err()); bad.Len() != 1 || f.Parts[0].Pointer != test.pointer {
				t.Errorf("%s: %v", test.in, bad.Err())
			}
			continue
		}
		if got := string(jsondoc.Append(nil, m.Tree(row, true))); bad.Len() > 0 || got != test.want {
			t.Errorf("%s: got %s (%v), want %s", test.in, got, bad.Err(), test.want)
		}
	}
	if got := m.Partials(); !reflect.DeepEqual(got, []string{"place", "full"}) {
		t.Errorf("partials: %v", got)
	}
}
