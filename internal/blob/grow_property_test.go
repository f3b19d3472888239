package blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"verbless/internal/blob"
	"verbless/internal/blob/blobtest"
	"verbless/internal/fault"
)

var soak = os.Getenv("VERBLESS_SOAK") == "1"

// A blob that grows is compared, step by step, with a plain slice of bytes. Writers break off, repeat themselves, leave gaps,
// and write what is never kept.
func TestGrowingProperty(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		cases := 15
		if soak {
			cases = 300
		}
		for range cases {
			seed := rand.Uint64()
			t.Run(fmt.Sprint(seed), func(t *testing.T) { growByChance(t, p, rand.New(rand.NewPCG(seed, 0))) })
		}
		if left := p.files(t); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func growByChance(t *testing.T, p place, chance *rand.Rand) {
	g, model, source := grow(p.open(t, "uploads")), []byte{}, noise(4*part)
	broken := errors.New("broken")
	most := []int{2000, 300_000, part + 5, 2 * part}[chance.IntN(4)]
	for range 1 + chance.IntN(8) {
		chunk := source[chance.IntN(part):][:chance.IntN(most)]
		at := int64(len(model))
		switch chance.IntN(6) {
		case 0, 1:
			g.add(t, chunk)
			model = append(model, chunk...)
		case 2: // a writer that is not sure what was kept
			back := chance.IntN(len(model) + 1)
			sent := slices.Concat(model[len(model)-back:], chunk)
			sent = sent[:chance.IntN(len(sent)+1)]
			if err := g.append(at-int64(back), blob.Overlap, iotest.HalfReader(bytes.NewReader(sent))); err != nil {
				t.Fatal(err)
			}
			model = append(model, sent[min(back, len(sent)):]...)
		case 3:
			var offset *blob.OffsetError
			if err := g.append(at+1, blob.Overlap, bytes.NewReader(chunk)); !errors.As(err, &offset) {
				t.Fatal(err)
			}
		case 4:
			if err := g.append(at, blob.Exact, io.MultiReader(bytes.NewReader(chunk), iotest.ErrReader(broken))); err != broken {
				t.Fatal(err)
			}
			model = append(model, chunk...)
		case 5: // a crash, after which another process goes on
			g.lose(t, append(chunk[:len(chunk):len(chunk)], 'x'))
			g.area = p.open(t, "uploads")
		}
		if g.kept.Size != int64(len(model)) || g.kept.CRC32C != crc(model) || !slices.IsSorted(g.told) {
			t.Fatalf("%d bytes with %x are kept, want %d with %x; told were %v", g.kept.Size, g.kept.CRC32C, len(model), crc(model), g.told)
		}
	}
	g.is(t, model)
	g.seeks(t, model, chance)
	if err := g.area.Discard(ctx, g.name, g.kept); err != nil {
		t.Fatal(err)
	}
}

// seeks reads back from some places.
func (g *growing) seeks(t *testing.T, content []byte, chance *rand.Rand) {
	r, err := g.area.Open(ctx, g.name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 5 {
		at := chance.IntN(len(content) + 1)
		got := make([]byte, min(1000, len(content)-at))
		if _, err := r.Seek(int64(at), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, content[at:at+len(got)]) {
			t.Fatalf("other bytes at %d: %v", at, err)
		}
	}
}

// Many small appends cost neither more and more state, nor more and more objects.
func TestGrowingBySmallPieces(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		g := grow(p.open(t, "uploads"))
		content := noise(300*700 + 2*part)
		for range 300 {
			g.add(t, content[g.kept.Size:g.kept.Size+700])
			if len(g.kept.State) > 8<<10 {
				t.Fatalf("the state has %d bytes", len(g.kept.State))
			}
		}
		if n := len(p.files(t)); n > 65 {
			t.Errorf("%d files", n)
		}
		g.add(t, content[g.kept.Size:])
		g.is(t, content)
		if left := p.files(t); len(left) != 1 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// Of two writers the one with the newer claim wins; the other ends at its next keep, and leaves no trace.
func TestTwoWriters(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "uploads")
		for _, size := range []int{400_000, 2*part + 1000} {
			name, content := blob.NewName(""), noise(size)
			var mu sync.Mutex
			var kept blob.Progress
			writer := 0
			overtaken := errors.New("overtaken")
			claim := func() (blob.Progress, func(blob.Progress) error) {
				mu.Lock()
				defer mu.Unlock()
				writer++
				me := writer
				return kept, func(p blob.Progress) error {
					mu.Lock()
					defer mu.Unlock()
					if me != writer {
						return overtaken
					}
					kept = p
					return nil
				}
			}
			var all sync.WaitGroup
			for range 6 {
				all.Go(func() {
					have, keep := claim()
					if _, err := blob.Append(ctx, a, name, have, 0, blob.Overlap, bytes.NewReader(content), keep); err != nil && err != overtaken {
						t.Error(err)
					}
				})
			}
			all.Wait()
			g := &growing{area: a, name: name, kept: kept}
			g.add(t, content[kept.Size:])
			g.is(t, content)
		}
	})
}

// On S3 a writer that was overtaken can still write over a part. That is found, and the blob is never served.
func TestOverwrittenPartIsFound(t *testing.T) {
	t.Parallel()
	s := blobtest.Start(t)
	content := noise(2*part + 1000)
	for _, same := range []bool{true, false} {
		g := grow(s.Area(t, "uploads"))
		g.add(t, content[:part])
		old := *g
		g.add(t, content[part:])
		if same {
			old.lose(t, content[part:2*part])
			g.is(t, content)
			continue
		}
		old.lose(t, content[:part])
		if err := g.area.Finish(ctx, g.name, g.kept, always); !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("got %v", err)
		}
		missing(t, g.area, g.name)
	}
}

// Several at once are told that it is done, or to try again; never that anything is lost.
func TestFinishAgain(t *testing.T) {
	each(t, func(t *testing.T, p place) {
		a := p.open(t, "uploads")
		content := noise(part + 1000)
		for _, size := range []int{0, 1000, part, part + 1000} {
			g := grow(a)
			g.add(t, content[:size])
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if err := a.Finish(ctx, g.name, g.kept, always); err != nil && !fault.Is(err, fault.Unavailable) {
						t.Errorf("%d at the same time: %v", size, err)
					}
				})
			}
			all.Wait()
			g.is(t, content[:size])
		}
		for _, name := range p.files(t) {
			if strings.Contains(name, "~") {
				t.Errorf("left behind: %s", name)
			}
		}
	})
}
