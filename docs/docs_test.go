// Package docs is the documentation. Its test keeps the examples true: each is quoted from a conversation that the
// tests replay. A quotation stands under a line that names the file and the title of the exchange:
//
//	<!-- internal/app/testdata/conventions.http: Ask whether it has changed. -->
//
// go test ./docs -update writes all quotations anew.
package docs

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the quotations anew")

var quotation = regexp.MustCompile("(?s)<!-- (\\S+): ([^\n]+?) -->\n```http\n(.*?)```\n")

// everywhere are headers that every answer has; quoting them each time would bury the rest.
var everywhere = regexp.MustCompile(`(?m)^(Vary|X-Content-Type-Options|Cache-Control: private|Cache-Control: no-store).*\n`)

func TestQuotations(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no documents", err)
	}
	quoted := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fresh := quotation.ReplaceAllStringFunc(string(text), func(old string) string {
			quoted++
			parts := quotation.FindStringSubmatch(old)
			exchange := find(t, parts[1], parts[2])
			if exchange != parts[3] && !*update {
				t.Errorf("%s: the quotation %q is stale; run go test ./docs -update", file, parts[2])
			}
			return "<!-- " + parts[1] + ": " + parts[2] + " -->\n```http\n" + exchange + "```\n"
		})
		if *update && fresh != string(text) {
			if err := os.WriteFile(file, []byte(fresh), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if quoted < 10 {
		t.Errorf("only %d quotations were found", quoted)
	}
}

// find gives the exchange whose comment has the title, without the comment.
func find(t *testing.T, file, title string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, exchange := range strings.Split(string(text), "\n###\n") {
		comment, rest, _ := strings.Cut(strings.TrimLeft(exchange, "\n"), "\n")
		if strings.TrimPrefix(comment, "# ") == title {
			return strings.TrimSpace(everywhere.ReplaceAllString(rest, "")) + "\n"
		}
	}
	t.Fatalf("%s has no exchange %q", file, title)
	return ""
}
