package field

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func nothing(string) bool { return false }

// compiled is a schema of thing as a client would use it.
func compiled(p Purpose) *jsonschema.Schema {
	text, err := json.Marshal(things.Schema(p, nothing))
	if err != nil {
		panic(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("thing.json", doc); err != nil {
		panic(err)
	}
	return compiler.MustCompile("thing.json")
}

var schemas = sync.OnceValue(func() map[Purpose]*jsonschema.Schema {
	return map[Purpose]*jsonschema.Schema{Answer: compiled(Answer), Body: compiled(Body), Patch: compiled(Patch)}
})

// validates tells whether a schema takes the document.
func validates(t interface{ Fatal(...any) }, p Purpose, doc any) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text(doc)))
	if err != nil {
		t.Fatal(err)
	}
	return schemas()[p].Validate(value)
}

// TestDeliberateDifferences: the few that there are, each by an example.
func TestDeliberateDifferences(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{`{"name":"x","size":1.0}`, `{"name":"x","size":1e0}`, `{"name":"x","count":9223372036854775808}`, `{"name":"a\u0000"}`, `{"name":"x","at":"2026-02-30 00:00:00Z"}`,
		`{"name":"x","mail":"nobody"}`, `{"name":"x","free":{"a":"1234567890123456789012345678901234567890123456789012345"}}`, `{"name":"x","id":"mine"}`} {
		if err := validates(t, Body, must(t, doc)); err != nil {
			t.Errorf("%s: the schema does not take it any more: %v", doc, err)
		}
		if _, err := born(t, must(t, doc)); err == nil {
			t.Errorf("%s: Fill takes it now", doc)
		}
	}
}

func TestSchemaWords(t *testing.T) {
	t.Parallel()
	schema, err := json.Marshal(things.Schema(Body, func(name string) bool { return name == "nick" }))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(schema, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"id":     `{"readOnly":true,"type":"string"}`,
		"name":   `{"description":"How it is called.","examples":["Box"],"maxLength":5,"minLength":1,"type":"string"}`,
		"nick":   `{"default":null,"deprecated":true,"pattern":"^[a-zé]*$","type":["string","null"]}`,
		"color":  `{"default":"red","enum":["red","blue"],"type":"string"}`,
		"shade":  `{"anyOf":[{"enum":["light","dark"],"type":"string"},{"type":"null"}],"default":null}`,
		"size":   `{"default":0,"maximum":50,"minimum":-5,"type":"integer"}`,
		"weight": `{"default":null,"minimum":1,"type":["integer","null"]}`,
		"on":     `{"default":false,"type":"boolean"}`,
		"tags":   `{"default":[],"items":{"maxLength":3,"minLength":1,"type":"string"},"maxItems":3,"type":"array","uniqueItems":true}`,
		"words":  `{"default":["one"],"items":{"enum":["one","two"],"type":"string"},"maxItems":1000,"type":"array"}`,
		"free":   `{"additionalProperties":true,"default":{},"type":"object"}`,
		"mail":   `{"default":"a@b.c","format":"email","type":"string"}`,
		"mood":   `{"default":"good","enum":["good","bad"],"type":"string"}`,
		"links":  `{"additionalProperties":false,"properties":{"other":{"description":"Identifier of the other.","type":["string","null"]},"owner":{"description":"Identifier of the owner.","type":["string","null"]}},"readOnly":true,"required":["owner","other"],"type":"object"}`,
	} {
		if string(got.Properties[name]) != want {
			t.Errorf("%s: %s\nwant %s", name, got.Properties[name], want)
		}
	}
	if !reflect.DeepEqual(got.Required, []string{"name"}) {
		t.Errorf("required: %q", got.Required)
	}
	if required := things.Schema(Answer, nothing)["required"].([]string); len(required) != len(things.Fields) { // all but the private one, and links
		t.Errorf("an answer requires %q", required)
	}
	if required := things.Schema(Patch, nothing)["required"]; required != nil {
		t.Errorf("a patch requires %q", required)
	}
}
