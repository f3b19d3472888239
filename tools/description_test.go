// Package tools is what other people's programs say of the API. package.json names them and their versions, and scripts/tools
// puts them into .cache/tools. Tests that need them skip loudly where they are not, or fail with VERBLESS_TEST_REQUIRE=1.
package tools

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const (
	cache       = "../.cache/tools"
	description = "../docs/openapi.json"
)

// program is one of the tools, as a path that can be run.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(cache, "node_modules", ".bin", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err == nil {
		_, err = exec.LookPath("node")
	}
	if err != nil && os.Getenv("VERBLESS_TEST_REQUIRE") == "1" {
		t.Fatal("run scripts/tools first: ", err)
	}
	if err != nil {
		t.Skip("SKIPPED: run scripts/tools first: ", err)
	}
	return path
}

// run runs a program in a folder, and fails with what it says when it fails.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	if output, err := try(t, dir, name, args...); err != nil {
		t.Errorf("%s: %v\n%s", name, err, output)
	}
}

func try(t *testing.T, dir, name string, args ...string) ([]byte, error) {
	t.Helper()
	command := exec.Command(program(t, name), args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "CI=1", "NO_COLOR=1", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	return command.CombinedOutput()
}

// laid puts files beside the programs, from where these find each other, and gives the folder.
func laid(t *testing.T, files map[string]string) string {
	t.Helper()
	program(t, "spectral")
	dir := t.TempDir()
	modules, err := filepath.Abs(filepath.Join(cache, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for name, from := range files {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// linters are programs that are not ours, and how they are asked about openapi.json. Warnings count as well where they can.
var linters = []struct {
	name string
	args []string
}{
	{"redocly", []string{"lint", "--max-problems=20", "--config=redocly.yaml", "openapi.json"}},
	{"spectral", []string{"lint", "--fail-severity=warn", "--ruleset=spectral.yaml", "openapi.json"}},
}

// TestLinters: they have nothing against the description. And they would say so: one without an address is refused.
func TestLinters(t *testing.T) {
	t.Parallel()
	for _, linter := range linters {
		t.Run(linter.name, func(t *testing.T) {
			t.Parallel()
			run(t, laid(t, map[string]string{"openapi.json": description, "redocly.yaml": "redocly.yaml", "spectral.yaml": "spectral.yaml"}), linter.name, linter.args...)
		})
		t.Run(linter.name+" notices", func(t *testing.T) {
			t.Parallel()
			dir := laid(t, map[string]string{"redocly.yaml": "redocly.yaml", "spectral.yaml": "spectral.yaml"})
			broken := `{"openapi":"3.1.0","info":{"title":"broken","version":"1"},"servers":[],"paths":{"/a/{b}":{"get":{"responses":{"200":{"description":"no parameter b"}}}}}}`
			if err := os.WriteFile(filepath.Join(dir, "openapi.json"), []byte(broken), 0o600); err != nil {
				t.Fatal(err)
			}
			if output, err := try(t, dir, linter.name, linter.args...); err == nil {
				t.Errorf("a broken description passes:\n%s", output)
			}
		})
	}
}
