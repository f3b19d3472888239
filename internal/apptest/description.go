package apptest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Description is the service's OpenAPI document, ready to judge answers by.
type Description struct {
	Paths    map[string]map[string]any // pattern, then method in lower case
	mu       *sync.Mutex
	strict   *jsonschema.Compiler
	sparse   *jsonschema.Compiler // for answers that leave members out because fields= asked for it
	compiled map[string]*jsonschema.Schema
}

func read(t testing.TB, openapi map[string]any) Description {
	t.Helper()
	text, err := json.Marshal(openapi)
	if err != nil {
		t.Fatal(err)
	}
	load := func() any {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	doc := load()
	d := Description{Paths: map[string]map[string]any{}, mu: &sync.Mutex{}, compiled: map[string]*jsonschema.Schema{}}
	for pattern, item := range doc.(map[string]any)["paths"].(map[string]any) {
		d.Paths[pattern] = item.(map[string]any)
	}
	compiler := func(doc any) *jsonschema.Compiler {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		c.AssertFormat()
		if err := c.AddResource("openapi.json", doc); err != nil {
			t.Fatal(err)
		}
		return c
	}
	d.strict, d.sparse = compiler(doc), compiler(withoutRequired(load()))
	return d
}

func withoutRequired(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, list := v["required"].([]any); list {
			delete(v, "required")
		}
		for _, inner := range v {
			withoutRequired(inner)
		}
	case []any:
		for _, inner := range v {
			withoutRequired(inner)
		}
	}
	return v
}

// Pattern finds the described path that a real one belongs to; literal parts win over parameters.
func (d Description) Pattern(path string) string {
	best, literals := "", -1
	parts := strings.Split(path, "/")
	for pattern := range d.Paths {
		wants := strings.Split(pattern, "/")
		n := 0
		if len(wants) != len(parts) {
			continue
		}
		for i, want := range wants {
			if want == parts[i] {
				n++
			} else if !strings.HasPrefix(want, "{") {
				n = -1
				break
			}
		}
		if n > literals {
			best, literals = pattern, n
		}
	}
	return best
}

// Check fails the test when an answer is not one that the description allows.
func (d Description) Check(t testing.TB, r *http.Request, response *http.Response, body []byte) {
	t.Helper()
	pattern := d.Pattern(r.URL.Path)
	method := strings.ToLower(r.Method)
	if method == "head" {
		method = "get"
	}
	if pattern == "" || d.Paths[pattern][method] == nil {
		if response.StatusCode < 400 && r.Method != http.MethodOptions {
			t.Errorf("%s %s answered %d, but is not described", r.Method, r.URL.Path, response.StatusCode)
		}
		return
	}
	mediaType := response.Header.Get("Content-Type")
	at := "openapi.json#/paths/" + escape(pattern) + "/" + method + "/responses/" + strconv.Itoa(response.StatusCode)
	responses := d.Paths[pattern][method].(map[string]any)["responses"].(map[string]any)
	described, known := responses[strconv.Itoa(response.StatusCode)].(map[string]any)
	if !known {
		t.Errorf("%s %s: status %d is not described\n%s", r.Method, pattern, response.StatusCode, body)
		return
	}
	if len(body) == 0 {
		return
	}
	if described["$ref"] != nil {
		at = "openapi.json#/components/responses/problem"
	} else if content, ok := described["content"].(map[string]any); !strings.HasSuffix(mediaType, "json") && ok && (content[mediaType] != nil || content["*/*"] != nil) {
		return // bytes that no schema describes
	}
	d.validate(t, r, at+"/content/"+escape(mediaType)+"/schema", body)
}

func (d Description) validate(t testing.TB, r *http.Request, at string, body []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Errorf("%s %s: the answer is not JSON: %v", r.Method, r.URL, err)
		return
	}
	schema, err := d.schema(at, r.URL.Query().Has("fields"))
	if err != nil {
		t.Errorf("%s %s: %v", r.Method, r.URL, err)
	} else if err := schema.Validate(doc); err != nil {
		t.Errorf("%s %s: the answer is not as described: %v\n%s", r.Method, r.URL, err, body)
	}
}

func (d Description) schema(at string, sparse bool) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := strconv.FormatBool(sparse) + at
	if s := d.compiled[key]; s != nil {
		return s, nil
	}
	compiler := d.strict
	if sparse {
		compiler = d.sparse
	}
	s, err := compiler.Compile(at)
	d.compiled[key] = s
	return s, err
}

// escape writes a name as a part of a JSON pointer in a fragment.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B").Replace(name)
}
