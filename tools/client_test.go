package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// TestTypeScript: a client generated from the description compiles in strict mode, and works against the service.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	const from = "../clients/typescript/"
	dir := laid(t, map[string]string{"openapi.json": description, "tour.ts": from + "tour.ts", "tsconfig.json": from + "tsconfig.json"})
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "openapi-typescript", "openapi.json", "--default-non-nullable=false", "--output", "schema.d.ts")
	run(t, dir, "tsc", "--project", "tsconfig.json")
	if t.Failed() {
		t.FailNow()
	}
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		command := exec.Command("node", filepath.Join("out", "tour.js"))
		command.Dir = dir
		command.Env = append(os.Environ(), "VERBLESS_URL="+s.URL, "VERBLESS_TOKEN="+s.Alice)
		if output, err := command.CombinedOutput(); err != nil || strings.TrimSpace(string(output)) != "done" {
			t.Errorf("%v\n%s", err, output)
		}
	})
}
