// Package contrib is what packages the program: the unit for systemd here, and Dockerfile and scripts/release of the root. Its
// tests look at them by the programs that run them where those are installed, and by rules of our own everywhere.
package contrib

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"verbless/internal/binarytest"
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
	out, err := exec.Command(binarytest.Build(t, "-ldflags", string(flags)), "version").Output()
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
