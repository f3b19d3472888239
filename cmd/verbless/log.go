package main

import (
	"bufio"
	"log/slog"
	"os"
	"sync"
	"time"

	"verbless/internal/config"
)

// newLog writes to standard error: text for a person at a terminal, JSON for a machine. flush writes what is still held back.
func newLog(s *config.Settings, to *os.File) (log *slog.Logger, flush func()) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	terminal := false
	if info, err := to.Stat(); err == nil {
		terminal = info.Mode()&os.ModeCharDevice != 0
	}
	if s.LogFormat == "text" || s.LogFormat == "auto" && terminal {
		return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: level})), func() {}
	}
	out := &heldBack{to: bufio.NewWriterSize(to, 64<<10)}
	return slog.New(&lines{to: out, level: level}), out.flush
}

// heldBack gathers the lines of a moment into one write: a line for each request would cost a system call each.
type heldBack struct {
	mu      sync.Mutex
	to      *bufio.Writer
	pending bool
}

// moment is how long a line may be held back.
const moment = 100 * time.Millisecond

func (h *heldBack) Write(line []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.pending {
		h.pending = true
		time.AfterFunc(moment, h.flush)
	}
	return h.to.Write(line)
}

func (h *heldBack) flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending = false
	h.to.Flush() // standard error that cannot be written to leaves nobody to tell
}
