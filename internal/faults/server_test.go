//go:build linux

package faults

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait. It is far longer than anything takes, because the machine may be busy.
const patience = 60 * time.Second

// launch says how to run the binary.
type launch struct {
	front    []string // a program that runs it, such as strace
	dir      string   // data folder
	database string   // "" is SQLite
	token    string   // of an earlier start
	flags    []string
}

// server is the real binary, running.
type server struct {
	url   string
	token string // of the admin
	pid   int
	how   launch
	cmd   *exec.Cmd
	out   *lines // standard output
	log   *lines // standard error
	done  chan struct{}
}

// start runs the binary and waits until it serves. It ends with the test at the latest.
func start(t testing.TB, how launch) *server {
	t.Helper()
	s, err := tryStart(t, how)
	if err != nil {
		t.Fatal(err)
	}
	s.await(t)
	return s
}

// tryStart runs the binary without waiting for anything.
func tryStart(t testing.TB, how launch) (*server, error) {
	t.Helper()
	if how.dir == "" {
		how.dir = t.TempDir()
	}
	if how.database == "" {
		how.database = "sqlite"
	}
	// One address for links, so that answers of one start can be compared with those of the next.
	args := append(append([]string{}, how.front...), binary, "serve", "--addr", "127.0.0.1:0", "--base-url", "http://verbless.test",
		"--data", how.dir, "--database", how.database, "--log-level", "warn")
	args = append(args, how.flags...)
	s := &server{how: how, token: how.token, done: make(chan struct{}), out: newLines(), log: newLines()}
	s.cmd = exec.Command(args[0], args[1:]...)
	s.cmd.Env = plainEnvironment()
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := startChild(s.cmd); err != nil {
		return nil, err
	}
	s.pid = s.cmd.Process.Pid
	go func() {
		var reading sync.WaitGroup
		reading.Go(func() { s.out.read(stdout) })
		reading.Go(func() { s.log.read(stderr) })
		reading.Wait() // Wait closes the pipes
		s.cmd.Wait()
		close(s.done)
	}()
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("standard error of process %d ends with:\n%s", s.pid, s.log.tail(15))
		}
	})
	return s, nil
}

// plainEnvironment leaves out settings of whoever runs the tests.
func plainEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "VERBLESS_") })
}

// await returns once the server says where it serves.
func (s *server) await(t testing.TB) {
	t.Helper()
	limit := time.After(patience)
	for {
		text, changed := s.out.text()
		if _, rest, ok := strings.Cut(text, "Serving at "); ok && strings.Contains(rest, "\n") {
			break
		}
		select {
		case <-changed:
		case <-s.done:
			t.Fatalf("the server ended with %v: %s", s.cmd.ProcessState, s.log.tail(15))
		case <-limit:
			t.Fatalf("the server does not serve: %s%s", text, s.log.tail(15))
		}
	}
	text, _ := s.out.text()
	for line := range strings.Lines(text) {
		if word := strings.TrimSpace(line); strings.HasPrefix(word, "vbl_") {
			s.token = word
		}
	}
	s.how.token = s.token
	s.url = s.listening(t)
}

// kill ends the process at once, without a chance to do anything.
func (s *server) kill() {
	s.cmd.Process.Kill()
	<-s.done
}

// stop asks the process to end, waits for it, and gives its exit code.
func (s *server) stop(t testing.TB) int {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return s.ended(t)
}

// ended waits for the end of the process and gives its exit code, -1 after a signal.
func (s *server) ended(t testing.TB) int {
	t.Helper()
	select {
	case <-s.done:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatalf("the process does not end: %s", s.log.tail(15))
		return -1
	}
}

// again starts the server once more on the same data.
func (s *server) again(t testing.TB) *server {
	t.Helper()
	return start(t, s.how)
}

// address is where it listens, for connections of one's own.
func (s *server) address() string { return strings.TrimPrefix(s.url, "http://") }

// eventually asks until the answer is yes.
func eventually(t testing.TB, what string, yes func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !yes(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited %s for this: %s", patience, what)
		}
	}
}

// lines is what a process prints.
type lines struct {
	mu      sync.Mutex
	all     []string
	changed chan struct{}
}

func newLines() *lines { return &lines{changed: make(chan struct{})} }

func (l *lines) read(r io.Reader) {
	for scan := bufio.NewScanner(r); scan.Scan(); {
		l.mu.Lock()
		if len(l.all) < 10000 { // a server that complains for ever does not fill the memory
			l.all = append(l.all, scan.Text()+"\n")
		}
		close(l.changed)
		l.changed = make(chan struct{})
		l.mu.Unlock()
	}
}

// text is all of it so far, and what will be closed when there is more.
func (l *lines) text() (string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all, ""), l.changed
}

func (l *lines) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.all[max(0, len(l.all)-n):], "")
}
