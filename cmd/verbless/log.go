package main

import (
	"log/slog"
	"os"

	"verbless/internal/config"
)

// newLog writes to standard error: text for a person at a terminal, JSON for a machine.
func newLog(s *config.Settings) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	terminal := false
	if info, err := os.Stderr.Stat(); err == nil {
		terminal = info.Mode()&os.ModeCharDevice != 0
	}
	if s.LogFormat == "text" || s.LogFormat == "auto" && terminal {
		return slog.New(slog.NewTextHandler(os.Stderr, options))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, options))
}
