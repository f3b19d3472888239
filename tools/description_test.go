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

// run runs a program in a folder, and shows what it says when it fails.
func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	command := exec.Command(program(t, name), args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "CI=1", "NO_COLOR=1", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, output)
	}
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

// TestRedocly and TestSpectral: linters that are not ours have nothing against the description, warnings included.
func TestRedocly(t *testing.T) {
	t.Parallel()
	dir := laid(t, map[string]string{"openapi.json": description, "redocly.yaml": "redocly.yaml"})
	run(t, dir, "redocly", "lint", "--max-problems=20", "--config=redocly.yaml", "openapi.json")
}

func TestSpectral(t *testing.T) {
	t.Parallel()
	dir := laid(t, map[string]string{"openapi.json": description, "spectral.yaml": "spectral.yaml"})
	run(t, dir, "spectral", "lint", "--fail-severity=warn", "--ruleset=spectral.yaml", "openapi.json")
}
