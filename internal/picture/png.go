package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// ancillary are the chunks that change how the picture looks, with the sizes they may have. All others go, as do second
// ones: they could hold anything.
var ancillary = map[string][2]int{
	"gAMA": {4, 4}, "cHRM": {32, 32}, "sRGB": {1, 1}, "sBIT": {1, 4}, "pHYs": {9, 9}, "cICP": {4, 4}, "iCCP": {4, 1 << 20}, "tRNS": {1, 256},
}

// pngFile is a PNG while it is walked through, chunk by chunk.
type pngFile struct {
	draft
	in     []byte // what is left
	out    []byte
	limits Limits
	header pngHeader
	seen   map[string]bool
	turned int
	parts  []part // what has to be decoded
	open   string // chunk that is being joined from several: IDAT or fdAT
	start  int    // of its data in out
	size   [2]int // of the frame that is being joined
	animation
}

// part is the compressed data of a picture or of a frame: where it lies in out, and its size.
type part struct {
	from, to      int
	width, height int
}

func openPNG(data []byte, l Limits) (*draft, error) {
	f := &pngFile{in: data[len(pngMagic):], limits: l, seen: map[string]bool{}, turned: upright}
	f.out = append(make([]byte, 0, len(data)+64), pngMagic...)
	for !f.seen["IEND"] {
		if len(f.in) < 12 {
			return nil, corrupt("The image ends too early.")
		}
		n, name := binary.BigEndian.Uint32(f.in), string(f.in[4:8])
		if uint64(n)+12 > uint64(len(f.in)) {
			return nil, corrupt("The image ends too early.")
		}
		body := f.in[8 : 8+n]
		if crc32.ChecksumIEEE(f.in[4:8+n]) != binary.BigEndian.Uint32(f.in[8+n:]) {
			return nil, corrupt("A checksum of the image is wrong.")
		}
		f.in = f.in[12+n:]
		if err := f.chunk(name, body); err != nil {
			return nil, err
		}
	}
	f.Data, f.Frames = f.out, max(f.frames, 1)
	f.memory = windowMemory
	parts, header, out := f.parts, f.header, f.out
	f.decode = func() error {
		for _, p := range parts {
			if err := inflate(out[p.from:p.to], header.passes(p.width, p.height)); err != nil {
				return err
			}
		}
		return nil
	}
	return &f.draft, nil
}

// chunk keeps what belongs to the picture.
func (f *pngFile) chunk(name string, body []byte) error {
	if f.header.depth == 0 && name != "IHDR" {
		return corrupt("The header of the image is missing.")
	}
	if name != f.open {
		f.close()
	}
	switch name {
	case "IHDR":
		return f.readHeader(body)
	case "PLTE":
		return f.readPalette(body)
	case "IDAT":
		return f.join(name, body, f.Width, f.Height)
	case "acTL", "fcTL", "fdAT":
		return f.animated(name, body)
	case "IEND":
		return f.end()
	case "eXIf":
		if f.turned == upright && !f.seen["IDAT"] {
			if f.turned = orientation(body); f.turned != upright {
				f.write(name, onlyOrientation(f.turned))
			}
		}
		return nil
	}
	if size, known := ancillary[name]; known && !f.seen[name] && !f.seen["IDAT"] && len(body) >= size[0] && len(body) <= size[1] {
		return f.keep(name, body)
	}
	if name[0]&0x20 == 0 {
		return corrupt("The image has parts that are not understood.")
	}
	return nil
}

// keep takes over a chunk that changes how the picture looks.
func (f *pngFile) keep(name string, body []byte) error {
	f.seen[name] = true
	if name == "tRNS" && !f.header.allowsTransparency(len(body), f.seen["PLTE"]) {
		return corrupt("The transparency of the image is wrong.")
	}
	if name == "iCCP" && !soundProfile(body) { // colours without a profile are better than a bomb for whoever looks at it
		return nil
	}
	f.write(name, body)
	return nil
}

func (f *pngFile) write(name string, body []byte) {
	f.out = binary.BigEndian.AppendUint32(f.out, uint32(len(body)))
	at := len(f.out)
	f.out = append(append(f.out, name...), body...)
	f.out = binary.BigEndian.AppendUint32(f.out, crc32.ChecksumIEEE(f.out[at:]))
}

// join puts the data of chunks that follow one another into one, so that it can be decoded in one piece.
func (f *pngFile) join(name string, body []byte, width, height int) error {
	if f.open == name {
		f.out = append(f.out, body...)
		return nil
	}
	if name == "IDAT" && (f.seen["IDAT"] || f.header.paletted() && !f.seen["PLTE"]) {
		return corrupt("The parts of the image are in the wrong order.")
	}
	f.seen[name], f.open, f.pending = true, name, false
	f.out = append(append(f.out, 0, 0, 0, 0), name...)
	f.start, f.size = len(f.out), [2]int{width, height}
	if name == "fdAT" {
		f.out = binary.BigEndian.AppendUint32(f.out, f.number())
	}
	f.out = append(f.out, body...)
	return nil
}

// close ends the chunk that is being joined.
func (f *pngFile) close() {
	if f.open == "" {
		return
	}
	binary.BigEndian.PutUint32(f.out[f.start-8:], uint32(len(f.out)-f.start))
	from := f.start
	if f.open == "fdAT" {
		from += 4
	}
	f.parts = append(f.parts, part{from, len(f.out), f.size[0], f.size[1]})
	f.out = binary.BigEndian.AppendUint32(f.out, crc32.ChecksumIEEE(f.out[f.start-4:]))
	f.open = ""
}

func (f *pngFile) end() error {
	if !f.seen["IDAT"] {
		return corrupt("The image has no pixels.")
	}
	if f.frames != f.stated || f.pending {
		return corrupt("The animation is not whole.")
	}
	f.seen["IEND"] = true
	f.write("IEND", nil)
	return nil
}

// readHeader judges the size before anything else is looked at.
func (f *pngFile) readHeader(body []byte) error {
	if f.header.depth != 0 || len(body) != 13 {
		return corrupt("The header of the image is wrong.")
	}
	width, height := binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])
	if width > 1<<31-1 || height > 1<<31-1 {
		return corrupt("The header of the image is wrong.")
	}
	f.Width, f.Height = int(width), int(height)
	if err := f.limits.fits(f.Width, f.Height, 1); err != nil {
		return err
	}
	f.header = pngHeader{depth: int(body[8]), colour: int(body[9]), interlaced: body[12] == 1}
	if !f.header.valid() || !bytes.Equal(body[10:12], []byte{0, 0}) || body[12] > 1 {
		return corrupt("The header of the image is wrong.")
	}
	f.write("IHDR", body)
	return nil
}

func (f *pngFile) readPalette(body []byte) error {
	n := len(body) / 3
	if f.seen["PLTE"] || f.seen["IDAT"] || f.seen["tRNS"] || len(body)%3 != 0 || n < 1 || n > 256 || f.header.colour&2 == 0 ||
		f.header.paletted() && n > 1<<f.header.depth {
		return corrupt("The palette of the image is wrong.")
	}
	f.seen["PLTE"] = true
	f.write("PLTE", body)
	return nil
}
