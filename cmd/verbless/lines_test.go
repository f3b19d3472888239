package main

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestLinesAreJSON(t *testing.T) {
	var out strings.Builder
	log := slog.New(&lines{to: &out, level: slog.LevelInfo}).With("node", 7)
	log.Debug("unseen")
	log.Error("a \"quoted\"\nmessage", "text", "ü\x00\xff", "yes", true, "n", uint64(3), "took", 1500*time.Millisecond, "error", errors.New("broken"), "any", []int{1})
	text, ok := strings.CutSuffix(out.String(), "\n")
	if !ok || strings.Contains(text, "\n") {
		t.Fatalf("not one line: %q", out.String())
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(text), &line); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(time.RFC3339Nano, line["time"].(string))
	if err != nil || time.Since(at) > time.Hour {
		t.Errorf("time %v: %v", line["time"], err)
	}
	delete(line, "time")
	want := map[string]any{"level": "ERROR", "msg": "a \"quoted\"\nmessage", "node": 7.0, "text": "ü\x00\ufffd", "yes": true, "n": 3.0, "took": 1.5, "error": "broken", "any": "[1]"}
	for name, value := range want {
		if line[name] != value {
			t.Errorf("%s is %v, want %v", name, line[name], value)
		}
	}
	if len(line) != len(want) {
		t.Errorf("members: %v", line)
	}
}
