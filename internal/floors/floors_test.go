package floors

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors is the table. A package may import those that stand lower, never its neighbours.
var floors = [][]string{
	0: {"internal/fault", "internal/stamp", "internal/ident", "internal/query", "internal/jsondoc", "internal/lite", "internal/secret", "internal/lend", "internal/metric", "internal/trace",
		"internal/coding", "internal/cors", "internal/forward", "internal/limit", "internal/certs", "internal/pages"},
	1: {"internal/change", "internal/config", "internal/field", "internal/db", "internal/money", "internal/shape", "internal/header", "internal/cursor", "internal/problem", "internal/cell", "internal/onetime", "internal/trip", "internal/issuer", "internal/meter", "internal/blob/s3", "internal/blob/lock"},
	2: {"internal/rest", "internal/table", "internal/search", "internal/blob", "internal/fetch", "internal/picture", "internal/gateway", "internal/mail"},
	3: {"internal/auth", "internal/outbox", "internal/replay", "internal/neighbour", "internal/describe"},
	4: {"internal/avatars", "internal/uploads", "internal/articles", "internal/messages", "internal/invoices", "internal/companies"},
	5: {"internal/app", "internal/console"},
	6: {"cmd/verbless"},
}

// module starts the import path of every package of ours.
const module = "verbless/"

// pkg is one folder with Go files, for whatever system they are built.
type pkg struct {
	name       string // the path inside the module
	dir        string
	production []string // names of files that are not tests
	tests      []string
	imports    []string // of production files
}

// testSupport tells whether a package exists for tests alone: dbtest and what lies below it, for example.
func testSupport(name string) bool {
	if name == "internal/transcript" || name == "internal/floors" || name == "internal/faults" {
		return true
	}
	for ; name != "."; name = path.Dir(name) {
		if strings.HasSuffix(name, "test") {
			return true
		}
	}
	return false
}

// floor is where a package stands, or -1.
func floor(name string) int {
	return slices.IndexFunc(floors, func(names []string) bool { return slices.Contains(names, name) })
}

// importFaults says what is wrong with where a package stands and what it imports.
func importFaults(p pkg) []string {
	name, own := p.name, floor(p.name)
	if testSupport(name) {
		return nil
	}
	if own < 0 {
		return []string{fmt.Sprintf("%s is on no floor; give it a place in the table of internal/floors/floors_test.go", name)}
	}
	var faults []string
	for _, imported := range p.imports {
		other, ours := strings.CutPrefix(imported, module)
		switch at := floor(other); {
		case !ours:
		case testSupport(other):
			faults = append(faults, fmt.Sprintf("%s imports %s, which is for tests", name, other))
		case at < 0:
			faults = append(faults, fmt.Sprintf("%s imports %s, which is on no floor", name, other))
		case at >= own:
			faults = append(faults, fmt.Sprintf("%s (floor %d) imports %s (floor %d)", name, own, other, at))
		}
	}
	return faults
}

// load reads every package below a folder of the module. It reads the files itself, and not through the go command,
// so that the test cache knows what this test depends on.
func load(t *testing.T, root, below string) []pkg {
	t.Helper()
	found := map[string]*pkg{}
	err := filepath.WalkDir(filepath.Join(root, below), func(file string, entry fs.DirEntry, err error) error {
		if below == "cmd" && errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll // a library so far
		}
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		dir := filepath.Dir(file)
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		if found[dir] == nil {
			found[dir] = &pkg{name: filepath.ToSlash(name), dir: dir}
		}
		return found[dir].add(file)
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[dir])
	}
	return all
}

// add takes one more file into the package.
func (p *pkg) add(file string) error {
	if strings.HasSuffix(file, "_test.go") {
		p.tests = append(p.tests, filepath.Base(file))
		return nil
	}
	p.production = append(p.production, filepath.Base(file))
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if !slices.Contains(p.imports, imported) {
			p.imports = append(p.imports, imported)
		}
	}
	return nil
}

func TestTheTree(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil || !strings.HasPrefix(string(text), "module "+strings.TrimSuffix(module, "/")+"\n") {
		t.Fatalf("the module is not called %s any more, so nothing below would be ours: %v", module, err)
	}
	all := slices.Concat(load(t, "../..", "internal"), load(t, "../..", "cmd"))
	if len(all) < 5 {
		t.Fatalf("found only %d packages", len(all))
	}
	for _, p := range all {
		for _, fault := range slices.Concat(importFaults(p), codeFaults(t, p)) {
			t.Error(fault)
		}
	}
}

func TestImportRules(t *testing.T) {
	tests := []struct {
		from, to string
		fault    string
	}{
		{"internal/rest", "internal/fault", ""},
		{"internal/rest", "fmt", ""},
		{"internal/rest", "github.com/go-chi/chi/v5", ""},
		{"cmd/verbless", "internal/app", ""},
		{"internal/rest", "internal/table", "internal/rest (floor 2) imports internal/table (floor 2)"},
		{"internal/fault", "internal/stamp", "internal/fault (floor 0) imports internal/stamp (floor 0)"},
		{"internal/invoices", "internal/companies", "internal/invoices (floor 4) imports internal/companies (floor 4)"},
		{"internal/auth", "internal/outbox", "internal/auth (floor 3) imports internal/outbox (floor 3)"},
		{"internal/change", "internal/app", "internal/change (floor 1) imports internal/app (floor 5)"},
		{"internal/db", "internal/db/dbtest", "internal/db imports internal/db/dbtest, which is for tests"},
		{"internal/app", "internal/transcript", "internal/app imports internal/transcript, which is for tests"},
		{"internal/app", "bench", "internal/app imports bench, which is on no floor"},
		{"internal/helpers", "fmt", "internal/helpers is on no floor; give it a place in the table of internal/floors/floors_test.go"},
		{"internal/db/sqlite", "fmt", "internal/db/sqlite is on no floor; give it a place in the table of internal/floors/floors_test.go"},
		{"internal/db/dbtest", "internal/app", ""},
		{"internal/db/dbtest/cmd/withpostgres", "internal/db/dbtest", ""},
		{"internal/transcript", "internal/app", ""},
	}
	for _, test := range tests {
		p := pkg{name: test.from, imports: []string{test.to}}
		if strings.HasPrefix(test.to, "internal/") || test.to == "bench" {
			p.imports[0] = module + test.to
		}
		if got := strings.Join(importFaults(p), "\n"); got != test.fault {
			t.Errorf("%s imports %s: got %q, want %q", test.from, test.to, got, test.fault)
		}
	}
}

func TestLoadReadsProductionImports(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"internal/a/a.go":            "package a\n\nimport _ \"verbless/internal/b\"\n",
		"internal/a/a_windows.go":    "package a\n\nimport _ \"verbless/internal/c\"\n",
		"internal/a/a_test.go":       "package a\n\nimport _ \"verbless/internal/d\"\n",
		"internal/a/testdata/x.go":   "package x\n",
		"internal/a/schema/0001.sql": "select 1\n",
	} {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	all := slices.Concat(load(t, root, "internal"), load(t, root, "cmd"))
	want := pkg{name: "internal/a", dir: filepath.Join(root, "internal/a"), production: []string{"a.go", "a_windows.go"}, tests: []string{"a_test.go"}, imports: []string{"verbless/internal/b", "verbless/internal/c"}}
	if len(all) != 1 || !reflect.DeepEqual(all[0], want) {
		t.Errorf("got %+v", all)
	}
}
