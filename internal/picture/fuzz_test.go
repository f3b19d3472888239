package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/picture"
)

// strip is the law of all strippers: what is accepted decodes, to the same pixels as before where it could be decoded
// before; it is not stripped further the second time; and what is refused is refused with a code of ours.
func strip(t *testing.T, mediaType string, in []byte) {
	judge := picture.NewJudge(picture.Limits{Side: 256, Pixels: 20_000, Animation: 100_000})
	p, err := judge.Clean(context.Background(), mediaType, in)
	if err != nil {
		if f := fault.As(err); f.Code != fault.ImageMismatch && f.Code != fault.ImageCorrupt && f.Code != fault.ImageTooManyPixels {
			t.Fatal(err)
		}
		return
	}
	after := pixels(t, mediaType, p.Data)
	if err, failed := after.(error); failed {
		t.Fatalf("accepted, but cannot be decoded: %v", err)
	}
	before := pixels(t, mediaType, in)
	if _, failed := before.(error); !failed && !sameLook(before, after) {
		t.Fatal("the pixels are not the same")
	}
	again, err := judge.Clean(context.Background(), mediaType, p.Data)
	if err != nil || !bytes.Equal(again.Data, p.Data) {
		t.Fatalf("stripped twice, it is not the same: %v", err)
	}
}

func FuzzJPEG(f *testing.F) {
	photo := makeJPEG(f, drawing(20, 12))
	f.Add(photo)
	f.Add(makeJPEG(f, image.NewGray(image.Rect(0, 0, 9, 9))))
	f.Add(flatJPEG(30, 20, 3, 4))
	f.Add(flatJPEG(30, 20, 4, 1))
	f.Add(insert(photo, 2, segment(0xe1, "Exif\x00\x00"+exif(binary.BigEndian, 6, "x")), segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01"), segment(0xe0, "JFXX\x00\x10")))
	f.Fuzz(func(t *testing.T, in []byte) { strip(t, picture.JPEG, in) })
}

func FuzzPNG(f *testing.F) {
	f.Add(makePNG(f, drawing(20, 12)))
	f.Add(makePNG(f, image.NewGray16(image.Rect(0, 0, 9, 9))))
	f.Add(rawPNG(3, 5, 8, 0, 1, []byte("\x00a\x00b\x00c\x00d\x00ef\x00g\x00h\x00i\x00jkl\x00mno"), chunk("tRNS", []byte{0, 97})))
	f.Add(rawPNG(4, 2, 2, 3, 0, []byte{0, 27, 1, 0}, chunk("PLTE", make([]byte, 9)), chunk("tRNS", []byte{1, 2})))
	f.Add(animatedPNG())
	f.Fuzz(func(t *testing.T, in []byte) {
		strip(t, picture.PNG, mended(in))
	})
}

// mended puts the checksums of a PNG right, without which few changes would get past them.
func mended(in []byte) []byte {
	out := bytes.Clone(in)
	for at := len(pngStart); at+12 <= len(out); {
		n := int(binary.BigEndian.Uint32(out[at:]))
		if n > len(out)-at-12 {
			break
		}
		copy(out[at:], chunk(string(out[at+4:at+8]), out[at+8:at+8+n]))
		at += 12 + n
	}
	return out
}

func FuzzGIF(f *testing.F) {
	f.Add(makeGIF(f, 10, 6, 2))
	f.Add(manyFrames(5, 5, 3))
	f.Add([]byte("GIF89a\x02\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xfe\x03abc\x00!\xf9\x04\x01\x00\x00\x05\x00,\x00\x00\x00\x00\x02\x00\x02\x00@\x02\x03D\x34\x05\x00;"))
	f.Fuzz(func(t *testing.T, in []byte) { strip(t, picture.GIF, in) })
}
