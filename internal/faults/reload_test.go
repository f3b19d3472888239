//go:build linux

package faults

import (
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"verbless/internal/certs/certstest"
)

// TestHangup: SIGHUP makes the real binary use a new certificate, and does not end it; connections go on.
func TestHangup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put := func(serial int64) {
		text, secret := certstest.Pair(t, serial)
		if err := errors.Join(os.WriteFile(cert, text, 0o600), os.WriteFile(key, secret, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	put(1)
	s := start(t, launch{flags: []string{"--base-url", "https://verbless.test", "--tls-cert", cert, "--tls-key", key, "--log-level", "info", "--header-timeout", "10m"}})
	connect := func() *tls.Conn {
		conn, err := tls.Dial("tcp", s.address(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	shown := func() int64 { return connect().ConnectionState().PeerCertificates[0].SerialNumber.Int64() }
	old := connect()
	if n := shown(); n != 1 {
		t.Fatalf("certificate %d is shown", n)
	}
	put(2)
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	reloaded := func() bool { return strings.Contains(s.log.tail(1000), "the certificates were loaded again") } // and not just found to have changed
	for deadline := time.Now().Add(patience); !reloaded() || shown() != 2; {
		if time.Now().After(deadline) {
			t.Fatal("the new certificate is not shown")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if _, err := old.Write([]byte("GET /healthz HTTP/1.1\r\nHost: verbless.test\r\nConnection: close\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 15)
	if _, err := old.Read(answer); err != nil || string(answer) != "HTTP/1.1 200 OK" {
		t.Errorf("the old connection: %q %v", answer, err)
	}
	if code := s.stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
