package app_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verbless/internal/apptest"
)

// fromService loads schemas from the service, and from nowhere else.
type fromService struct {
	t *testing.T
	s *apptest.Server
}

func (f fromService) Load(url string) (any, error) {
	if !strings.HasPrefix(url, f.s.URL+"/schemas/") {
		return nil, fmt.Errorf("%s is not ours", url)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(f.s.Want(f.t, 200, "", "GET "+url, "").Body))
}

// TestSchemas: every schema of the description is served under its own absolute $id, is one of 2020-12, and leads only to others.
func TestSchemas(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		compiler := jsonschema.NewCompiler()
		compiler.UseLoader(fromService{t, s})
		names, _ := s.Want(t, 200, "", "GET /openapi.json", "").Get("components.schemas").(map[string]any)
		if len(names) < 30 {
			t.Fatalf("only %d schemas", len(names))
		}
		for name := range names {
			address := s.URL + "/schemas/" + name + ".json"
			a := s.Want(t, 200, "", "GET "+address, "")
			if a.Get("$id") != address || a.Get("$schema") != "https://json-schema.org/draft/2020-12/schema" || a.Header.Get("Content-Type") != "application/schema+json" {
				t.Errorf("%s: %v %v as %s", name, a.Get("$id"), a.Get("$schema"), a.Header.Get("Content-Type"))
			}
			if _, err := compiler.Compile(address); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		id := s.Want(t, 201, s.Alice, "POST /invoices", fmt.Sprintf(draft, "schema")).Text("data.id")
		invoice := s.Want(t, 200, s.Alice, "GET /invoices/"+id+"?include=owner", "")
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(invoice.Body))
		if err != nil {
			t.Fatal(err)
		}
		if schema, err := compiler.Compile(invoice.Text("schema")); err != nil || schema.Validate(doc) != nil {
			t.Errorf("an invoice and the schema it names: %v %v", err, schema.Validate(doc))
		}
	})
}
