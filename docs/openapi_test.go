package docs

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"verbless/internal/app"
	"verbless/internal/config"
)

// TestDescription: openapi.json is what the service says of itself, at an address of our choice.
func TestDescription(t *testing.T) {
	s := config.Default()
	s.BaseURL = "https://verbless.example"
	doc := app.Describe(s)
	doc["info"].(map[string]any)["version"] = "dev"
	var fresh bytes.Buffer
	out := json.NewEncoder(&fresh)
	out.SetIndent("", " ")
	out.SetEscapeHTML(false)
	if err := out.Encode(doc); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile("openapi.json")
	if err == nil && bytes.Equal(old, fresh.Bytes()) {
		return
	}
	if !*update {
		t.Fatal("openapi.json is stale; run go test ./docs -update", err)
	}
	if err := os.WriteFile("openapi.json", fresh.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
