package apptest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verbless/internal/rest"
)

// Description is the service's OpenAPI document, ready to judge answers by.
type Description struct {
	Paths    map[string]map[string]any // pattern, then method in lower case
	doc      map[string]any
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
	d := Description{Paths: map[string]map[string]any{}, doc: doc.(map[string]any), mu: &sync.Mutex{}, compiled: map[string]*jsonschema.Schema{}}
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

// Check fails the test when an answer is not one that the description allows: its status, headers, media type and body.
func (d Description) Check(t testing.TB, r *http.Request, response *http.Response, body []byte) {
	t.Helper()
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
		return // a preflight asks for no resource, and what it is told is the same for all paths
	}
	pattern, method := d.Pattern(r.URL.Path), strings.ToLower(r.Method)
	operation, ok := d.Paths[pattern][method].(map[string]any)
	if !ok {
		// What is not there is refused in a way that no operation describes.
		if response.StatusCode != http.StatusNotFound && response.StatusCode != http.StatusMethodNotAllowed && response.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s %s answered %d, but is not described", r.Method, r.URL.Path, response.StatusCode)
		} else if len(body) > 0 {
			d.validate(t, r, "openapi.json#/components/schemas/problem", body)
		}
		return
	}
	status := strconv.Itoa(response.StatusCode)
	at := "openapi.json#/paths/" + escape(pattern) + "/" + method + "/responses/" + status
	described, known := operation["responses"].(map[string]any)[status].(map[string]any)
	if !known {
		t.Errorf("%s %s: status %d is not described\n%s", r.Method, pattern, response.StatusCode, body)
		return
	}
	if reference, ok := described["$ref"].(string); ok {
		at, described = "openapi.json"+reference, d.part(reference)
	}
	d.checkHeaders(t, r, described, response)
	if len(body) == 0 {
		return
	}
	mediaType := response.Header.Get("Content-Type")
	content, _ := described["content"].(map[string]any)
	plain, _, _ := strings.Cut(mediaType, ";")
	var media map[string]any
	for _, name := range []string{mediaType, plain, rest.Any} {
		if media == nil {
			media, ok = content[name].(map[string]any)
		}
	}
	switch {
	case !ok:
		t.Errorf("%s %s: %d as %s is not described", r.Method, pattern, response.StatusCode, mediaType)
	case media["schema"] != nil && strings.HasSuffix(mediaType, "json"):
		d.validate(t, r, at+"/content/"+escape(mediaType)+"/schema", body)
	}
}

// framing are the headers of HTTP itself, which no description names.
var framing = []string{"Connection", "Content-Length", "Content-Type", "Date", "Transfer-Encoding"}

func (d Description) checkHeaders(t testing.TB, r *http.Request, described map[string]any, response *http.Response) {
	t.Helper()
	headers := map[string]bool{}
	described, _ = described["headers"].(map[string]any)
	for name, h := range described {
		header := h.(map[string]any)
		if reference, ok := header["$ref"].(string); ok {
			header = d.part(reference)
		}
		headers[http.CanonicalHeaderKey(name)] = true
		if header["required"] == true && response.Header.Get(name) == "" {
			t.Errorf("%s %s: %d has no header %s", r.Method, r.URL.Path, response.StatusCode, name)
		}
	}
	for name := range response.Header {
		if !headers[name] && !slices.Contains(framing, name) {
			t.Errorf("%s %s: %d has the header %s, which is not described", r.Method, r.URL.Path, response.StatusCode, name)
		}
	}
}

// Parameters are those of an operation, by their names.
func (d Description) Parameters(pattern, method string) map[string]map[string]any {
	found := map[string]map[string]any{}
	for _, p := range d.Paths[pattern][method].(map[string]any)["parameters"].([]any) {
		param := p.(map[string]any)
		if reference, ok := param["$ref"].(string); ok {
			param = d.part(reference)
		}
		found[param["name"].(string)] = param
	}
	return found
}

// part is what a reference of the description leads to.
func (d Description) part(reference string) map[string]any {
	part := d.doc
	for _, name := range strings.Split(strings.TrimPrefix(reference, "#/"), "/") {
		part, _ = part[name].(map[string]any)
	}
	return part
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
