package describe_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"verbless/internal/app"
	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/describe"
	"verbless/internal/transcript"
)

const (
	most    = 2        // examples of each status that an operation has
	longest = 16 << 10 // a reader learns nothing from more
)

// TestExamples: the examples are those of the transcripts, and of all of them. -update makes the file anew.
func TestExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../*/testdata/*.http")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	routes := apptest.Description{Paths: map[string]map[string]any{}}
	for pattern, item := range app.Describe(config.Default())["paths"].(map[string]any) {
		routes.Paths[pattern] = item.(map[string]any)
	}
	kept, count := []describe.Example{}, map[string]int{}
	for _, file := range files {
		if strings.Contains(file, "/transcript/") {
			continue // its own toys
		}
		exchanges, err := transcript.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range exchanges {
			e, ok := exampleOf(t, routes, x)
			key := fmt.Sprint(e.Operation, e.Status, e.Answered)
			if e.Status >= 400 {
				var problem struct{ Code string }
				json.Unmarshal(e.Answer, &problem)
				key = problem.Code
				ok = ok && count[key] == 0
			}
			if ok && count[key] < most {
				count[key]++
				kept = append(kept, e)
			}
		}
	}
	text := encode(t, kept)
	old, err := os.ReadFile("examples.json")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(old, text) {
		return
	}
	if flag.Lookup("update").Value.String() != "true" { // the flag of package transcript
		t.Fatal("examples.json is not what the transcripts say; go test ./internal/describe -update makes it anew")
	}
	if err := os.WriteFile("examples.json", text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// exampleOf is an exchange with fixed values in place of those that differ from run to run.
func exampleOf(t *testing.T, routes apptest.Description, x transcript.Exchange) (e describe.Example, ok bool) {
	target, err := url.Parse(strings.TrimPrefix(x.Target, "<base>"))
	if err != nil {
		t.Fatal(err)
	}
	pattern := routes.Pattern(target.Path)
	if pattern == "" || routes.Paths[pattern][strings.ToLower(x.Method)] == nil {
		return e, false
	}
	e = describe.Example{Operation: x.Method + " " + pattern, Title: x.Title, Status: x.Status}
	if body := fixed(t, x.Body); json.Valid([]byte(body)) && !strings.Contains(x.Target, "fields=") {
		e.Type, e.Body = x.Header.Get("Content-Type"), json.RawMessage(body)
	}
	if answer := fixed(t, x.Answer); json.Valid([]byte(answer)) {
		e.Answered, e.Answer = x.AnswerHeader.Get("Content-Type"), json.RawMessage(answer)
	}
	return e, (e.Body != nil || e.Answer != nil) && len(e.Answer) < longest && !strings.Contains(x.Target, "fields=")
}

var placeholder = regexp.MustCompile(`<([a-z]+)(?:-(\d+))?>`)

// fixed puts values that look like real ones in the place of placeholders.
func fixed(t *testing.T, text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		switch number := parts[2]; parts[1] {
		case "base":
			return found
		case "id":
			return fmt.Sprintf("0198c5a2-7c40-7000-8000-%012s", number)
		case "time":
			return "2026-01-31 09:30:00Z"
		case "request":
			return "4KQ2VHZT3M7C-1a"
		case "file":
			return fmt.Sprintf("%064s-%08s", number, number)
		case "cursor", "upload", "tag":
			return "opaque-" + number
		case "elsewhere":
			return "https://pictures.example"
		case "token":
			return "vbl_secret-" + number
		}
		t.Errorf("what stands for %s in an example?", found)
		return found
	})
}

func encode(t *testing.T, v any) []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetIndent("", " ")
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
