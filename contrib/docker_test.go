package contrib

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one line of a Dockerfile, continued lines joined.
type instruction struct{ name, rest string }

func instructions(text string) []instruction {
	var all []instruction
	text = regexp.MustCompile(`(?m)^\s*#.*\n`).ReplaceAllString(text, "")
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "" {
			all = append(all, instruction{strings.ToUpper(name), strings.TrimSpace(rest)})
		}
	}
	return all
}

var (
	pinned = regexp.MustCompile(`^[a-z0-9./-]+(:[0-9]+\.[0-9][a-z0-9.-]*|@sha256:[0-9a-f]{64})$`)
	user   = regexp.MustCompile(`^[1-9][0-9]*(:[1-9][0-9]*)?$`)
	secret = regexp.MustCompile(`(?i)(secret|token|password|key|vbl_)`)
)

// dockerFaults says what is wrong with a Dockerfile.
func dockerFaults(text string) []string {
	var faults, stages []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	last := map[string]string{} // of the last stage
	for _, in := range instructions(text) {
		words := strings.Fields(in.rest)
		switch in.name {
		case "FROM":
			if base := words[0]; base != "scratch" && !slices.Contains(stages, base) && !pinned.MatchString(base) {
				fault("the base %s is not pinned", base)
			}
			if len(words) == 3 {
				stages = append(stages, words[2])
			}
			last = map[string]string{}
		case "ADD":
			fault("ADD fetches and unpacks; COPY does not")
		case "ARG", "ENV":
			if secret.MatchString(in.rest) {
				fault("%s may hold a secret: %s", in.name, in.rest)
			}
		case "ENTRYPOINT", "CMD":
			if !strings.HasPrefix(in.rest, "[") {
				fault("%s needs a shell: %s", in.name, in.rest)
			}
		}
		last[in.name] = in.rest
	}
	if last["FROM"] != "scratch" {
		fault("the image starts from %q, not from nothing", last["FROM"])
	}
	if !user.MatchString(last["USER"]) {
		fault("the user is %q, not the number of somebody without rights", last["USER"])
	}
	if !strings.HasSuffix(last["HEALTHCHECK"], `CMD ["/verbless", "health"]`) {
		fault("the health check is %q", last["HEALTHCHECK"])
	}
	if last["ENTRYPOINT"] != `["/verbless"]` {
		fault("the entry point is %q", last["ENTRYPOINT"])
	}
	return faults
}

func TestDockerfile(t *testing.T) {
	text := read(t, "../Dockerfile")
	for _, fault := range dockerFaults(text) {
		t.Error(fault)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../go.mod"))
	if version == nil || !strings.Contains(text, "FROM golang:"+version[1]+" AS") {
		t.Errorf("Dockerfile does not build with the Go of go.mod, %q", version)
	}
	ignored := strings.Fields(read(t, "../.dockerignore"))
	for _, name := range []string{".git", ".cache", "data", "dist", "**/*.key", "**/.env", "**/verbless.conf"} {
		if !slices.Contains(ignored, name) {
			t.Errorf(".dockerignore lets %s in", name)
		}
	}
	// Each of these changes is a fault that would be noticed.
	for was, is := range map[string]string{
		"golang:1.26 ":              "golang:latest ",
		"FROM golang:1.26":          "FROM golang",
		"FROM scratch":              "FROM golang:1.26",
		"USER 65532:65532":          "USER root",
		"USER 65532:65532\n":        "",
		"USER 65532":                "USER 0",
		"HEALTHCHECK ":              "LABEL ",
		`ENTRYPOINT ["/verbless"]`:  "ENTRYPOINT /verbless",
		"ENV VERBLESS_DATA=/data":   "ENV VERBLESS_STRIPE_KEY=sk_1",
		"ARG COMMIT=unknown":        "ARG TOKEN",
		"COPY go.mod go.sum ./\n":   "ADD go.mod go.sum ./\n",
		`CMD ["/verbless", "health`: `CMD ["/verbless", "version`,
	} {
		if broken := strings.ReplaceAll(text, was, is); broken == text || len(dockerFaults(broken)) == 0 {
			t.Errorf("nobody notices %q in place of %q", is, was)
		}
	}
}

// TestImage builds the image and asks it for its version, where there is an engine that can fetch the base.
func TestImage(t *testing.T) {
	engine := ""
	for _, ask := range [][]string{{"docker", "version"}, {"podman", "info"}} { // both fail when nothing could be run
		if exec.Command(ask[0], ask[1]).Run() == nil {
			engine = ask[0]
			break
		}
	}
	if engine == "" {
		t.Skip("no engine runs containers here; TestDockerfile has looked at the file")
	}
	if out, err := exec.Command(engine, "pull", "golang:1.26").CombinedOutput(); err != nil {
		t.Skipf("the base cannot be fetched; TestDockerfile has looked at the file: %v %s", err, out)
	}
	name := fmt.Sprintf("verbless-test-%d", os.Getpid())
	out, err := exec.Command(engine, "build", "-t", name, "--build-arg", "VERSION=v1.2.3", "..").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer exec.Command(engine, "rmi", name).Run()
	if out, err := exec.Command(engine, "run", "--rm", "--network=none", name, "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "verbless v1.2.3 ") {
		t.Errorf("%v: %s", err, out)
	}
}
