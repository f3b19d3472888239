package interop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// binary is the service, built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue { // they wait more than they work
		flag.Set("test.parallel", "8")
	}
	dir, err := os.MkdirTemp("", "interop-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "verbless")
	build := exec.Command("go", "build", "-o", binary, "./cmd/verbless")
	build.Dir, build.Stderr = "..", os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "go build ./cmd/verbless:", err)
		return 1
	}
	code := m.Run()
	stopNode()
	return code
}

// missing skips a test for which the machine lacks a program, or fails where nothing may be skipped.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("VERBLESS_TEST_REQUIRE") == "1" {
		t.Fatalf("%s; scripts/test installs it where it may", what)
	}
	t.Skipf("%s; scripts/test installs it where it may", what)
}

// patience bounds whatever has to happen in the end.
const patience = 60 * time.Second

// service is the real binary, with an empty store of its own and a proxy before it. Clients know the address of the proxy only.
type service struct {
	*proxy
	t       testing.TB
	direct  string // the address behind the proxy, for looking at what has come
	token   string
	context context.Context
}

// start runs a service until the test ends. at is what the proxy does to requests.
func start(t testing.TB, at plan) *service {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	s := &service{proxy: newProxy(t, at), t: t, context: ctx}
	for range 5 { // somebody else may take the free address before the service does
		if s.token = s.launch(); s.token != "" {
			s.proxy.target(s.direct)
			return s
		}
	}
	t.Fatal("the service did not start")
	return nil
}

// launch starts the binary and reads the token of its first user; without one it has ended.
func (s *service) launch() string {
	s.t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	var log bytes.Buffer
	command := exec.CommandContext(s.context, binary, "serve", "--data", s.t.TempDir(), "--addr", address, "--base-url", s.URL, "--log-level", "warn")
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "VERBLESS_") {
			command.Env = append(command.Env, pair)
		}
	}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay, command.Stderr = patience, &log
	out, err := command.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { // by now the context of the test has ended, and with it the service
		command.Wait()
		if s.t.Failed() {
			s.t.Logf("what the service logged:\n%s", log.String())
		}
	})
	token := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if word := strings.TrimSpace(lines.Text()); strings.HasPrefix(word, "vbl_") {
			token = word
		}
		if strings.HasPrefix(lines.Text(), "Serving at ") {
			go io.Copy(io.Discard, out)
			s.direct = "http://" + address
			return token
		}
	}
	return ""
}

// upload is what the service says of a file.
type upload struct {
	ID      string
	Snippet struct{ Title string }
	Content *struct {
		Size int64
		Type string
	}
}

// ask sends a request to the service, past the proxy, and fails on any status but the one wanted.
func (s *service) ask(want int, method, path string) []byte {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.context, method, s.direct+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != want {
		s.t.Fatalf("%s %s: %d, want %d; %v\n%.500s", method, path, answer.StatusCode, want, err, body)
	}
	return body
}

// uploads lists all there are.
func (s *service) uploads() []upload {
	s.t.Helper()
	var list struct{ Uploads []upload }
	if err := json.Unmarshal(s.ask(200, "GET", "/uploads"), &list); err != nil {
		s.t.Fatal(err)
	}
	return list.Uploads
}

// holds looks whether there is one upload, this one, with these bytes.
func (s *service) holds(title, mediaType string, file []byte) {
	s.t.Helper()
	all := s.uploads()
	if len(all) != 1 || all[0].Content == nil {
		s.t.Fatalf("there are %d uploads, want one that is whole: %+v", len(all), all)
	}
	u := all[0]
	if u.Snippet.Title != title || u.Content.Type != mediaType || u.Content.Size != int64(len(file)) {
		s.t.Errorf("got %q, %s, %d bytes; want %q, %s, %d bytes", u.Snippet.Title, u.Content.Type, u.Content.Size, title, mediaType, len(file))
	}
	if got := s.ask(200, "GET", "/uploads/"+u.ID+"/content"); !bytes.Equal(got, file) {
		s.t.Errorf("%d bytes came back, and they are not the %d that were sent", len(got), len(file))
	}
}

// holdsNothing looks whether no upload is left.
func (s *service) holdsNothing() {
	s.t.Helper()
	if all := s.uploads(); len(all) != 0 {
		s.t.Errorf("there are %d uploads, want none: %+v", len(all), all)
	}
}

// cancels ends the one upload that is on its way, as a client of this protocol does.
func (s *service) cancels() {
	s.t.Helper()
	all, addresses := s.uploads(), s.addresses()
	if len(all) != 1 || all[0].Content != nil || len(addresses) != 1 {
		s.t.Fatalf("there is %+v at %d addresses, want one upload without content", all, len(addresses))
	}
	s.ask(404, "GET", "/uploads/"+all[0].ID+"/content")
	address := strings.TrimPrefix(addresses[0], s.URL)
	s.ask(499, "DELETE", address)
	s.ask(499, "DELETE", address)
	s.holdsNothing()
}

// noise is a file in which no two places look the same.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}).Read(b)
	return b
}

// noiseFile is such a file on disk.
func noiseFile(t testing.TB, n int) (name string, content []byte) {
	t.Helper()
	name, content = filepath.Join(t.TempDir(), "noise.png"), noise(n)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return name, content
}
