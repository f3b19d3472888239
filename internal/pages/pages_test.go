package pages_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verbless/internal/pages"
)

// TestFilesAreServed, each with its type, and nothing but those.
func TestFilesAreServed(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("assets")
	if err != nil || len(entries) < 5 {
		t.Fatal(entries, err)
	}
	for _, entry := range entries {
		want, _ := os.ReadFile("assets/" + entry.Name())
		mediaType, body, ok := pages.File(entry.Name())
		if !ok || string(body) != string(want) || !slices.Contains(pages.Types(), mediaType) {
			t.Errorf("%s: %s, %d bytes, %v", entry.Name(), mediaType, len(body), ok)
		}
	}
	for _, name := range []string{"", ".", "..", "../pages.go", "../templates/docs.html", "nope.js", "assets/main.js", "main.js/", "/main.js"} {
		if _, _, ok := pages.File(name); ok {
			t.Errorf("%q is served", name)
		}
	}
}

// dangers are what would let text become markup, code in a page, or a page reach out.
var dangers = map[string]*regexp.Regexp{
	"text as markup":   regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\(|new Function|srcdoc`),
	"kept for long":    regexp.MustCompile(`localStorage|indexedDB|\.cookie|caches\.`),
	"inline script":    regexp.MustCompile(`<script(?:\s[^>]*)?>[^<]|<script>|\son\w+="|javascript:`),
	"inline style":     regexp.MustCompile(`<style|\sstyle="|\.style\b|cssText`),
	"another host":     regexp.MustCompile(`(?:src|href|\burl\(|import|fetch\()[\s='"(]*(?:https?:)?//`),
	"a style from far": regexp.MustCompile(`@import|\burl\(`),
}

func TestNothingDangerous(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"assets", "templates"} {
		err := fs.WalkDir(os.DirFS("."), dir, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(file)
			for what, danger := range dangers {
				if found := danger.Find(text); found != nil {
					t.Errorf("%s: %s: %s", file, what, found)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	for what, text := range map[string]string{
		"text as markup": `x.innerHTML = y`, "kept for long": `localStorage.token = t`, "inline script": `<a onclick="x()">`, "inline style": `<p style="x">`,
		"another host": `<script src="//cdn.example/x.js">`, "a style from far": `@import "x"`,
	} {
		if !dangers[what].MatchString(text) {
			t.Errorf("%s would not be found in %s", what, text)
		}
	}
}

// TestModulesAreThere: what a script imports, and what a page loads, is among the files.
func TestModulesAreThere(t *testing.T) {
	t.Parallel()
	loaded := regexp.MustCompile(`from '\./([^']+)'|docs/([\w.-]+\.\w+)"`)
	for _, dir := range []string{"assets", "templates"} {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			text, _ := os.ReadFile(path.Join(dir, entry.Name()))
			for _, match := range loaded.FindAllStringSubmatch(string(text), -1) {
				if _, _, ok := pages.File(match[1] + match[2]); !ok {
					t.Errorf("%s loads %s", entry.Name(), match[0])
				}
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		elsewhere []string
		want      string
	}{
		{nil, "connect-src 'self';"},
		{[]string{"https://up.example/files", "http://other.example:8081"}, "connect-src 'self' https://up.example http://other.example:8081;"},
	} {
		if got := pages.Policy(test.elsewhere...); !strings.Contains(got, test.want) || !strings.HasPrefix(got, "default-src 'none'; ") || strings.Contains(got, "unsafe") {
			t.Errorf("%v: %s", test.elsewhere, got)
		}
	}
}
