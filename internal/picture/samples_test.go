package picture_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

// drawing is a picture with some life in it.
func drawing(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, color.NRGBA{uint8(x * 7), uint8(y * 5), uint8(x*y + x), uint8(255 - x%3)})
		}
	}
	return m
}

func encode(t testing.TB, fn func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := fn(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func makeJPEG(t testing.TB, m image.Image) []byte {
	return encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: 80}) })
}

func makePNG(t testing.TB, m image.Image) []byte {
	return encode(t, func(b *bytes.Buffer) error { return png.Encode(b, m) })
}

// makeGIF is an animation of so many frames.
func makeGIF(t testing.TB, width, height, frames int) []byte {
	palette := color.Palette{color.Black, color.White, color.RGBA{255, 0, 0, 255}, color.Transparent}
	g := &gif.GIF{LoopCount: 3}
	for i := range frames {
		m := image.NewPaletted(image.Rect(0, 0, width, height), palette)
		for at := range m.Pix {
			m.Pix[at] = uint8((at + i) % 4)
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, m), append(g.Delay, 5), append(g.Disposal, gif.DisposalBackground)
	}
	return encode(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

// segment is one segment of a JPEG.
func segment(marker byte, body string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// insert puts something into a file.
func insert(data []byte, at int, more ...[]byte) []byte {
	return slices.Insert(slices.Clone(data), at, bytes.Join(more, nil)...)
}

// exif is an EXIF block with an orientation and a secret.
func exif(order binary.AppendByteOrder, way uint16, secret string) string {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 0x010e) // description
	b = order.AppendUint16(b, 2)
	b = order.AppendUint32(b, uint32(len(secret)))
	b = order.AppendUint32(b, 38)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, way)
	b = order.AppendUint16(b, 0)
	b = order.AppendUint32(b, 0)
	return string(b) + secret
}

// flatJPEG is a grey JPEG of any size in few bytes. More scans than one make it a progressive one, drawn again and again.
func flatJPEG(width, height, components, scans int) []byte {
	progressive := scans > 1
	marker := byte(0xc0)
	if progressive {
		marker = 0xc2
	}
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(components)}
	for i := range components {
		frame = append(frame, byte(i+1), 0x11, 0)
	}
	out := append([]byte{0xff, 0xd8}, segment(0xdb, "\x00"+string(bytes.Repeat([]byte{1}, 64)))...)
	out = append(out, segment(marker, string(frame))...)
	// One code each, of one bit: no difference for DC, and the end of the block, or of 16384 blocks, for AC.
	lengths := "\x01" + string(make([]byte, 15))
	end := "\x00"
	if progressive {
		end = "\xe0"
	}
	out = append(out, segment(0xc4, "\x00"+lengths+"\x00"+"\x10"+lengths+end)...)
	blocks := ((width + 7) / 8) * ((height + 7) / 8) * components
	head := []byte{byte(components)}
	for i := range components {
		head = append(head, byte(i+1), 0)
	}
	if progressive {
		out = append(append(out, segment(0xda, string(append(head, 0, 0, 0)))...), make([]byte, (blocks+7)/8)...)
		for range scans - 1 { // each of its codes is a bit, and 14 that say how many blocks beyond 16384
			runs := (blocks/components)/16384 + 1
			out = append(append(out, segment(0xda, "\x01\x01\x00\x01\x3f\x00")...), make([]byte, (runs*15+7)/8)...)
		}
	} else {
		out = append(append(out, segment(0xda, string(append(head, 0, 63, 0)))...), make([]byte, (2*blocks+7)/8)...)
	}
	return append(out, 0xff, 0xd9)
}

// chunk is one chunk of a PNG.
func chunk(name string, body []byte) []byte {
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), name...)
	b = append(b, body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func deflate(raw []byte) []byte {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression)
	w.Write(raw)
	w.Close()
	return b.Bytes()
}

const pngStart = "\x89PNG\r\n\x1a\n"

func ihdr(width, height, depth, colour, interlace int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(width))
	b = binary.BigEndian.AppendUint32(b, uint32(height))
	return chunk("IHDR", append(b, byte(depth), byte(colour), 0, 0, byte(interlace)))
}

// rawPNG is a PNG with rows as given.
func rawPNG(width, height, depth, colour, interlace int, raw []byte, more ...[]byte) []byte {
	parts := append([][]byte{[]byte(pngStart), ihdr(width, height, depth, colour, interlace)}, more...)
	return bytes.Join(append(parts, chunk("IDAT", deflate(raw)), chunk("IEND", nil)), nil)
}

// fcTL announces a frame of an animated PNG.
func fcTL(number, width, height, x, y int) []byte {
	var b []byte
	for _, n := range []int{number, width, height, x, y} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return chunk("fcTL", append(b, 0, 1, 0, 10, 0, 0))
}

func acTL(frames int) []byte {
	return chunk("acTL", append(binary.BigEndian.AppendUint32(nil, uint32(frames)), 0, 0, 0, 0))
}

func fdAT(number int, data []byte) []byte {
	return chunk("fdAT", append(binary.BigEndian.AppendUint32(nil, uint32(number)), data...))
}

// animatedPNG has two frames of grey, the second of 2 × 2 pixels and in two chunks.
func animatedPNG() []byte {
	first, second := deflate(make([]byte, 4*5)), deflate([]byte{0, 1, 2, 0, 3, 4})
	return bytes.Join([][]byte{[]byte(pngStart), ihdr(4, 4, 8, 0, 0), acTL(2), fcTL(0, 4, 4, 0, 0), chunk("IDAT", first[:3]), chunk("IDAT", first[3:]),
		fcTL(1, 2, 2, 1, 1), fdAT(2, second[:4]), fdAT(3, second[4:]), chunk("IEND", nil)}, nil)
}
