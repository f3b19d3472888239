package floors

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	fileLines    = 300
	packageLines = 1500
	restLines    = 3500 // every convention of the API, one per file
	dbLines      = 2000 // two engines, and the only place where they differ
)

// floats are the words by which a float can enter, with the functions that make one without naming its type.
var floats = []string{"float32", "float64", "Float", "Float32", "Float64", "ParseFloat", "FormatFloat", "AppendFloat"}

// codeFaults says what is wrong with the files of a package.
func codeFaults(t *testing.T, p pkg) []string {
	t.Helper()
	name := p.name
	if testSupport(name) {
		return nil
	}
	var faults []string
	total := 0
	for _, file := range p.production {
		lines, found := fileFaults(t, filepath.Join(p.dir, file), name+"/"+file)
		total += lines
		faults = append(faults, found...)
	}
	most := packageLines
	switch name {
	case "internal/rest":
		most = restLines
	case "internal/db":
		most = dbLines
	}
	if total > most {
		faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d: which idea is missing?", name, total, most))
	}
	if name == "internal/invoices" || name == "internal/money" {
		for _, file := range slices.Concat(p.production, p.tests) {
			faults = append(faults, floatFaults(t, filepath.Join(p.dir, file), name+"/"+file)...)
		}
	}
	return faults
}

func fileFaults(t *testing.T, path, name string) (lines int, faults []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines = bytes.Count(text, []byte("\n"))
	if lines > fileLines {
		faults = append(faults, fmt.Sprintf("%s has %d lines, more than %d: which idea is missing?", name, lines, fileLines))
	}
	tree, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return lines, append(faults, err.Error())
	}
	for _, declaration := range tree.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			faults = append(faults, fmt.Sprintf("%s has a func init: say in the open who calls whom", name))
		}
	}
	return lines, faults
}

func floatFaults(t *testing.T, path, name string) []string {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	var faults []string
	ast.Inspect(tree, func(n ast.Node) bool {
		if word, ok := n.(*ast.Ident); ok && slices.Contains(floats, word.Name) {
			faults = append(faults, fmt.Sprintf("%s:%d: %s: money is counted in minor units", name, set.Position(word.Pos()).Line, word.Name))
		}
		return true
	})
	return faults
}

func TestCodeRules(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good.go", "package p\n\n// init and float64 in a comment are words\nfunc (t T) init() {}\n\ntype T struct{}\n"+strings.Repeat("\n", fileLines-6))
	write("long.go", "package p\n"+strings.Repeat("\n", fileLines))
	write("init.go", "package p\n\nfunc init() {}\n")
	write("money.go", "package p\n\nimport \"strconv\"\n\nfunc f(x float64) { strconv.ParseFloat(\"1\", 64) }\n")
	write("money_test.go", "package p\n\nvar y float32\n")

	p := pkg{name: "internal/invoices", dir: dir, production: []string{"good.go", "init.go", "long.go", "money.go"}, tests: []string{"money_test.go"}}
	want := []string{
		"internal/invoices/init.go has a func init: say in the open who calls whom",
		"internal/invoices/long.go has 301 lines, more than 300: which idea is missing?",
		"internal/invoices/money.go:5: float64: money is counted in minor units",
		"internal/invoices/money.go:5: ParseFloat: money is counted in minor units",
		"internal/invoices/money_test.go:3: float32: money is counted in minor units",
	}
	if got := codeFaults(t, p); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}

	p.name, p.production = "internal/articles", slices.Repeat([]string{"good.go"}, 5)
	if got := codeFaults(t, p); len(got) != 0 {
		t.Errorf("1500 lines: got %s", got)
	}
	p.production = append(p.production, "money.go")
	if got := codeFaults(t, p); !slices.Equal(got, []string{"internal/articles has 1505 lines, more than 1500: which idea is missing?"}) {
		t.Errorf("1505 lines: got %s", got)
	}
	p.name = "internal/rest"
	if got := codeFaults(t, p); len(got) != 0 {
		t.Errorf("rest: got %s", got)
	}
}
