package docs

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// A step is commands of a document, and what they must print.
type step struct {
	commands string
	wants    []string
}

var block = regexp.MustCompile("(?s)<!-- run: (\\S+) -->\n```sh\n(.*?)```\n")

// steps gives the commands of a document that stand under <!-- run: name -->. A line "# → text" says that what was
// run since the last such lines prints the text.
func steps(t *testing.T, file, name string) []step {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := parseSteps(string(text), name)
	if len(all) == 0 {
		t.Fatalf("%s has nothing to run under the name %s", file, name)
	}
	return all
}

func parseSteps(text, name string) []step {
	var all []step
	for _, found := range block.FindAllStringSubmatch(text, -1) {
		if found[1] != name {
			continue
		}
		now := step{}
		for line := range strings.Lines(found[2]) {
			want, expected := strings.CutPrefix(line, "# → ")
			switch {
			case expected:
				now.wants = append(now.wants, strings.TrimSpace(want))
				continue
			case now.wants != nil:
				all, now = append(all, now), step{}
			}
			now.commands += line
		}
		all = append(all, now)
	}
	return all
}

// shell runs commands of documents with bash, in one folder.
type shell struct {
	dir     string
	program string            // the built binary, called verbless by the documents
	env     []string          // over and above the environment
	replace map[string]string // what a document says to what holds in the test
}

// run runs the steps in one bash, and compares what they print. The first command that fails ends it.
func (s shell) run(t *testing.T, all []step) {
	t.Helper()
	out := t.TempDir()
	script := "set -euo pipefail\n"
	for i, step := range all {
		script += fmt.Sprintf("{\n%s} >'%s' 2>&1\n", step.commands, filepath.Join(out, fmt.Sprint(i)))
	}
	for was, is := range s.replace {
		script = strings.ReplaceAll(script, was, is)
	}
	bash := exec.Command("bash", "-c", script)
	bash.Dir, bash.Env = s.dir, append(plainEnvironment(), s.env...)
	bash.Env = append(bash.Env, "PATH="+filepath.Dir(s.program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	report, err := bash.CombinedOutput()
	for i, step := range all {
		printed, missing := os.ReadFile(filepath.Join(out, fmt.Sprint(i)))
		if missing != nil {
			t.Fatalf("not run, because of %v %s:\n%s", err, report, step.commands)
		}
		for _, want := range step.wants {
			if !strings.Contains(string(printed), want) {
				t.Errorf("this should print %q:\n%s\nbut prints:\n%s", want, step.commands, printed)
			}
		}
		if err != nil && i == len(all)-1 || t.Failed() {
			t.Logf("the last step printed:\n%s", printed)
		}
	}
	if err != nil {
		t.Fatalf("%v %s", err, report)
	}
}

// TestSteps: a text that is not printed, and a command that fails, would be noticed.
func TestSteps(t *testing.T) {
	all := parseSteps("<!-- run: a -->\n```sh\none\ntwo\n# → 2\n# → II\nthree\n```\n<!-- run: b -->\n```sh\nother\n```\n<!-- run: a -->\n```sh\nfour\n# → 4\n```\n", "a")
	want := []step{{"one\ntwo\n", []string{"2", "II"}}, {"three\n", nil}, {"four\n", []string{"4"}}}
	if !slices.EqualFunc(all, want, func(a, b step) bool { return a.commands == b.commands && slices.Equal(a.wants, b.wants) }) {
		t.Errorf("%q", all)
	}
}

// needs skips a test where a program is not installed; a run that may skip nothing fails instead.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("VERBLESS_TEST_REQUIRE") == "1" {
				t.Fatal("this is required: ", err)
			}
			t.Skip("NOT TESTED: ", err)
		}
	}
}

// plainEnvironment leaves out settings of whoever runs the tests.
func plainEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "VERBLESS_") })
}

// service is the binary, serving.
type service struct {
	address string // host and port
	process *exec.Cmd
	ended   chan error
}

// serve starts the binary and waits until it says where it serves.
func serve(t *testing.T, program, dir string, args ...string) *service {
	t.Helper()
	s := &service{process: exec.Command(program, args...), ended: make(chan error, 1)}
	s.process.Dir = dir
	s.process.Env = append(plainEnvironment(), "VERBLESS_ADDR=127.0.0.1:0", "VERBLESS_LOG_LEVEL=warn")
	s.process.Stderr = t.Output()
	out, err := s.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, at, ok := strings.Cut(lines.Text(), "Serving at http://"); ok {
				address <- at
			}
		}
		s.ended <- s.process.Wait() // which closes the pipe, so not before all is read
	}()
	select {
	case s.address = <-address:
	case err := <-s.ended:
		s.ended <- err
		t.Fatal("the server ended: ", err)
	case <-time.After(time.Minute):
		t.Fatal("the server does not serve")
	}
	return s
}

// stop ends the server in good order.
func (s *service) stop() {
	if s.process.Process.Signal(os.Interrupt) == nil {
		s.ended <- <-s.ended // and let whoever asks again know
	}
}
