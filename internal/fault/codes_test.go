package fault

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// constants reads from the source the constants of a type, by name.
func constants(t *testing.T, kind string) map[string]string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, declaration := range tree.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			if name, ok := value.Type.(*ast.Ident); !ok || name.Name != kind {
				continue
			}
			text, err := strconv.Unquote(value.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found[value.Names[0].Name] = text
		}
	}
	return found
}

// TestListIsClosed: every constant is in Codes, once, and Codes holds nothing else.
func TestListIsClosed(t *testing.T) {
	t.Parallel()
	codes := constants(t, "Code")
	if len(codes) < 30 {
		t.Fatalf("only %d constants were found", len(codes))
	}
	if len(codes) != len(Codes) || len(byCode) != len(Codes) {
		t.Errorf("%d constants, %d in the list, %d of them different", len(codes), len(Codes), len(byCode))
	}
	for name, code := range codes {
		if info, ok := Lookup(Code(code)); !ok || info.Code != Code(code) {
			t.Errorf("%s (%s) is not in Codes", name, code)
		}
	}
	if _, ok := Lookup("nope"); ok {
		t.Error("an unknown code was found")
	}
}

// TestEveryCodeIsExplained in words for people.
func TestEveryCodeIsExplained(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	titles := map[string]Code{}
	for _, info := range Codes {
		if !name.MatchString(string(info.Code)) {
			t.Errorf("%s is not in small letters and underscores", info.Code)
		}
		if info.Title == "" || strings.HasSuffix(info.Title, ".") || !strings.HasSuffix(info.Help, ".") {
			t.Errorf("%s: %q, %q", info.Code, info.Title, info.Help)
		}
		if other, taken := titles[info.Title]; taken {
			t.Errorf("%s and %s have one title", info.Code, other)
		}
		titles[info.Title] = info.Code
		if info.Kind < KindInvalid || info.Kind > KindUnavailable {
			t.Errorf("%s is of no kind", info.Code)
		}
	}
}
