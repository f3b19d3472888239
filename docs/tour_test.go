package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"verbless/internal/binarytest"
)

var firstCommand = regexp.MustCompile(`(?m)^go run \./cmd/verbless (serve [^#\n]*)`)

// TestTour starts the service as README says, and runs every line of its tour.
func TestTour(t *testing.T) {
	needs(t, "bash", "curl")
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	first := firstCommand.FindSubmatch(readme)
	if first == nil {
		t.Fatal("README does not say how to start the service")
	}
	_, tour, _ := strings.Cut(string(readme), "\n## A tour")
	tour, _, _ = strings.Cut(tour, "\n## ")
	if shown, run := strings.Count(tour, "```sh\n"), len(block.FindAllString(tour, -1)); shown != run {
		t.Errorf("the tour shows %d blocks of commands, of which %d are run", shown, run)
	}
	program, dir := binarytest.Build(t), t.TempDir()
	running := serve(t, program, dir, strings.Fields(string(first[1]))...)
	shell{
		dir: "..", program: program, env: []string{"VERBLESS_DATA=" + dir + "/data"},
		replace: map[string]string{"127.0.0.1:8080": running.address, "go run ./cmd/verbless": "verbless"},
	}.run(t, steps(t, "../README.md", "tour"))
}
