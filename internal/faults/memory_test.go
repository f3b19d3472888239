package faults

import (
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"verbless/internal/db/dbtest"
)

// TestBatchMemory: 500 messages of 10,000 characters at once need less than 64 MB more than one message does, also when
// their answer is kept for an Idempotency-Key.
func TestBatchMemory(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		batchMemory(t, start(t, launch{}))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		batchMemory(t, start(t, launch{database: dbtest.Postgres(t)}))
	})
}

func batchMemory(t *testing.T, s *server) {
	items := make([]string, 500)
	for i := range items {
		items[i] = `{"user":{"username":"admin"},"message":"` + (rand.Text() + strings.Repeat(rand.Text(), 400))[:10_000] + `"}`
	}
	s.want(t, 201, "POST /messages", "["+items[0]+"]")
	before := s.memory(t, "VmHWM:")
	body := "[" + strings.Join(items, ",") + "]"
	for n := range 4 {
		var headers []string
		if n%2 == 1 {
			headers = []string{fmt.Sprintf("Idempotency-Key: batch-%d", n)}
		}
		s.want(t, 201, "POST /messages", body, headers...)
		grown := s.memory(t, "VmHWM:") - before
		t.Logf("%d batches: %d MB more", n+1, grown>>20)
		if grown > 64<<20 {
			t.Errorf("%d batches took %d MB", n+1, grown>>20)
		}
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
