package blob_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"verbless/internal/blob"
	"verbless/internal/blob/blobtest"
)

// The goal is 0.9 of what copying to a file and syncing it once gives:
//
//	go test ./internal/blob -run '^$' -bench Append -benchtime 5x -count 3
func BenchmarkAppend(b *testing.B) {
	const size = 1 << 30
	source := noise(1 << 20)
	reader := func() io.Reader {
		return io.LimitReader(readerFunc(func(p []byte) (int, error) { return copy(p, source), nil }), size)
	}
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(size)
		for range b.N {
			file := filepath.Join(b.TempDir(), "file")
			f, err := os.Create(file)
			if err == nil {
				_, err = io.Copy(struct{ io.Writer }{f}, reader())
			}
			if err == nil {
				err = f.Sync()
			}
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
			b.StopTimer()
			os.Remove(file)
			b.StartTimer()
		}
	})
	for what, chunk := range map[string]int64{"one": size, "chunks of 16 MiB": 16 << 20} {
		b.Run(what, func(b *testing.B) {
			b.SetBytes(size)
			a := blobtest.Disk(b, b.TempDir(), "uploads")
			for range b.N {
				g := grow(a)
				r := reader()
				for g.kept.Size < size {
					if err := g.append(g.kept.Size, blob.Exact, io.LimitReader(r, chunk)); err != nil {
						b.Fatal(err)
					}
				}
				if err := a.Finish(ctx, g.name, g.kept, always); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := a.Discard(ctx, g.name, g.kept); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
