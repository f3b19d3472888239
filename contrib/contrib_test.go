// Package contrib is what packages the program: the unit for systemd here, and Dockerfile and scripts/release of the root. Its
// tests look at them by the programs that run them where those are installed, and by rules of our own everywhere.
package contrib

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	_ "verbless/internal/app" // what the binary is made of, for the test cache
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// build makes the binary; the unit and the stamp need a real one.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	sources, err := filepath.Glob("../cmd/verbless/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources", err)
	}
	for _, source := range sources { // so that the test cache knows what this test depends on
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

// TestStamp: a release knows its name and its commit.
func TestStamp(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	flags, err := exec.Command("bash", "../scripts/release", "flags", "v1.2.3", "0123456789abcdef").Output()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(build(t, "-ldflags", string(flags)), "version").Output()
	want := "verbless v1.2.3 (commit 0123456789abcdef, " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")\n"
	if err != nil || string(out) != want {
		t.Errorf("%q, want %q; %v", out, want, err)
	}
}

// TestReleaseTargets: the systems we promise are those that are built.
func TestReleaseTargets(t *testing.T) {
	script := read(t, "../scripts/release")
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, machine := range []string{"amd64", "arm64"} {
			if !strings.Contains(script, system+"/"+machine) {
				t.Errorf("scripts/release does not build for %s/%s", system, machine)
			}
		}
	}
	for _, word := range []string{"CGO_ENABLED=0", "-trimpath", "SHA256SUMS"} {
		if !strings.Contains(script, word) {
			t.Errorf("scripts/release is without %s", word)
		}
	}
}
