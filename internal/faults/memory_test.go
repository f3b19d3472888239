package faults

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestBatchMemory: 500 messages of 10,000 characters at once need less than 64 MB more than one message does, also where the
// answer is kept for an Idempotency-Key.
func TestBatchMemory(t *testing.T) {
	t.Parallel()
	onBoth(t, batchMemory)
}

func batchMemory(t *testing.T, s *server) {
	items := make([]string, 500)
	random := make([]byte, 7500) // 10,000 characters
	for i := range items {
		rand.Read(random)
		items[i] = `{"user":{"username":"admin"},"message":"` + base64.RawURLEncoding.EncodeToString(random) + `"}` // hard to compress
	}
	s.want(t, 201, "POST /messages", "["+items[0]+"]")
	before := s.memory(t, "VmHWM:")
	body := "[" + strings.Join(items, ",") + "]"
	send := func(what string, most int64, headers ...string) answer {
		made := s.want(t, 201, "POST /messages", body, headers...)
		grown := s.memory(t, "VmHWM:") - before
		t.Logf("%s: %d MB more", what, grown>>20)
		if grown > most {
			t.Errorf("%s: %d MB more, over %d MB", what, grown>>20, most>>20)
		}
		return made
	}
	for range 3 {
		send("a batch", 64<<20)
	}
	made := send("a batch with a key", 64<<20, "Idempotency-Key: batch")
	again := send("the same again", 64<<20, "Idempotency-Key: batch")
	if string(again.body) != string(made.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Error("the answer that was kept is not the first one")
	}
}

// memory reads one line of what the system knows of the process, in bytes.
func (s *server) memory(t testing.TB, line string) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), line)
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Fatalf("%s %q: %v", line, number, err)
	}
	return n << 10
}
