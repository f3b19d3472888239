package blob_test

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"verbless/internal/blob"
	"verbless/internal/fault"
)

// part is what the first parts in S3 have; on disk it is a size as any other.
const part = 8 << 20

// noise is content that is nowhere the same.
func noise(size int) []byte {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func crc(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// growing is a blob that grows, and what its caller has kept of it.
type growing struct {
	area blob.Area
	name string
	kept blob.Progress
	told []int64 // the sizes that keep was told
}

func grow(a blob.Area) *growing { return &growing{area: a, name: blob.NewName(".bin")} }

func (g *growing) keep(p blob.Progress) error {
	g.kept = p
	g.told = append(g.told, p.Size)
	return nil
}

func (g *growing) append(from int64, policy blob.Policy, r io.Reader) error {
	p, err := blob.Append(ctx, g.area, g.name, g.kept, from, policy, r, g.keep)
	if p.Size != g.kept.Size || p.CRC32C != g.kept.CRC32C || !bytes.Equal(p.State, g.kept.State) {
		return errors.New("what was given back is not what was kept")
	}
	return err
}

// add appends all of b, and wants it kept.
func (g *growing) add(t testing.TB, b []byte) {
	t.Helper()
	want := g.kept.Size + int64(len(b))
	if err := g.append(g.kept.Size, blob.Exact, bytes.NewReader(b)); err != nil || g.kept.Size != want {
		t.Fatalf("%d bytes are kept, want %d: %v", g.kept.Size, want, err)
	}
}

// is wants the blob to be finished with this content, and finishes it twice.
func (g *growing) is(t testing.TB, content []byte) {
	t.Helper()
	if g.kept.Size != int64(len(content)) || g.kept.CRC32C != crc(content) {
		t.Fatalf("%d bytes with %x are kept, want %d with %x", g.kept.Size, g.kept.CRC32C, len(content), crc(content))
	}
	for range 2 {
		if err := g.area.Finish(ctx, g.name, g.kept, always); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, g.area, g.name); got != string(content) {
		t.Fatalf("%d bytes came back as %d others", len(content), len(got))
	}
}

func TestNewName(t *testing.T) {
	one, other := blob.NewName(".bin"), blob.NewName(".bin")
	if !blob.Valid(one) || !blob.Valid(blob.NewName("")) || blob.HashOf(one) == blob.HashOf(other) {
		t.Errorf("%s, %s", one, other)
	}
}

func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		policy     blob.Policy
		have, from int64
		skip       int64
		ok         bool
	}{
		{blob.Exact, 0, 0, 0, true}, {blob.Exact, 5, 5, 0, true}, {blob.Exact, 5, 4, 0, false}, {blob.Exact, 5, 6, 0, false}, {blob.Exact, 5, -1, 0, false},
		{blob.Overlap, 0, 0, 0, true}, {blob.Overlap, 5, 5, 0, true}, {blob.Overlap, 5, 0, 5, true}, {blob.Overlap, 5, 4, 1, true}, {blob.Overlap, 5, 6, 0, false}, {blob.Overlap, 5, -1, 0, false},
	} {
		skip, err := c.policy(c.have, c.from)
		var offset *blob.OffsetError
		if skip != c.skip || (err == nil) != c.ok || !c.ok && (!errors.As(err, &offset) || *offset != blob.OffsetError{Have: c.have, From: c.from}) {
			t.Errorf("%+v: %d, %v", c, skip, err)
		}
	}
}

// All sizes around the borders, in one append and in several.
func TestGrowingSizes(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "uploads")
		whole := noise(3*part + 1)
		for _, size := range []int{0, 1, 256 << 10, part - 1, part, part + 1, 3*part + 1} {
			g := grow(a)
			g.add(t, whole[:size])
			g.is(t, whole[:size])

			g = grow(a)
			for _, end := range []int{0, size / 3, size / 3, size / 2, size} {
				g.add(t, whole[g.kept.Size:end])
			}
			g.is(t, whole[:size])
		}
		for _, name := range p.files(t) {
			if !blob.Valid(name) {
				t.Errorf("left behind: %s", name)
			}
		}
	})
}

func TestGrowingOffsets(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		g := grow(p.open(t, "uploads"))
		content := noise(600_000)
		g.add(t, content[:300_000])
		before := len(g.told)
		for _, from := range []int64{0, 299_999, 300_001} {
			var offset *blob.OffsetError
			if err := g.append(from, blob.Exact, bytes.NewReader(content)); !errors.As(err, &offset) || offset.Have != 300_000 || offset.From != from {
				t.Errorf("%d: %v", from, err)
			}
		}
		var offset *blob.OffsetError
		if err := g.append(300_001, blob.Overlap, bytes.NewReader(content)); !errors.As(err, &offset) {
			t.Errorf("a gap: %v", err)
		}
		for _, end := range []int{0, 200_000, 300_000} { // all is there already
			if err := g.append(0, blob.Overlap, bytes.NewReader(content[:end])); err != nil {
				t.Error(err)
			}
		}
		broken := errors.New("broken")
		if err := g.append(0, blob.Overlap, io.MultiReader(bytes.NewReader(content[:100]), iotest.ErrReader(broken))); err != broken {
			t.Errorf("broken while skipping: %v", err)
		}
		if len(g.told) != before {
			t.Errorf("kept %v", g.told)
		}
		if err := g.append(100_000, blob.Overlap, bytes.NewReader(content[100_000:])); err != nil {
			t.Fatal(err)
		}
		wrong := func(have, from int64) (int64, error) { return 1, nil }
		if err := g.append(600_000, wrong, strings.NewReader("xyz")); err == nil {
			t.Error("a policy that is wrong was followed")
		}
		g.is(t, content)
	})
}

// What came before an error is kept, and the error comes back as it is.
func TestGrowingFromABrokenReader(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		g := grow(p.open(t, "uploads"))
		content := noise(part + 200_000)
		broken := errors.New("broken")
		for _, end := range []int{0, 1, 150_000, 150_000, part + 100_000} {
			err := g.append(g.kept.Size, blob.Exact, io.MultiReader(bytes.NewReader(content[g.kept.Size:end]), iotest.ErrReader(broken)))
			if err != broken || g.kept.Size != int64(end) {
				t.Fatalf("%d of %d are kept: %v", g.kept.Size, end, err)
			}
		}
		left, cancel := context.WithCancel(ctx)
		defer cancel()
		reader := io.MultiReader(bytes.NewReader(content[g.kept.Size:part+110_000]), readerFunc(func([]byte) (int, error) { cancel(); return 0, left.Err() }))
		_, err := blob.Append(left, g.area, g.name, g.kept, g.kept.Size, blob.Exact, reader, g.keep)
		if !errors.Is(err, context.Canceled) || g.kept.Size != part+110_000 {
			t.Fatalf("a caller who left: %d are kept: %v", g.kept.Size, err)
		}
		g.add(t, content[g.kept.Size:])
		g.is(t, content)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// When keep fails, that is the end, and what was kept before holds.
func TestGrowingUnkept(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		g := grow(p.open(t, "uploads"))
		content := noise(3 * part)
		g.add(t, content[:1000])
		refused := errors.New("refused")
		calls := 0
		got, err := blob.Append(ctx, g.area, g.name, g.kept, 1000, blob.Exact, bytes.NewReader(content[1000:]), func(blob.Progress) error { calls++; return refused })
		if err != refused || calls != 1 || got.Size != 1000 || got.CRC32C != g.kept.CRC32C {
			t.Fatalf("%d calls, %d kept: %v", calls, got.Size, err)
		}
		g.add(t, content[1000:])
		g.is(t, content)
	})
}

// lose writes bytes that are durable when the writer ends, but never kept.
func (g *growing) lose(t testing.TB, b []byte) {
	t.Helper()
	gone := errors.New("gone")
	keep := func(now blob.Progress) error {
		if now.Size == g.kept.Size { // it is overtaken while it writes, and not before
			return nil
		}
		return gone
	}
	if _, err := blob.Append(ctx, g.area, g.name, g.kept, g.kept.Size, blob.Exact, bytes.NewReader(b), keep); err != gone {
		t.Fatal(err)
	}
}

// A writer that was overtaken while it waited for its first bytes changes nothing.
func TestOvertakenBeforeItBegins(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		g := grow(p.open(t, "uploads"))
		g.add(t, []byte("0123"))
		old := *g
		g.add(t, []byte("4567"))
		overtaken := errors.New("overtaken")
		never := func(blob.Progress) error { return overtaken }
		if _, err := blob.Append(ctx, old.area, old.name, old.kept, 4, blob.Exact, strings.NewReader("other"), never); err != overtaken {
			t.Errorf("got %v", err)
		}
		if err := old.area.Finish(ctx, old.name, old.kept, never); err != overtaken {
			t.Errorf("got %v", err)
		}
		g.is(t, []byte("01234567"))
	})
}

// A crash leaves more than was kept, or what a writer that was overtaken wrote: it is cut off.
func TestGrowingAfterACrash(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		content := noise(3*part + 5000)
		for _, kept := range []int{0, 10, part, part + 10} {
			g := grow(p.open(t, "uploads"))
			if kept > 0 {
				g.add(t, content[:kept])
			}
			g.lose(t, content[1:2*part]) // other bytes than those that come
			g.lose(t, content[1:100])
			g.add(t, content[kept:kept+1000])
			g.lose(t, content[1:1500])
			g.add(t, content[g.kept.Size:])
			g.is(t, content)
		}
	})
}

func TestFinishCutsWhatIsNotKept(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		content := noise(2*part + 5000)
		for _, kept := range []int{0, 10, part, part + 10} {
			g := grow(p.open(t, "uploads"))
			g.add(t, content[:kept])
			g.lose(t, content[:2*part])
			g.lose(t, content[:10])
			g.is(t, content[:kept])
		}
	})
}

func TestDiscard(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "uploads")
		content := noise(part + 10_000)
		stays := grow(a)
		stays.add(t, content)
		for _, size := range []int{0, 1000, part + 10_000} {
			g := grow(a)
			g.add(t, content[:size/2])
			g.add(t, content[size/2:size])
			if size == 1000 {
				g.is(t, content[:size]) // a finished one too
			}
			for range 2 {
				if err := a.Discard(ctx, g.name, g.kept); err != nil {
					t.Fatal(err)
				}
			}
			missing(t, a, g.name)
			for _, file := range p.files(t) {
				if strings.Contains(file, g.name) {
					t.Errorf("left behind: %s", file)
				}
			}
			if size > 0 {
				if err := g.append(g.kept.Size, blob.Exact, strings.NewReader("more")); err == nil {
					if err := a.Finish(ctx, g.name, g.kept, always); !errors.Is(err, blob.ErrDamaged) {
						t.Errorf("went on after its end: %v", err)
					}
				}
			}
		}
		stays.is(t, content)
		if err := a.Discard(ctx, "../x", blob.Progress{}); err != nil {
			t.Error(err)
		}
	})
}

// Nobody but the caller knows names: those that are not names are refused.
func TestGrowingStrangeNames(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "uploads")
		for _, name := range []string{"", "..", "../" + blob.NewName(""), "incoming", blob.NewName("") + "~1"} {
			if _, err := blob.Append(ctx, a, name, blob.Progress{}, 0, blob.Exact, strings.NewReader("x"), func(blob.Progress) error { return nil }); err == nil {
				t.Errorf("%q grew", name)
			}
			if err := a.Finish(ctx, name, blob.Progress{}, always); err == nil {
				t.Errorf("%q was finished", name)
			}
		}
		if left := p.files(t); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestGrowingIsSwept(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "uploads")
		content := noise(part + 10_000)
		want := map[string]bool{}
		var stay []*growing
		var gone []string
		for _, size := range []int{1000, part + 10_000} {
			for _, wanted := range []bool{true, false} {
				for _, finished := range []bool{true, false} {
					g := grow(a)
					g.add(t, content[:size/2])
					g.add(t, content[size/2:size])
					if finished {
						g.is(t, content[:size])
					}
					want[g.name] = wanted
					if wanted {
						stay = append(stay, g)
					} else {
						gone = append(gone, g.name)
					}
				}
			}
		}
		asked := map[string]bool{}
		wanted := func(_ context.Context, names []string) (map[string]bool, error) {
			for _, name := range names {
				if _, known := want[name]; !known {
					t.Errorf("asked for %q", name)
				}
				asked[name] = true
			}
			return want, nil
		}
		if err := a.Sweep(ctx, time.Now().Add(-time.Hour), wanted); err != nil || len(asked) > 0 {
			t.Fatalf("what is new was asked for: %v, %v", asked, err)
		}
		for range 2 {
			if err := a.Sweep(ctx, time.Now().Add(time.Hour), wanted); err != nil {
				t.Fatal(err)
			}
		}
		if len(asked) != len(want) {
			t.Errorf("%d of %d were asked for", len(asked), len(want))
		}
		for _, file := range p.files(t) {
			for _, name := range gone {
				if strings.Contains(file, name) {
					t.Errorf("left behind: %s", file)
				}
			}
		}
		for _, g := range stay {
			g.is(t, content[:g.kept.Size])
		}
	})
}

// What is lost is said, and never served as zeros.
func TestGrowingOfWhatIsLost(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "uploads")
		for _, size := range []int{1000, part + 1000} {
			g := grow(a)
			g.add(t, noise(size))
			if err := a.Discard(ctx, g.name, g.kept); err != nil {
				t.Fatal(err)
			}
			err := a.Finish(ctx, g.name, g.kept, always)
			if !errors.Is(err, blob.ErrDamaged) || !fault.Is(err, fault.Internal) {
				t.Errorf("%d: %v", size, err)
			}
			missing(t, a, g.name)
		}
	})
}

// always lets a writer go on.
func always(blob.Progress) error { return nil }
