package docs

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verbless/internal/binarytest"
	"verbless/internal/db/dbtest"
)

// TestBackupAndRestore fills a store by the tour of README, runs the commands of operating.md while it is in use, and asks
// what was restored for the same things.
func TestBackupAndRestore(t *testing.T) {
	needs(t, "bash", "curl")
	program := binarytest.Build(t)
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		backupAndRestore(t, shell{dir: t.TempDir(), program: program}, "sqlite", "sqlite", "sqlite")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		needs(t, "pg_dump", "pg_restore")
		was, is := dbtest.Postgres(t), dbtest.Postgres(t)
		s := shell{dir: t.TempDir(), program: program, env: []string{"DATABASE=" + was, "RESTORED=" + is}}
		backupAndRestore(t, s, "postgres", was, is)
	})
}

func backupAndRestore(t *testing.T, s shell, name, was, is string) {
	first := serve(t, s.program, s.dir, "serve", "--demo", "--database", was)
	readme, err := filepath.Abs("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	filling := s
	filling.env = []string{"VERBLESS_DATABASE=" + was}
	filling.replace = map[string]string{"127.0.0.1:8080": first.address, "go run ./cmd/verbless": "verbless", "-T README.md": "-T '" + readme + "'"}
	filling.run(t, steps(t, readme, "tour"))
	issue := exec.Command(s.program, "tokens", "issue", "alice", "--database", was)
	issue.Dir, issue.Env = s.dir, plainEnvironment()
	token, err := issue.Output()
	if err != nil {
		t.Fatal(err)
	}
	before := first.look(t, strings.TrimSpace(string(token)))
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(before, "My first article") || !strings.Contains(before, string(text)) {
		t.Fatalf("there is nothing to lose:\n%s", before)
	}

	s.run(t, steps(t, "operating.md", "backup-"+name))
	first.stop()
	if err := os.RemoveAll(filepath.Join(s.dir, "data")); err != nil { // nothing comes back from there
		t.Fatal(err)
	}
	s.run(t, steps(t, "operating.md", "restore-"+name))
	second := serve(t, s.program, s.dir, "serve", "--data", "restored", "--database", is)
	if after := second.look(t, strings.TrimSpace(string(token))); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// look gives what a user sees of the store, with the bytes of every file.
func (s *service) look(t *testing.T, token string) string {
	t.Helper()
	get := func(path string) string {
		r, err := http.NewRequest(http.MethodGet, "http://"+s.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v %s %s", path, err, answer.Status, body)
		}
		return strings.ReplaceAll(string(body), s.address, "here")
	}
	var seen []string
	for _, path := range []string{"/users/me", "/articles", "/articles/trashed", "/articles/my-first-article/revisions", "/companies", "/invoices"} {
		seen = append(seen, path, get(path))
	}
	var list struct{ Uploads []struct{ ID string } }
	files := get("/uploads")
	if err := json.Unmarshal([]byte(files), &list); err != nil || len(list.Uploads) == 0 {
		t.Fatalf("%v: no files in %s", err, files)
	}
	for _, upload := range list.Uploads {
		seen = append(seen, upload.ID, get("/uploads/"+upload.ID+"/content"))
	}
	return strings.Join(append(seen, files), "\n")
}
