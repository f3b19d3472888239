package field_test

import (
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/jsondoc"
)

// TestAddresses: what the judgement takes for an address is what a validator of JSON Schema takes for one.
func TestAddresses(t *testing.T) {
	type place struct {
		ID   string `json:"id" db:"id,key" readOnly:"true"`
		Site string `json:"site" db:"site" format:"uri" required:"true"`
	}
	m := field.NewModel("place", reflect.TypeFor[place]())
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("uri.json", map[string]any{"type": "string", "format": "uri"}); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("uri.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"https://example.com/a?b#c": true, "ftp://x": true, "mailto:a@b.c": true, "urn:x:y": true, "http://[::1]/": true,
		"": false, "x": false, "/a": false, "//host/a": false, "http://a b/": false, "http://[::1/": false, "%zz://x": false, "http://x/%zz": false, ":": false,
	} {
		var bad fault.List
		m.Fill(m.New(), nil, jsondoc.NewObject(jsondoc.Member{Name: "site", Value: text}), "", false, &bad)
		if (bad.Len() == 0) != want || (schema.Validate(text) == nil) != want {
			t.Errorf("%q: %v, the validator says %v", text, bad.Err(), schema.Validate(text))
		}
	}
}
