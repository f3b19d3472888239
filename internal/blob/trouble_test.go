package blob_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verbless/internal/blob"
	"verbless/internal/blob/blobtest"
	"verbless/internal/fault"
)

var content = []byte(strings.Repeat("x", 100_000))

func newName() string { return blob.Name(blob.Hash(content), ".png") }

func TestS3Down(t *testing.T) {
	t.Parallel()
	s := blobtest.Start(t)
	a := s.Area(t, "avatars")
	kept := newName()
	if err := a.Put(ctx, kept, content); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	for what, call := range map[string]func() error{
		"put":    func() error { return a.Put(ctx, newName(), content) },
		"open":   func() error { _, err := a.Open(ctx, kept); return err },
		"remove": func() error { return a.Remove(ctx, kept) },
		"sweep":  func() error { return a.Sweep(ctx, time.Now(), nil) },
	} {
		f := fault.As(call())
		if f.Code != fault.Unavailable || f.Retry == 0 || strings.Contains(f.Message, "127.0.0.1") {
			t.Errorf("%s: %v", what, f)
		}
	}
	s.Restart(t)
	if got := read(t, a, kept); got != string(content) {
		t.Errorf("%d bytes came back", len(got))
	}
	if left := files(t, s.Folder); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestS3WrongSecret(t *testing.T) {
	t.Parallel()
	s := blobtest.Start(t)
	s.Options.Secret = "guessed"
	a := s.Area(t, "avatars")
	err := a.Put(ctx, newName(), content)
	if !fault.Is(err, fault.Unavailable) || strings.Contains(err.Error(), "guessed") {
		t.Errorf("got %v", err)
	}
}

func TestPutOfACallerThatLeft(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := p.open(t, "avatars").Put(gone, newName(), content); err == nil {
			t.Error("it was stored")
		}
		if left := p.files(t); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	small(t, dir, "size=1m")
	a := blobtest.Disk(t, dir, "avatars")
	stored := 0
	var err error
	for range 20 {
		if err = a.Put(ctx, newName(), content); err != nil {
			break
		}
		stored++
	}
	f := fault.As(err)
	if f.Code != fault.StorageFull || f.Retry == 0 || strings.Contains(f.Message, dir) || stored < 5 {
		t.Fatalf("after %d: %v", stored, f)
	}
	left := files(t, dir)
	if len(left) != stored {
		t.Errorf("%d files, %d stored: %v", len(left), stored, left)
	}
	if err := a.Remove(ctx, left[0]); err != nil {
		t.Fatal(err)
	}
	if err := a.Put(ctx, newName(), content); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// A folder that has gone is trouble of ours, not the absence of a blob.
func TestDiskGone(t *testing.T) {
	dir := t.TempDir()
	a := blobtest.Disk(t, dir, "avatars")
	if err := os.RemoveAll(filepath.Join(dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	if err := a.Put(ctx, newName(), content); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v", err)
	}
}

func TestBrokenWritesAreSwept(t *testing.T) {
	dir := t.TempDir()
	a := blobtest.Disk(t, dir, "avatars")
	half := filepath.Join(dir, "blobs", "avatars", "incoming", "HALFAFILE")
	if err := os.WriteFile(half, content[:5000], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		before time.Duration
		left   int
	}{{-time.Hour, 1}, {time.Hour, 0}} {
		if err := a.Sweep(ctx, time.Now().Add(step.before), nil); err != nil {
			t.Fatal(err)
		}
		if now := files(t, dir); len(now) != step.left {
			t.Errorf("%s: %v are left", step.before, now)
		}
	}
}

// What a link points to outside of the folder cannot be read.
func TestLinksLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	a := blobtest.Disk(t, dir, "avatars")
	name := newName()
	if err := a.Put(ctx, name, content); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "blobs", "avatars", name[:2], name)
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, file); err != nil {
		t.Fatal(err)
	}
	if r, err := a.Open(ctx, name); err == nil {
		t.Errorf("opened %v", r)
	}
}
