// Package blobtest runs a real S3 server for tests: versitygw, which scripts/test installs into .cache/bin. It keeps objects in
// a folder that goes away with the test. Without it, tests are skipped loudly; with VERBLESS_TEST_REQUIRE=1 they fail.
package blobtest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"verbless/internal/blob"
)

// Server is a running S3 server.
type Server struct {
	Options blob.Options
	Folder  string // holds the objects of the bucket as files
	address string
	program string
	dir     string
	running *exec.Cmd
}

const (
	bucket = "pictures"
	key    = "tester"
	secret = "not-a-secret"
)

// Start runs a server with an empty bucket until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	program := find()
	if program == "" {
		if os.Getenv("VERBLESS_TEST_REQUIRE") == "1" {
			t.Fatal("versitygw is not installed: scripts/test does that")
		}
		t.Skip("NOT TESTED ON S3: versitygw is not installed; scripts/test does that")
	}
	s := &Server{program: program, dir: t.TempDir()}
	s.Folder = filepath.Join(s.dir, bucket)
	if err := os.Mkdir(s.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s.address = free(t)
	s.Options = At("http://" + s.address)
	t.Cleanup(s.Stop)
	s.Restart(t)
	return s
}

// At is how a server at an address is used, by another process too.
func At(endpoint string) blob.Options {
	return blob.Options{URL: "s3://" + bucket, Endpoint: endpoint, Region: "us-east-1", Key: key, Secret: secret}
}

// find looks for the program in the project's own folder, then on the PATH.
func find() string {
	if _, file, _, ok := runtime.Caller(0); ok {
		program := filepath.Join(filepath.Dir(file), "..", "..", "..", ".cache", "bin", "versitygw")
		if _, err := os.Stat(program); err == nil {
			return program
		}
	}
	program, err := exec.LookPath("versitygw")
	if err != nil {
		return ""
	}
	return program
}

// free is an address of this machine where nobody listens.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// patience is how long a server may take to answer.
const patience = 30 * time.Second

// Restart starts the server after Stop, at the same address and with the same objects.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.running = exec.Command(s.program, "--port", s.address, "--access", key, "--secret", secret, "--quiet", "posix", s.dir)
	if err := s.running.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
		if err == nil {
			connection.Close()
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal("versitygw does not answer: ", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends the server, as an outage does.
func (s *Server) Stop() {
	if s.running != nil {
		s.running.Process.Kill()
		s.running.Wait()
		s.running = nil
	}
}

// Area opens an area of the bucket.
func (s *Server) Area(t testing.TB, name string) blob.Area {
	t.Helper()
	return open(t, s.Options, name)
}

// Disk opens an area in a folder.
func Disk(t testing.TB, dir, name string) blob.Area {
	t.Helper()
	return open(t, blob.Options{URL: "disk", Dir: dir}, name)
}

func open(t testing.TB, o blob.Options, name string) blob.Area {
	t.Helper()
	store, err := blob.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	area, err := store.Area(name)
	if err != nil {
		t.Fatal(err)
	}
	return area
}
