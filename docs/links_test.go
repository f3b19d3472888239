package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s:]*)\)`) // not to other sites, which have a colon
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	unnamed = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are the names by which headings of a page can be linked to.
func anchors(page string) map[string]bool {
	all := map[string]bool{"": true}
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		all[strings.ReplaceAll(unnamed.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-")] = true
	}
	return all
}

// TestLinks: what a page links to in this repository is there.
func TestLinks(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"*.md", "../*.md", "../interop/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	links := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			links++
			file, anchor, _ := strings.Cut(found[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
			}
			there, err := os.Stat(target)
			if err != nil {
				t.Errorf("%s links to %s: %v", page, found[1], err)
				continue
			}
			if there.IsDir() || anchor == "" {
				continue
			}
			linked, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			if !anchors(string(linked))[anchor] {
				t.Errorf("%s links to %s, which has no such heading", page, found[1])
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links were found", links)
	}
}
