package rest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verbless/internal/describe"
)

// described is the toy's own description, compiled once: all toys have the same.
var described = sync.OnceValue(func() map[string]*jsonschema.Schema {
	t := &testing.T{}
	text, err := json.Marshal(describe.OpenAPI(serve(t).API))
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		panic(err)
	}
	compiled := map[string]*jsonschema.Schema{}
	for name := range doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any) {
		compiled[name] = compiler.MustCompile("openapi.json#/components/schemas/" + name)
	}
	return compiled
})

// checkSchema holds an answer against the schema of what it shows, unless the caller asked for less than all of it.
func (a answer) checkSchema(t testing.TB, r *http.Request) {
	t.Helper()
	name := "problem"
	if a.Status < 400 {
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		name = map[string]string{"notes": "note", "folders": "folder", "lines": "line", "editions": "edition", "people": "person"}[parts[(len(parts)-1)/2*2]]
	}
	if a.Body == "" || name == "" || r.Method == http.MethodOptions || r.URL.Query().Has("fields") {
		return
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Body))
	if err != nil {
		t.Errorf("%s: the answer is no JSON: %v\n%s", a.call, err, a.Body)
		return
	}
	for _, one := range ones(doc.(map[string]any)) {
		if err := described()[name].Validate(one); err != nil {
			t.Errorf("%s (%d): the answer is not as described: %v\n%s", a.call, a.Status, err, a.Body)
		}
	}
}

// ones takes the resources out of their shape.
func ones(doc map[string]any) []any {
	for _, many := range []string{"notes", "folders", "lines", "editions", "people"} {
		if list, ok := doc[many].([]any); ok && doc["id"] == nil {
			return list
		}
	}
	if one, ok := doc["folder"]; ok && doc["id"] == nil {
		return []any{one}
	}
	return []any{doc}
}
