package jsondoc

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestPublicSuite runs the public test suite of RFC 6902, version 1.1.0, with the cases that it marks as disabled.
func TestPublicSuite(t *testing.T) {
	folder, named := suiteFolder(t)
	if _, err := os.Stat(folder); err != nil && !named {
		report := t.Skipf
		if os.Getenv("VERBLESS_TEST_REQUIRE") == "1" {
			report = t.Fatalf
		}
		report("THE PUBLIC JSON PATCH SUITE DID NOT RUN: %v. `make test` installs it; or unpack the npm package "+
			"json-patch-test-suite 1.1.0 and name its folder in VERBLESS_JSON_PATCH_SUITE.", err)
	}
	for file, enabled := range map[string]int{"spec_tests.json": 16, "tests.json": 75} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			if ran := runSuite(t, data); ran < enabled {
				t.Errorf("only %d enabled cases ran, want at least %d", ran, enabled)
			}
		})
	}
}

// suiteFolder is where the suite should be, and whether someone said so.
func suiteFolder(t *testing.T) (folder string, named bool) {
	if folder := os.Getenv("VERBLESS_JSON_PATCH_SUITE"); folder != "" {
		return folder, true
	}
	root, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
			return filepath.Join(root, ".cache", "npm", "node_modules", "json-patch-test-suite"), false
		}
		if root == filepath.Dir(root) {
			break
		}
		root = filepath.Dir(root)
	}
	t.Fatalf("no go.mod above this folder (%v)", err)
	return "", false
}

// runSuite gives the number of enabled cases. The file itself has repeated members, which Parse refuses.
func runSuite(t *testing.T, data []byte) (enabled int) {
	var cases []struct {
		Comment              string
		Doc, Patch, Expected json.RawMessage
		Error                string
		Disabled             bool
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		if c.Patch == nil {
			continue
		}
		t.Run(fmt.Sprintf("%d %s", i, c.Comment), func(t *testing.T) {
			doc := must(t, string(c.Doc))
			before := show(doc)
			got, err := applyText(doc, c.Patch)
			switch {
			case c.Error != "" && err == nil:
				t.Errorf("%s on %s gives %s, want an error: %s", c.Patch, c.Doc, show(got), c.Error)
			case c.Error == "" && err != nil:
				t.Errorf("%s on %s: %v", c.Patch, c.Doc, err)
			case c.Expected != nil && !Equal(got, must(t, string(c.Expected))):
				t.Errorf("%s on %s gives %s, want %s", c.Patch, c.Doc, show(got), c.Expected)
			}
			if show(doc) != before {
				t.Errorf("the document was changed to %s", show(doc))
			}
		})
		if !c.Disabled {
			enabled++
		}
	}
	return enabled
}

func applyText(doc any, text []byte) (any, error) {
	v, err := Parse(text)
	if err != nil {
		return nil, err
	}
	patch, err := ParsePatch(v)
	if err != nil {
		return nil, err
	}
	return patch.Apply(doc)
}
