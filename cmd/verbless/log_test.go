package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verbless/internal/config"
)

// TestFormatsAndLevels: what is no terminal gets JSON, unless somebody says otherwise, and nothing below the level.
func TestFormatsAndLevels(t *testing.T) {
	for _, test := range []struct {
		format, level string
		json          bool
		lines         int
	}{{"auto", "info", true, 2}, {"json", "debug", true, 3}, {"text", "debug", false, 3}, {"text", "warn", false, 1}, {"json", "error", true, 0}} {
		t.Run(test.format+" "+test.level, func(t *testing.T) {
			file, err := os.Create(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			log, flush := newLog(&config.Settings{LogFormat: test.format, LogLevel: test.level}, file)
			log.Debug("one", "n", 1)
			log.Info("two", "n", 2)
			log.Warn("three", "n", 3)
			flush()
			text, err := os.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			if got := strings.Count(string(text), "\n"); got != test.lines {
				t.Fatalf("%d lines: %s", got, text)
			}
			if test.lines > 0 && json.Valid([]byte(lines[0])) != test.json {
				t.Errorf("got %s", text)
			}
		})
	}
}
