package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"verbless/internal/blob"
	"verbless/internal/blob/blobtest"
	"verbless/internal/fault"
)

// place is one of the stores, and the files in which it keeps blobs.
type place struct {
	open  func(t testing.TB, area string) blob.Area
	files func(t testing.TB) []string
}

// each runs a test on disk and on S3.
func each(t *testing.T, fn func(t *testing.T, p place)) {
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		fn(t, place{
			open:  func(t testing.TB, area string) blob.Area { return blobtest.Disk(t, dir, area) },
			files: func(t testing.TB) []string { return files(t, dir) },
		})
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		s := blobtest.Start(t)
		fn(t, place{open: s.Area, files: func(t testing.TB) []string { return files(t, s.Folder) }})
	})
}

// files lists all the files below a folder, but for those of the server itself.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, filepath.Base(file))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

var ctx = context.Background()

// put stores content and gives its name.
func put(t testing.TB, a blob.Area, content string) string {
	t.Helper()
	name := blob.Name(blob.Hash([]byte(content)), ".png")
	if err := a.Put(ctx, name, []byte(content)); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t testing.TB, a blob.Area, name string) string {
	t.Helper()
	r, err := a.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil || r.Size() != int64(len(content)) {
		t.Fatalf("%d bytes, size %d: %v", len(content), r.Size(), err)
	}
	return string(content)
}

func missing(t testing.TB, a blob.Area, name string) {
	t.Helper()
	if _, err := a.Open(ctx, name); !fault.Is(err, fault.NotFoundCode) {
		t.Errorf("got %v, want not_found", err)
	}
}

func TestPutAndOpen(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "avatars")
		for _, size := range []int{0, 1, 100, 1 << 20, 3 << 20} {
			content := strings.Repeat("0123456789", size/10+1)[:size]
			name := put(t, a, content)
			if got := read(t, a, name); got != content {
				t.Errorf("%d bytes came back as %d others", size, len(got))
			}
		}
		if got := read(t, p.open(t, "avatars"), put(t, a, "seen by others")); got != "seen by others" {
			t.Errorf("another opener sees %q", got)
		}
		for _, name := range p.files(t) {
			if !blob.Valid(name) {
				t.Errorf("left behind: %s", name)
			}
		}
	})
}

func TestSeeking(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "avatars")
		content := strings.Repeat("abcdefghij", 10_000)
		r, err := a.Open(ctx, put(t, a, content))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, step := range []struct {
			offset int64
			whence int
			at     int
		}{{0, io.SeekEnd, len(content)}, {0, io.SeekStart, 0}, {50_003, io.SeekStart, 50_003}, {7, io.SeekCurrent, 50_014}, {-5, io.SeekEnd, len(content) - 5}, {3, io.SeekStart, 3}} {
			at, err := r.Seek(step.offset, step.whence)
			if err != nil || at != int64(step.at) {
				t.Fatalf("seek %+v: %d, %v", step, at, err)
			}
			part := make([]byte, min(4, len(content)-step.at))
			if _, err := io.ReadFull(r, part); err != nil || string(part) != content[step.at:step.at+len(part)] {
				t.Errorf("at %d: %q, %v", step.at, part, err)
			}
		}
		if _, err := r.Seek(-1, io.SeekStart); err == nil {
			t.Error("sought before the start")
		}
		if _, err := r.Seek(1, io.SeekEnd); err != nil {
			t.Error(err)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("read %d behind the end: %v", n, err)
		}
	})
}

func TestRemove(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "avatars")
		gone, stays := put(t, a, "gone"), put(t, a, "stays")
		for range 2 { // the second time it is not there any more
			if err := a.Remove(ctx, gone); err != nil {
				t.Fatal(err)
			}
		}
		missing(t, a, gone)
		read(t, a, stays)
		if again := put(t, a, "gone"); again == gone {
			t.Error("a new copy has the name of the old one")
		}
	})
}

func TestStrangeNames(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "avatars")
		good := put(t, a, "good")
		for _, name := range []string{"", ".", "..", "../" + good, "incoming", "x", strings.ToUpper(good), good + "\x00", good + "/", good[:len(good)-4] + ".p%g", strings.Repeat("a", 4096), "/etc/passwd"} {
			missing(t, a, name)
			if err := a.Remove(ctx, name); err != nil {
				t.Errorf("%q: %v", name, err)
			}
			if err := a.Put(ctx, name, []byte("x")); err == nil {
				t.Errorf("%q was put", name)
			}
		}
		missing(t, a, blob.Name(blob.Hash([]byte("never")), ".png"))
		read(t, a, good)
	})
}

func TestAreasAreApart(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		avatars, uploads := p.open(t, "avatars"), p.open(t, "uploads")
		name := put(t, avatars, "mine")
		missing(t, uploads, name)
		if err := uploads.Remove(ctx, name); err != nil {
			t.Fatal(err)
		}
		nothing := func(context.Context, []string) (map[string]bool, error) { return nil, nil }
		if err := uploads.Sweep(ctx, time.Now().Add(time.Hour), nothing); err != nil {
			t.Fatal(err)
		}
		read(t, avatars, name)
	})
}

func TestSweep(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "avatars")
		var names []string
		for i := range 250 {
			names = append(names, put(t, a, fmt.Sprint("content ", i)))
		}
		want := map[string]bool{}
		for i, name := range names {
			want[name] = i%2 == 0
		}
		asked := 0
		wanted := func(_ context.Context, some []string) (map[string]bool, error) {
			asked += len(some)
			return want, nil
		}
		if err := a.Sweep(ctx, time.Now().Add(-time.Hour), wanted); err != nil || asked > 0 {
			t.Fatalf("what is new was asked for: %d, %v", asked, err)
		}
		if err := a.Sweep(ctx, time.Now().Add(time.Hour), wanted); err != nil || asked != len(names) {
			t.Fatalf("%d were asked for: %v", asked, err)
		}
		for name, stays := range want {
			if stays {
				read(t, a, name)
			} else {
				missing(t, a, name)
			}
		}
		failed := errors.New("the database is down")
		err := a.Sweep(ctx, time.Now().Add(time.Hour), func(context.Context, []string) (map[string]bool, error) { return nil, failed })
		if !errors.Is(err, failed) {
			t.Errorf("got %v", err)
		}
		if left := len(p.files(t)); left != 125 {
			t.Errorf("%d files are left", left)
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "avatars")
		content := bytes.Repeat([]byte("x"), 100_000)
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				name := blob.Name(blob.Hash([]byte{byte(i)}), "")
				if err := a.Put(ctx, name, content); err != nil {
					t.Error(err)
				} else if got := read(t, a, name); got != string(content) {
					t.Errorf("%d bytes came back", len(got))
				} else if err := a.Remove(ctx, name); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if left := p.files(t); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestOpenRefuses(t *testing.T) {
	for _, o := range []blob.Options{
		{URL: "ftp://x"}, {URL: ""}, {URL: "s3://", Endpoint: "http://x"}, {URL: "s3://b"}, {URL: "s3://b", Endpoint: "x:9000"}, {URL: "s3://b", Endpoint: "ftp://x"},
		{URL: "s3://b", Endpoint: "http://x/path"}, {URL: "disk", Dir: "/dev/null"},
	} {
		if s, err := blob.Open(o); err == nil {
			t.Errorf("%+v: opened %v", o, s)
		}
	}
	s, err := blob.Open(blob.Options{URL: "disk", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"", "..", "a/b", "Avatars"} {
		if _, err := s.Area(name); err == nil {
			t.Errorf("area %q was opened", name)
		}
	}
}
