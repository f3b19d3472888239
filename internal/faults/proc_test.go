//go:build linux

package faults

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listening finds the port that a process listens at. The server prints its base address, which is a fixed one here.
func (s *server) listening(t testing.TB) string {
	t.Helper()
	sockets := map[string]bool{}
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.pid))
	for _, fd := range fds {
		name, _ := os.Readlink(fd)
		sockets[strings.Trim(strings.TrimPrefix(name, "socket:"), "[]")] = true
	}
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", s.pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		column := strings.Fields(line) // sl local remote state … inode is the tenth
		if len(column) < 10 || column[3] != "0A" || !sockets[column[9]] {
			continue
		}
		_, port, _ := strings.Cut(column[1], ":")
		raw, err := hex.DecodeString(port)
		if err != nil || len(raw) != 2 {
			t.Fatalf("port %q: %v", port, err)
		}
		return fmt.Sprintf("http://127.0.0.1:%d", int(raw[0])<<8|int(raw[1]))
	}
	t.Fatalf("process %d listens nowhere", s.pid)
	return ""
}

// traced tells whether every thread of a process has a tracer.
func traced(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, thread := range threads {
		if status, err := os.ReadFile(thread); err == nil && strings.Contains(string(status), "TracerPid:\t0\n") {
			return false
		}
	}
	return len(threads) > 0
}
