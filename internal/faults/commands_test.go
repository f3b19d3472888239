//go:build linux

package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// command runs another command of the binary on the data of a server.
func (s *server) command(t testing.TB, args ...string) (out, errs string, code int) {
	t.Helper()
	return s.prepared(args...).run(t)
}

// prepared is a command before it is run.
type prepared struct{ *exec.Cmd }

func (s *server) prepared(args ...string) prepared {
	args = append(args, "--data", s.how.dir)
	if s.how.database != "sqlite" {
		args = append(args, "--database", s.how.database)
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = plainEnvironment()
	return prepared{cmd}
}

// run runs it to its end.
func (cmd prepared) run(t testing.TB) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	if cmd.Stderr == nil {
		cmd.Stderr = &stderr
	}
	if err := startChild(cmd.Cmd); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

var tokenLine = regexp.MustCompile(`^vbl_\S+\n$`)

// TestTokenCommands issues and revokes tokens while the server runs; both hold with the next request.
func TestTokenCommands(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	if out, errs, code := s.command(t, "users", "create", "alice"); code != 0 || errs != "" || strings.TrimSpace(out) == "" {
		t.Fatalf("users create: %d %q %q", code, out, errs)
	}
	out, errs, code := s.command(t, "tokens", "issue", "alice", "--name", "laptop", "--expires", "1h")
	if code != 0 || errs != "" || !tokenLine.MatchString(out) {
		t.Fatalf("tokens issue prints the token alone: %d %q %q", code, out, errs)
	}
	token := strings.TrimSpace(out)
	if a := s.call(t, token, "GET /users/me", ""); a.status != http.StatusOK || a.text("username") != "alice" {
		t.Fatalf("a token just issued: %s", a)
	}
	var list struct{ Tokens []struct{ ID, Name string } }
	a := s.want(t, http.StatusOK, "GET /users/alice/tokens", "")
	if err := json.Unmarshal(a.body, &list); err != nil || len(list.Tokens) != 1 || list.Tokens[0].Name != "laptop" {
		t.Fatalf("%s %v", a, err)
	}
	if _, errs, code := s.command(t, "tokens", "revoke", list.Tokens[0].ID); code != 0 || errs != "" {
		t.Fatalf("tokens revoke: %d %q", code, errs)
	}
	a = s.call(t, token, "GET /users/me", "")
	if word, err := problem(a); a.status != http.StatusUnauthorized || err != nil || word != "invalid_token" {
		t.Errorf("a token just revoked: %s %v", a, err)
	}
}

// TestCommandFaults: errors go to standard error, nothing to standard output, and the exit code is 1.
func TestCommandFaults(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	for call, want := range map[string]string{
		"users create bad/name":            "username",
		"users create 123":                 "username",
		"users create admin":               "name",
		"users create bob --role king":     "role",
		"tokens issue nobody":              "nobody",
		"tokens issue admin --expires=-1h": "future",
		"tokens revoke nothing":            "nothing",
		"backup " + s.how.dir:              "already",
		"fly":                              "fly",
		"serve --addr nowhere":             "nowhere",
		"serve --max-body 1":               "max-body",
		"migrate --database mysql://x":     "database",
	} {
		out, errs, code := s.command(t, strings.Fields(call)...)
		if code != 1 || !strings.Contains(errs, want) || strings.Contains(errs, "goroutine") {
			t.Errorf("verbless %s: code %d, standard error %q, want code 1 and %q", call, code, errs, want)
		}
		if out != "" {
			t.Errorf("verbless %s: standard output has %q", call, out)
		}
	}
}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z]+)*)(?: .*)?$`)

// TestHelp: every command that help lists has a help of its own with an example.
func TestHelp(t *testing.T) {
	t.Parallel()
	help := func(args ...string) string {
		out, err := exec.Command(binary, append(args, "--help")...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Example: verbless") && !strings.Contains(string(out), "Example: TOKEN=$(verbless") {
			t.Errorf("verbless %s --help: %v, no example in:\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	_, list, _ := strings.Cut(help(), "Commands:\n")
	list, _, _ = strings.Cut(list, "\nRun ")
	found := map[string]bool{}
	for _, m := range commandLine.FindAllStringSubmatch(list, -1) {
		found[m[1]] = true
	}
	for _, name := range []string{"serve", "users create", "tokens issue", "tokens revoke", "companies import", "companies export", "locations serve", "migrate", "backup", "health", "openapi", "config", "version"} {
		if !found[name] {
			t.Errorf("help does not list %q, but %q", name, list)
		}
		found[name] = true
	}
	for name := range found {
		help(strings.Fields(name)...)
	}
}

// TestBackupUnderLoad copies the store while it is written to. The copy is a moment that was: for each worker, what it
// had done up to some point, and that point is not before the command began.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	l := newLoad(s)
	stop := l.background(t, 4)
	for round := range 3 {
		before := l.ledger.tally(acked)
		eventually(t, "the load gets through", func() bool { return l.ledger.tally(acked) > before+100 })
		sure := l.done()
		file := filepath.Join(t.TempDir(), "copy.db")
		if out, errs, code := s.command(t, "backup", file); code != 0 || errs != "" {
			t.Fatalf("backup: %d %q %q", code, out, errs)
		}
		after := l.ledger.tally(acked)
		eventually(t, "what the copy may hold is in the ledger", func() bool { return l.ledger.tally(acked) > after+10 })
		copied := store{"sqlite", "file:" + file}
		copied.check(t)
		rows := copied.rows(t)
		if err := l.prefix(rows, sure); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		t.Logf("round %d: %d articles in the copy", round, len(rows))
	}
	stop()
	if l.ledger.tally(acked) == 0 || len(l.ledger.count) != 1 {
		t.Errorf("the backup disturbed the service: %v %v", l.ledger.count, l.ledger.codes)
	}
	settle(t, l, s)
}

// done is how many steps each worker has behind it.
func (l *load) done() map[string]int {
	l.ledger.mu.Lock()
	defer l.ledger.mu.Unlock()
	n := map[string]int{}
	for worker, steps := range l.ledger.steps {
		n[worker] = len(steps)
	}
	return n
}

// prefix compares a copy with each worker's steps: it must be what some number of them left, and no fewer than least.
func (l *load) prefix(rows []row, least map[string]int) error {
	l.ledger.mu.Lock()
	defer l.ledger.mu.Unlock()
	copied := map[string]map[string]state{}
	for _, r := range rows {
		worker, _, _ := strings.Cut(r.key, " article ")
		if copied[worker] == nil {
			copied[worker] = map[string]state{}
		}
		copied[worker][r.key] = state{body: r.body, trashed: r.trashed}
	}
	same := func(a, b state) bool { return a.body == b.body && a.trashed == b.trashed }
	for worker, steps := range l.ledger.steps {
		now, match := map[string]state{}, -1
		for n := 0; n <= len(steps); n++ {
			if n > 0 {
				now[steps[n-1].key] = steps[n-1].now
			}
			if n >= least[worker] && maps.EqualFunc(now, copied[worker], same) {
				match = n
				break
			}
		}
		if match < 0 {
			return fmt.Errorf("%s: the %d articles of the copy are not what %d or more of its %d steps left", worker, len(copied[worker]), least[worker], len(steps))
		}
	}
	return nil
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	l := &load{ledger: newLedger()}
	step := func(n int, text string, trashed bool) change {
		return change{fmt.Sprintf("w article %d", n), state{body: text, trashed: trashed}}
	}
	l.ledger.steps["w"] = []change{step(1, "a", false), step(1, "b", false), step(2, "c", false), step(1, "b", true)}
	tests := []struct {
		rows  []row
		least int
		good  bool
	}{
		{nil, 0, true},
		{[]row{{"", "w article 1", "a", false}}, 1, true},
		{[]row{{"", "w article 1", "b", false}, {"", "w article 2", "c", false}}, 2, true},
		{[]row{{"", "w article 1", "b", true}, {"", "w article 2", "c", false}}, 4, true},
		{nil, 1, false}, // older than it may be
		{[]row{{"", "w article 2", "c", false}}, 0, false}, // a later step without an earlier one
		{[]row{{"", "w article 1", "a", false}, {"", "w article 2", "c", false}}, 0, false},
		{[]row{{"", "w article 1", "b", true}}, 0, false},
	}
	for i, test := range tests {
		if err := l.prefix(test.rows, map[string]int{"w": test.least}); (err == nil) != test.good {
			t.Errorf("%d: %v", i, err)
		}
	}
}
