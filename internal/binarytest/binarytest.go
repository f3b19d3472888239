// Package binarytest builds the program for tests that run it from outside.
package binarytest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	_ "verbless/internal/app" // what the program is made of: whoever runs it is tested again when this changes
)

// Build makes the program, called verbless, for a test that runs it. The flags are those of go build.
func Build(t testing.TB, flags ...string) string {
	t.Helper()
	root := ".."
	for ; ; root = filepath.Join(root, "..") {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if len(root) > 100 {
			t.Fatal("no module lies above this test")
		}
	}
	sources, err := filepath.Glob(filepath.Join(root, "cmd", "verbless", "*.go"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources", err)
	}
	for _, source := range sources { // nobody imports these, and the test cache should know of them
		if _, err := os.ReadFile(source); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "verbless")
	args := append(append([]string{"build"}, flags...), "-o", program, "verbless/cmd/verbless")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}
