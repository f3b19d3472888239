package picture_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"verbless/internal/picture"
)

// photograph is a picture with grain, about 1 MB as a PNG.
func photograph(b *testing.B) []byte {
	random := rand.New(rand.NewPCG(4, 0))
	m := image.NewNRGBA(image.Rect(0, 0, 860, 1160))
	for y := range 1160 {
		for x := range 860 {
			grain := uint8(random.IntN(5))
			m.SetNRGBA(x, y, color.NRGBA{uint8(x/4) + grain, uint8(y/5) + grain, uint8((x+y)/9) + grain, 255})
		}
	}
	return makePNG(b, m)
}

func BenchmarkClean(b *testing.B) {
	moving := makeGIF(b, 400, 300, 20)
	for name, data := range map[string][]byte{"png": photograph(b), "jpeg": makeJPEG(b, drawing(1000, 1000)), "gif": moving} {
		b.Run(name, func(b *testing.B) {
			judge := picture.NewJudge(delivered)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := judge.Clean(context.Background(), picture.Sniff(data), data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("png by the standard library", func(b *testing.B) {
		data := photograph(b)
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
