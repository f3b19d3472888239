package certs

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"verbless/internal/certs/certstest"
)

// shelf is a folder in which a link decides which of two certificates is the present one, as many systems do it.
type shelf struct {
	*Files
	dir string
	at  time.Time
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{dir: t.TempDir(), at: time.Now()}
	for serial, name := range map[int64]string{1: "one", 2: "two"} {
		cert, key := certstest.Pair(t, serial)
		folder := filepath.Join(s.dir, name)
		if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "cert.pem"), cert, 0o600), os.WriteFile(filepath.Join(folder, "key.pem"), key, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s.point(t, "one")
	files, err := OpenFiles(filepath.Join(s.dir, "now", "cert.pem"), filepath.Join(s.dir, "now", "key.pem"), slog.New(slog.DiscardHandler), func() time.Time { return s.at })
	if err != nil {
		t.Fatal(err)
	}
	s.Files = files
	return s
}

// point changes the link in one step.
func (s *shelf) point(t *testing.T, name string) {
	t.Helper()
	fresh := filepath.Join(s.dir, "fresh")
	if err := errors.Join(os.Symlink(name, fresh), os.Rename(fresh, filepath.Join(s.dir, "now"))); err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) shown(t *testing.T) int64 {
	t.Helper()
	cert, err := s.get(nil)
	if err != nil {
		t.Fatal(err)
	}
	return cert.Leaf.SerialNumber.Int64()
}

func TestFiles(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	want := func(what string, serial int64) {
		t.Helper()
		if got := s.shown(t); got != serial {
			t.Fatalf("%s: certificate %d, want %d", what, got, serial)
		}
	}
	want("at first", 1)
	s.point(t, "two")
	want("a moment later, before anybody looks", 1)
	s.at = s.at.Add(every)
	want("later", 2)
	s.point(t, "nowhere")
	s.at = s.at.Add(every)
	want("while there are no files", 2)
	if err := s.Reload(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reload without files: %v", err)
	}
	s.point(t, "one")
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	want("after a reload", 1)
	s.at = s.at.Add(-time.Hour) // the clock was set back
	s.point(t, "two")
	want("by another clock", 2)
	if _, err := OpenFiles("nowhere", "nowhere", slog.New(slog.DiscardHandler), nil); err == nil {
		t.Error("opened without files")
	}
}

func TestBadRoots(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "roots.pem")
	if _, err := NewACME(Options{Roots: file}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(file, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewACME(Options{Roots: file}); err == nil {
		t.Error("a file without certificates was taken")
	}
}
