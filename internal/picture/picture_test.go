package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/picture"
)

var delivered = picture.Limits{Side: 8192, Pixels: 24_000_000, Animation: 50_000_000}

const secret = "52.5200 N 13.4050 E"

// pixels decodes an image as a stranger would: all its frames, delays and palettes.
func pixels(t testing.TB, mediaType string, data []byte) any {
	t.Helper()
	var m any
	var err error
	switch mediaType {
	case picture.JPEG:
		m, err = jpeg.Decode(bytes.NewReader(data))
	case picture.PNG:
		m, err = png.Decode(bytes.NewReader(data))
	default:
		m, err = gif.DecodeAll(bytes.NewReader(data))
	}
	if err != nil {
		return err
	}
	return m
}

func TestStripping(t *testing.T) {
	photo, drawn, moving := makeJPEG(t, drawing(40, 30)), makePNG(t, drawing(40, 30)), makeGIF(t, 20, 10, 3)
	gifHead := 13 + 3*(2<<(moving[10]&7))
	if moving[10]&0x80 == 0 {
		gifHead = 13
	}
	tests := []struct {
		name, mediaType string
		in              []byte
		keeps           string // a text that must stay
	}{
		{"jpeg as it comes", picture.JPEG, photo, ""},
		{"jpeg with all kinds of metadata", picture.JPEG, insert(photo, 2,
			segment(0xe0, "JFIF\x00\x01\x02\x01\x00\x48\x00\x48\x01\x01"+"abc"), segment(0xe1, "Exif\x00\x00"+exif(binary.BigEndian, 1, secret)),
			segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret), segment(0xe2, "MPF\x00"+secret), segment(0xed, "Photoshop 3.0\x00"+secret), segment(0xfe, secret), segment(0xef, secret)), "JFIF\x00\x01\x02\x01\x00\x48\x00\x48\x00\x00"},
		{"jpeg with a profile", picture.JPEG, insert(photo, 2, segment(0xe2, "ICC_PROFILE\x00\x01\x01profile")), "ICC_PROFILE\x00\x01\x01profile"},
		{"jpeg with something behind it", picture.JPEG, append(bytes.Clone(photo), "<script>"+secret...), ""},
		{"jpeg with fill bytes", picture.JPEG, insert(photo, 2, []byte{0xff, 0xff, 0xff}), ""},
		{"grey jpeg", picture.JPEG, makeJPEG(t, image.NewGray(image.Rect(0, 0, 9, 9))), ""},
		{"progressive jpeg", picture.JPEG, flatJPEG(100, 50, 3, 10), ""},
		{"png as it comes", picture.PNG, drawn, ""},
		{"png with all kinds of metadata", picture.PNG, insert(drawn, 33, chunk("tEXt", []byte("Comment\x00"+secret)), chunk("zTXt", []byte("Comment\x00\x00"+secret)), chunk("iTXt", []byte(secret)),
			chunk("eXIf", []byte(exif(binary.LittleEndian, 1, secret))), chunk("tIME", make([]byte, 7)), chunk("prVt", []byte(secret))), ""},
		{"png with colours", picture.PNG, insert(drawn, 33, chunk("gAMA", []byte{0, 0, 0xb1, 0x8f}), chunk("iCCP", append([]byte("p\x00\x00"), deflate([]byte("profile"))...))), "iCCP"},
		{"png with twice the same", picture.PNG, insert(drawn, 33, chunk("gAMA", []byte{0, 0, 0xb1, 0x8f}), chunk("gAMA", []byte("GPS!"))), "gAMA"},
		{"png with something behind it", picture.PNG, append(bytes.Clone(drawn), "<script>"+secret...), ""},
		{"paletted png", picture.PNG, makePNG(t, image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{color.Black, color.Transparent})), "tRNS"},
		{"16 bit png", picture.PNG, makePNG(t, image.NewNRGBA64(image.Rect(0, 0, 9, 9))), ""},
		{"interlaced png", picture.PNG, rawPNG(3, 5, 8, 0, 1, []byte("\x00a\x00b\x00c\x00d\x00ef\x00g\x00h\x00i\x00jkl\x00mno")), ""},
		{"animated png", picture.PNG, animatedPNG(), "acTL"},
		{"frames that belong to no animation", picture.PNG, insert(drawn, 33, fcTL(0, 1, 1, 0, 0)), ""},
		{"gif as it comes", picture.GIF, moving, "NETSCAPE2.0\x03\x01\x03\x00\x00"},
		{"gif with all kinds of metadata", picture.GIF, insert(moving, gifHead, []byte("\x21\xfe\x13"+secret+"\x00"), []byte("\x21\xff\x0bXMP DataXMP\x13"+secret+"\x00"),
			[]byte("\x21\x01\x0c123456789012\x13"+secret+"\x00"), []byte("\x21\xff\x0bNETSCAPE2.0\x03\x01\x07\x00\x13"+secret+"\x00")), "NETSCAPE2.0\x03\x01\x07\x00\x00"},
		{"gif with something behind it", picture.GIF, append(bytes.Clone(moving), "<script>"+secret...), ""},
	}
	judge := picture.NewJudge(delivered)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := pixels(t, test.mediaType, test.in)
			if err, failed := before.(error); failed {
				t.Fatal("the sample is wrong:", err)
			}
			p, err := judge.Clean(context.Background(), test.mediaType, test.in)
			if err != nil {
				t.Fatal(err)
			}
			if !sameLook(before, pixels(t, test.mediaType, p.Data)) {
				t.Error("the pixels are not the same")
			}
			for _, word := range []string{secret, "script", "GPS!", "Photoshop", "abc"} {
				if bytes.Contains(p.Data, []byte(word)) {
					t.Errorf("%q is still there", word)
				}
			}
			if !bytes.Contains(p.Data, []byte(test.keeps)) {
				t.Errorf("%q is gone", test.keeps)
			}
			again, err := judge.Clean(context.Background(), test.mediaType, p.Data)
			if err != nil || !bytes.Equal(again.Data, p.Data) {
				t.Errorf("stripped twice, it is not the same: %v", err)
			}
		})
	}
}

func TestOrientationStays(t *testing.T) {
	photo, drawn := makeJPEG(t, drawing(8, 8)), makePNG(t, drawing(8, 8))
	judge := picture.NewJudge(delivered)
	want := []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00")
	for way := uint16(0); way <= 9; way++ {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			block := exif(order, way, secret)
			for mediaType, in := range map[string][]byte{picture.JPEG: insert(photo, 2, segment(0xe1, "Exif\x00\x00"+block)), picture.PNG: insert(drawn, 33, chunk("eXIf", []byte(block)))} {
				p, err := judge.Clean(context.Background(), mediaType, in)
				if err != nil {
					t.Fatal(err)
				}
				turned := way >= 2 && way <= 8
				if bytes.Contains(p.Data, append(bytes.Clone(want), byte(way))) != turned || bytes.Contains(p.Data, []byte(secret)) {
					t.Errorf("%s, way %d: %q", mediaType, way, p.Data[:min(80, len(p.Data))])
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	photo, drawn, moving := makeJPEG(t, drawing(40, 30)), makePNG(t, drawing(40, 30)), makeGIF(t, 20, 10, 2)
	spoiled := func(data []byte, at int) []byte {
		out := bytes.Clone(data)
		out[at] ^= 0x55
		return out
	}
	still := func(frames ...[]byte) []byte {
		return bytes.Join(append([][]byte{[]byte(pngStart), ihdr(4, 4, 8, 0, 0), acTL(1)}, append(frames, chunk("IEND", nil))...), nil)
	}
	grey := chunk("IDAT", deflate(make([]byte, 4*5)))
	tests := []struct {
		name, mediaType string
		in              []byte
		code            fault.Code
	}{
		{"nothing", picture.PNG, nil, fault.ImageMismatch},
		{"svg as png", picture.PNG, []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), fault.ImageMismatch},
		{"html as gif", picture.GIF, []byte("<html>GIF89a"), fault.ImageMismatch},
		{"png as jpeg", picture.JPEG, drawn, fault.ImageMismatch},
		{"jpeg as gif", picture.GIF, photo, fault.ImageMismatch},
		{"no type at all", "", []byte("text"), fault.ImageMismatch},
		{"another type", "image/webp", drawn, fault.ImageMismatch},
		{"gif and html at once", picture.GIF, []byte("GIF89a/*<html>*/=1;"), fault.ImageTooManyPixels},
		{"gif header alone", picture.GIF, moving[:6], fault.ImageCorrupt},

		{"png of 50000 squared", picture.PNG, rawPNG(50000, 50000, 1, 0, 0, make([]byte, 1<<20)), fault.ImageTooManyPixels},
		{"png of 20000 squared, 1 bit", picture.PNG, rawPNG(20000, 20000, 1, 3, 0, nil, chunk("PLTE", make([]byte, 6))), fault.ImageTooManyPixels},
		{"png of 6000 squared, 16 bit", picture.PNG, rawPNG(6000, 6000, 16, 6, 0, nil), fault.ImageTooManyPixels},
		{"png one column too wide", picture.PNG, rawPNG(8193, 1, 8, 0, 0, make([]byte, 8194)), fault.ImageTooManyPixels},
		{"png of negative size", picture.PNG, rawPNG(1<<31, 1, 8, 0, 0, nil), fault.ImageCorrupt},
		{"png without pixels", picture.PNG, rawPNG(0, 1, 8, 0, 0, nil), fault.ImageCorrupt},
		{"png with more rows than it says", picture.PNG, rawPNG(10, 10, 8, 0, 0, make([]byte, 64<<20)), fault.ImageCorrupt},
		{"png with fewer rows", picture.PNG, rawPNG(10, 10, 8, 0, 0, make([]byte, 109)), fault.ImageCorrupt},
		{"png with a filter that is none", picture.PNG, rawPNG(1, 1, 8, 0, 0, []byte{5, 0}), fault.ImageCorrupt},
		{"png with a wrong checksum", picture.PNG, spoiled(drawn, len(drawn)/2), fault.ImageCorrupt},
		{"png cut short", picture.PNG, drawn[:len(drawn)-10], fault.ImageCorrupt},
		{"png whose data is not compressed", picture.PNG, bytes.Join([][]byte{[]byte(pngStart), ihdr(4, 4, 8, 0, 0), chunk("IDAT", []byte("not at all")), chunk("IEND", nil)}, nil), fault.ImageCorrupt},
		{"png with something after its data", picture.PNG, bytes.Join([][]byte{[]byte(pngStart), ihdr(4, 4, 8, 0, 0), chunk("IDAT", append(deflate(make([]byte, 20)), secret...)), chunk("IEND", nil)}, nil), fault.ImageCorrupt},
		{"png without data", picture.PNG, bytes.Join([][]byte{[]byte(pngStart), ihdr(4, 4, 8, 0, 0), chunk("IEND", nil)}, nil), fault.ImageCorrupt},
		{"png without a header", picture.PNG, bytes.Join([][]byte{[]byte(pngStart), grey, chunk("IEND", nil)}, nil), fault.ImageCorrupt},
		{"png without its palette", picture.PNG, rawPNG(4, 4, 8, 3, 0, make([]byte, 20)), fault.ImageCorrupt},
		{"png with an unknown part that must be understood", picture.PNG, insert(drawn, 33, chunk("QQQQ", nil)), fault.ImageCorrupt},
		{"png with an impossible depth", picture.PNG, rawPNG(4, 4, 3, 0, 0, make([]byte, 20)), fault.ImageCorrupt},
		{"animated png of too many frames", picture.PNG, insert(drawn, 33, acTL(50_000_000)), fault.ImageTooManyPixels},
		{"animated png with a frame missing", picture.PNG, still(grey), fault.ImageCorrupt},
		{"animated png with an empty frame", picture.PNG, still(grey, fcTL(0, 1, 1, 0, 0)), fault.ImageCorrupt},
		{"animated png with a frame outside", picture.PNG, still(grey, fcTL(0, 2, 2, 3, 3), fdAT(1, deflate(make([]byte, 6)))), fault.ImageCorrupt},
		{"animated png with a corrupt frame", picture.PNG, still(grey, fcTL(0, 2, 2, 0, 0), fdAT(1, []byte("nothing"))), fault.ImageCorrupt},
		{"animated png in the wrong order", picture.PNG, still(grey, fcTL(1, 2, 2, 0, 0), fdAT(0, deflate(make([]byte, 6)))), fault.ImageCorrupt},

		{"jpeg of 60000 squared", picture.JPEG, flatJPEG(60000, 60000, 1, 1)[:400], fault.ImageTooManyPixels},
		{"jpeg of one pixel too many", picture.JPEG, flatJPEG(8000, 3001, 3, 1), fault.ImageTooManyPixels},
		{"jpeg with many scans", picture.JPEG, flatJPEG(1000, 1000, 3, 1000), fault.ImageTooManyPixels},
		{"jpeg cut short", picture.JPEG, photo[:len(photo)-2], fault.ImageCorrupt},
		{"jpeg without most of its data", picture.JPEG, append(bytes.Clone(photo[:len(photo)/2]), 0xff, 0xd9), fault.ImageCorrupt},
		{"jpeg without data", picture.JPEG, []byte{0xff, 0xd8, 0xff, 0xd9}, fault.ImageCorrupt},
		{"jpeg of another kind", picture.JPEG, bytes.Replace(photo, []byte{0xff, 0xc0}, []byte{0xff, 0xc9}, 1), fault.ImageCorrupt},
		{"jpeg with a long segment", picture.JPEG, []byte("\xff\xd8\xff\xe1\xff\xff"), fault.ImageCorrupt},

		{"gif of 65535 squared", picture.GIF, append([]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"), moving[13:]...), fault.ImageTooManyPixels},
		{"gif of 4000 squared, 40 frames", picture.GIF, manyFrames(4000, 4000, 40), fault.ImageTooManyPixels},
		{"gif of 10000 frames", picture.GIF, manyFrames(100, 100, 10000), fault.ImageTooManyPixels},
		{"gif cut short", picture.GIF, moving[:len(moving)-1], fault.ImageCorrupt},
		{"gif with spoiled data", picture.GIF, manyFrames(1, 2, 1), fault.ImageCorrupt},
		{"gif with no frame", picture.GIF, []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), fault.ImageCorrupt},
		{"gif with a frame outside", picture.GIF, []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x01\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), fault.ImageCorrupt},
		{"gif without a palette", picture.GIF, []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), fault.ImageCorrupt},
		{"gif with a colour that is not there", picture.GIF, []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x5c\x01\x00;"), fault.ImageCorrupt},
	}
	judge := picture.NewJudge(delivered)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := judge.Clean(context.Background(), test.mediaType, test.in)
			if p != nil || !fault.Is(err, test.code) {
				t.Errorf("got %v, %v; want %s", p, err, test.code)
			}
			if f := fault.As(err); strings.Contains(f.Message, "%") || !strings.HasSuffix(f.Message, ".") {
				t.Errorf("the message is %q", f.Message)
			}
		})
	}
}

// manyFrames is a GIF whose frames are all one pixel of the first colour, in a canvas of any size.
func manyFrames(width, height, frames int) []byte {
	out := []byte{'G', 'I', 'F', '8', '9', 'a', byte(width), byte(width >> 8), byte(height), byte(height >> 8), 0x80, 0, 0, 0, 0, 0, 255, 255, 255}
	for range frames {
		h := byte(1)
		if height == 2 {
			h = 2 // one pixel is too few for two rows
		}
		out = append(out, ',', 0, 0, 0, 0, 1, 0, h, 0, 0, 2, 2, 'D', 1, 0)
	}
	return append(out, ';')
}

func TestBombInAProfile(t *testing.T) {
	bomb := append([]byte("p\x00\x00"), deflate(make([]byte, 64<<20))...)
	in := insert(makePNG(t, drawing(8, 8)), 33, chunk("iCCP", bomb))
	p, err := picture.NewJudge(delivered).Clean(context.Background(), picture.PNG, in)
	if err != nil || bytes.Contains(p.Data, []byte("iCCP")) {
		t.Errorf("the bomb went through: %v", err)
	}
}

func TestLimitsAreInclusive(t *testing.T) {
	judge := picture.NewJudge(picture.Limits{Side: 100, Pixels: 5000, Animation: 8000})
	for _, test := range []struct {
		in   []byte
		code fault.Code
	}{
		{rawPNG(100, 50, 8, 0, 0, make([]byte, 101*50)), ""},
		{rawPNG(101, 1, 8, 0, 0, make([]byte, 102)), fault.ImageTooManyPixels},
		{rawPNG(1, 101, 8, 0, 0, make([]byte, 202)), fault.ImageTooManyPixels},
		{rawPNG(100, 51, 8, 0, 0, make([]byte, 101*51)), fault.ImageTooManyPixels},
		{makeGIF(t, 80, 50, 2), ""},
		{makeGIF(t, 80, 51, 2), fault.ImageTooManyPixels},
	} {
		_, err := judge.Clean(context.Background(), picture.Sniff(test.in), test.in)
		if test.code == "" && err != nil || test.code != "" && !fault.Is(err, test.code) {
			t.Errorf("got %v, want %q", err, test.code)
		}
	}
}
