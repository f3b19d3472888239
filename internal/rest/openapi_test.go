package rest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verbless/internal/describe"
	"verbless/internal/rest"
)

// TestDescribesWhatIsServed: the same paths and methods, and no others.
func TestDescribesWhatIsServed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := s.want(t, 200, "", "GET /openapi.json", "")
	a.has(t, "Content-Type", "application/json")
	listed := map[string][]string{}
	ids := map[string]string{}
	for pattern, item := range a.read(t)["paths"].(map[string]any) {
		listed[pattern] = []string{}
		for method, op := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			listed[pattern] = append(listed[pattern], strings.ToUpper(method))
			id := op.(map[string]any)["operationId"].(string)
			if other, taken := ids[id]; taken || id == "" {
				t.Errorf("%q is the id of %s %s and of %s", id, method, pattern, other)
			}
			ids[id] = method + " " + pattern
		}
		slices.Sort(listed[pattern])
	}
	if served := s.Served(); !maps.EqualFunc(listed, served, slices.Equal) {
		t.Errorf("listed %v\nserved %v", listed, served)
	}
}

// TestEveryPathAnswers: what is listed is routed, and asks for a token where the description says so.
func TestEveryPathAnswers(t *testing.T) {
	t.Parallel()
	s := serve(t)
	doc := s.want(t, 200, "", "GET /openapi.json", "").read(t)
	for pattern, item := range doc["paths"].(map[string]any) {
		path := strings.NewReplacer("{note}", nth(1), "{folder}", nth(1), "{line}", nth(1), "{edition}", "1", "{person}", "1", "{schema}", "note.json", "{problem}", "internal", "{file}", "main.js").Replace(pattern)
		for method, op := range item.(map[string]any) {
			if method == "parameters" {
				continue
			}
			_, public := op.(map[string]any)["security"]
			want := 401
			if public {
				want = 200
			}
			s.want(t, want, "", strings.ToUpper(method)+" "+path, "")
		}
	}
}

// TestEverySchemaCompiles under JSON Schema 2020-12, wherever in the description it stands.
func TestEverySchemaCompiles(t *testing.T) {
	t.Parallel()
	s := serve(t)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(s.want(t, 200, "", "GET /openapi.json", "").Body))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	count := 0
	eachSchema(doc, "", func(at string) {
		count++
		if _, err := compiler.Compile("openapi.json#" + at); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	})
	if count < 50 {
		t.Errorf("only %d schemas were found", count)
	}
}

// eachSchema finds the schemas of a description.
func eachSchema(v any, at string, found func(at string)) {
	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B")
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			here := at + "/" + escape.Replace(name)
			if name == "schema" || at == "/components/schemas" {
				found(here)
			} else {
				eachSchema(inner, here, found)
			}
		}
	case []any:
		for i, inner := range v {
			eachSchema(inner, at+"/"+strconv.Itoa(i), found)
		}
	}
}

// fromService loads schemas from the toy, and from nowhere else.
type fromService struct {
	t *testing.T
	s *toy
}

func (f fromService) Load(url string) (any, error) {
	if !strings.HasPrefix(url, base+"/") {
		return nil, errors.New(url + " is not ours")
	}
	a := f.s.want(f.t, 200, "", "GET "+url, "")
	return jsonschema.UnmarshalJSON(strings.NewReader(a.Body))
}

// TestSchemasStandAlone: each has an absolute $id where it is served, and its references lead to others that are.
func TestSchemasStandAlone(t *testing.T) {
	t.Parallel()
	s := serve(t)
	names := s.want(t, 200, "", "GET /openapi.json", "").at(t, "components.schemas").(map[string]any)
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(fromService{t, s})
	for name := range names {
		address := base + "/schemas/" + name + ".json"
		a := s.want(t, 200, "", "GET "+address, "")
		a.has(t, "Content-Type", "application/schema+json")
		if a.at(t, "$schema") != "https://json-schema.org/draft/2020-12/schema" || a.read(t)["$id"] != address {
			t.Errorf("%s: %v %v", name, a.at(t, "$schema"), a.read(t)["$id"])
		}
		if _, err := compiler.Compile(address); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{"/schemas/note", "/schemas/nope.json", "/schemas/.json", "/schemas/note.json.json", "/schemas"} {
		s.want(t, 404, "", "GET "+path, "")
	}
	note := compiler.MustCompile(base + "/schemas/note.json")
	s.want(t, 201, alice, "POST /notes", fullNote)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(s.want(t, 200, alice, "GET /notes/"+nth(1)+"?include=owner,folder,lines", "").Body))
	if err != nil || note.Validate(doc) != nil {
		t.Error(err, note.Validate(doc))
	}
}

// TestBodySchemas: what a client may send validates, and what it may not does not.
func TestBodySchemas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		schema, doc string
		ok          bool
	}{
		{"note_body", fullNote, true}, {"note_body", `{"title":"x"}`, true}, {"note_body", `{}`, false}, {"note_body", `{"title":"x","nope":1}`, false}, {"note_change", `{}`, true},
		{"note_change", `{"rank":101}`, false}, {"note", `{"title":"x"}`, false}, {"folder_body", `{"name":"x"}`, true}, {"page_links", `{"self":"https://x.test/"}`, true}, {"page_links", `{}`, false},
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(test.doc))
		if err != nil {
			t.Fatal(err)
		}
		if err := described()[test.schema].Validate(doc); (err == nil) != test.ok {
			t.Errorf("%s, %s: %v", test.schema, test.doc, err)
		}
	}
}

// TestDescriptionIsStable: two nodes, and two starts, say the same to the byte.
func TestDescriptionIsStable(t *testing.T) {
	t.Parallel()
	one, err := json.Marshal(describe.OpenAPI(serve(t).API))
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		two, err := json.Marshal(describe.OpenAPI(serve(t, func(o *rest.Options) { o.Base += "/" }).API))
		if err != nil || !bytes.Equal(one, two) {
			t.Fatal("the description differs", err)
		}
	}
}
