package blob_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"verbless/internal/blob"
	"verbless/internal/blob/blobtest"
	"verbless/internal/fault"
)

// What is durable when the disk is full is kept, and the rest can come when there is room.
func TestGrowingOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	small(t, dir, "size=2m")
	g := grow(blobtest.Disk(t, dir, "uploads"))
	content := noise(3 << 20)
	err := g.append(0, blob.Exact, bytes.NewReader(content))
	f := fault.As(err)
	if f.Code != fault.StorageFull || f.Retry == 0 || strings.Contains(f.Message, dir) || g.kept.Size < 1<<20 {
		t.Fatalf("%d are kept: %v", g.kept.Size, f)
	}
	if err := g.append(g.kept.Size, blob.Exact, bytes.NewReader(content[g.kept.Size:])); !fault.Is(err, fault.StorageFull) {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=5m"); err != nil {
		t.Fatal(err)
	}
	g.add(t, content[g.kept.Size:])
	g.is(t, content)
}

// A part is gathered on a disk that is full: what fits is kept in S3.
func TestGrowingInS3WithAFullDisk(t *testing.T) {
	s := blobtest.Start(t)
	s.Options.Dir = t.TempDir()
	small(t, s.Options.Dir, "size=2m")
	g := grow(s.Area(t, "uploads"))
	content := noise(3 << 20)
	if err := g.append(0, blob.Exact, bytes.NewReader(content)); !fault.Is(err, fault.StorageFull) || g.kept.Size < 1<<20 {
		t.Fatalf("%d are kept: %v", g.kept.Size, err)
	}
	if left := files(t, s.Options.Dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	g.add(t, content[g.kept.Size:]) // each part of it fits
	if err := g.area.Finish(ctx, g.name, g.kept, always); !fault.Is(err, fault.StorageFull) {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", s.Options.Dir, "tmpfs", syscall.MS_REMOUNT, "size=5m"); err != nil {
		t.Fatal(err)
	}
	g.is(t, content)
}

// A file that lost bytes is never filled up.
func TestGrowingOfAShortFile(t *testing.T) {
	dir := t.TempDir()
	g := grow(blobtest.Disk(t, dir, "uploads"))
	g.add(t, noise(1000))
	if err := os.Truncate(filepath.Join(dir, "blobs", "uploads", g.name[:2], g.name), 999); err != nil {
		t.Fatal(err)
	}
	if err := g.append(1000, blob.Exact, strings.NewReader("x")); !errors.Is(err, blob.ErrDamaged) || !fault.Is(err, fault.Internal) {
		t.Errorf("append: %v", err)
	}
	if err := g.area.Finish(ctx, g.name, g.kept, always); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("finish: %v", err)
	}
}

// S3 goes away in the middle of an append: what was kept stays, and it goes on from there when S3 is back.
func TestGrowingWhileS3Stops(t *testing.T) {
	t.Parallel()
	s := blobtest.Start(t)
	g := grow(s.Area(t, "uploads"))
	content := noise(3*part + 5000)
	g.add(t, content[:1000])
	stopping := readerFunc(func([]byte) (int, error) { s.Stop(); return 0, io.EOF })
	err := g.append(1000, blob.Exact, io.MultiReader(bytes.NewReader(content[1000:2*part]), stopping, bytes.NewReader(content[2*part:])))
	if f := fault.As(err); f.Code != fault.Unavailable || f.Retry == 0 || strings.Contains(f.Message, "127.0.0.1") {
		t.Fatal(err)
	}
	if g.kept.Size != 1000 && g.kept.Size != part && g.kept.Size != 2*part {
		t.Errorf("%d are kept", g.kept.Size)
	}
	for what, call := range map[string]func() error{
		"append":  func() error { return g.append(g.kept.Size, blob.Exact, bytes.NewReader(content[g.kept.Size:])) },
		"finish":  func() error { return g.area.Finish(ctx, g.name, g.kept, always) },
		"discard": func() error { return g.area.Discard(ctx, g.name, g.kept) },
	} {
		if err := call(); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.Restart(t)
	g.add(t, content[g.kept.Size:])
	g.is(t, content)
	if left := files(t, s.Folder); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// Another process has the file: an append waits for its end, or gives up with its caller.
func TestGrowingBesideAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	g := grow(blobtest.Disk(t, dir, "uploads"))
	g.add(t, []byte("mine, "))
	other := startHelper(t, "hold", dir, g.name)
	if line := other.line(t); line != "writes" {
		t.Fatal(line)
	}
	short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	got, err := blob.Append(short, g.area, g.name, g.kept, 6, blob.Exact, strings.NewReader("ours"), g.keep)
	if !errors.Is(err, context.DeadlineExceeded) || got.Size != 6 {
		t.Fatalf("%d: %v", got.Size, err)
	}
	if err := g.area.Finish(short, g.name, g.kept, always); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- g.append(6, blob.Exact, strings.NewReader("ours")) }()
	other.kill()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	g.is(t, []byte("mine, ours"))
}

// Memory does not depend on how much is appended, and little on how many append.
func TestGrowingMemory(t *testing.T) {
	const mb = 1_000_000
	gib, parts := 1<<30, 192<<20
	if soak {
		gib, parts = 10<<30, 10<<30
	}
	s := blobtest.Start(t)
	for _, c := range []struct {
		what string
		most int
		args []string
	}{
		{"one on disk", 16 * mb, []string{"append", t.TempDir(), "", fmt.Sprint(gib), "1"}},
		{"200 on disk", 200 * mb, // it takes 30 MB, and three times that under the race detector
			[]string{"append", t.TempDir(), "", fmt.Sprint(2 << 20), "200"}},
		{"one in S3", 16 * mb, []string{"append", t.TempDir(), s.Options.Endpoint, fmt.Sprint(parts), "1"}},
	} {
		var before, after int
		if _, err := fmt.Sscan(startHelper(t, c.args...).line(t), &before, &after); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d KB, %d KB more", c.what, before/1000, (after-before)/1000)
		if after-before > c.most {
			t.Errorf("%s: %d KB more", c.what, (after-before)/1000)
		}
	}
}

// small mounts a small disk over a folder.
func small(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("none", dir, "tmpfs", 0, size); err != nil {
		if os.Getenv("VERBLESS_TEST_REQUIRE") == "1" && os.Getuid() == 0 {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED ON A FULL DISK: mounting a tmpfs needs root: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// helperVariable makes of this test binary the other process.
const helperVariable = "VERBLESS_BLOB_HELPER"

func TestMain(m *testing.M) {
	if args := os.Getenv(helperVariable); args != "" {
		if err := help(strings.Split(args, "|")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type helper struct {
	cmd *exec.Cmd
	out *bufio.Reader
}

func startHelper(t *testing.T, args ...string) *helper {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperVariable+"="+strings.Join(args, "|"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	h := &helper{cmd, bufio.NewReader(out)}
	t.Cleanup(h.kill)
	return h
}

func (h *helper) line(t *testing.T) string {
	t.Helper()
	line, err := h.out.ReadString('\n')
	if err != nil {
		t.Fatal(line, err)
	}
	return strings.TrimSpace(line)
}

func (h *helper) kill() {
	h.cmd.Process.Kill()
	h.cmd.Wait()
}

// help is what the other process does.
func help(args []string) error {
	o := blob.Options{URL: "disk", Dir: args[1]}
	if args[0] == "append" && args[2] != "" {
		o = blobtest.At(args[2])
		o.Dir = args[1]
	}
	store, err := blob.Open(o)
	if err != nil {
		return err
	}
	a, err := store.Area("uploads")
	if err != nil {
		return err
	}
	if args[0] == "hold" {
		return hold(a, args[2])
	}
	size, err := strconv.ParseInt(args[3], 10, 64)
	if err != nil {
		return err
	}
	many, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	return appendMany(a, size, many)
}

// hold begins to append to a blob of 6 bytes, and goes on until it is killed.
func hold(a blob.Area, name string) error {
	n := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if n++; n == 3 { // the first buffers are written
			fmt.Println("writes")
		}
		if n > 3 {
			time.Sleep(10 * time.Millisecond)
		}
		return len(p), nil
	})
	_, err := blob.Append(ctx, a, name, blob.Progress{Size: 6}, 6, blob.Exact, endless, func(blob.Progress) error { return nil })
	return err
}

// appendMany appends to many blobs, all in the middle at the same time, and says what memory was at most before and after.
func appendMany(a blob.Area, size int64, many int) error {
	nothing := func(blob.Progress) error { return nil }
	source := noise(1 << 20)
	if _, err := blob.Append(ctx, a, blob.NewName(""), blob.Progress{}, 0, blob.Exact, bytes.NewReader(source), nothing); err != nil {
		return err
	}
	debug.FreeOSMemory()
	before, err := peak()
	if err != nil {
		return err
	}
	var all, middle sync.WaitGroup
	failed := make([]error, many)
	middle.Add(many)
	for i := range many {
		all.Go(func() {
			var given int64
			reader := readerFunc(func(p []byte) (int, error) {
				if given == size {
					return 0, io.EOF
				}
				n := copy(p[:min(int64(len(p)), size-given)], source)
				if given < size/2 && given+int64(n) >= size/2 {
					middle.Done()
					middle.Wait()
				}
				given += int64(n)
				return n, nil
			})
			var p blob.Progress
			name := blob.NewName("")
			if p, failed[i] = blob.Append(ctx, a, name, blob.Progress{}, 0, blob.Exact, reader, nothing); failed[i] == nil {
				failed[i] = a.Finish(ctx, name, p, always)
			}
		})
	}
	all.Wait()
	after, err := peak()
	if err := errors.Join(append(failed, err)...); err != nil {
		return err
	}
	fmt.Println(before, after)
	return nil
}

// peak is the most memory this process has had.
func peak() (int, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kib, err := strconv.Atoi(number)
	return kib << 10, err
}
