package picture

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// The blocks of a GIF.
const (
	gifExtension, gifImage, gifTrailer          = 0x21, 0x2c, 0x3b
	gifControl, gifComment, gifText, gifProgram = 0xf9, 0xfe, 0x01, 0xff
)

// gifFile is a GIF while it is walked through, block by block.
type gifFile struct {
	draft
	in      []byte // what is left
	out     []byte
	limits  Limits
	colours int // of the palette for all frames; 0: there is none
	clear   int // index that the next frame takes for transparent; -1: none
	frames  []gifFrame
}

// gifFrame is the compressed data of one frame.
type gifFrame struct {
	blocks  []byte // blocks of data, each after its length, and the empty one
	pixels  int
	colours int
	width   int // bits of a literal
}

func openGIF(data []byte, l Limits) (*draft, error) {
	f := &gifFile{in: data, limits: l, clear: -1, out: make([]byte, 0, len(data))}
	head := f.take(13)
	if head == nil {
		return nil, early()
	}
	f.Width, f.Height = int(binary.LittleEndian.Uint16(head[6:])), int(binary.LittleEndian.Uint16(head[8:]))
	if err := l.fits(f.Width, f.Height, 1); err != nil {
		return nil, err
	}
	f.out = append(f.out, head...)
	if head[10]&0x80 != 0 {
		if f.colours = f.palette(head[10]); f.colours == 0 {
			return nil, early()
		}
	}
	for {
		kind := f.take(1)
		if kind == nil {
			return nil, early()
		}
		var err error
		switch kind[0] {
		case gifExtension:
			err = f.extension()
		case gifImage:
			err = f.image()
		case gifTrailer:
			return f.finish()
		default:
			err = corrupt("The image has parts that are not understood.")
		}
		if err != nil {
			return nil, err
		}
	}
}

func early() error { return corrupt("The image ends too early.") }

// take gives the next n bytes, nil when there are fewer.
func (f *gifFile) take(n int) []byte {
	if n > len(f.in) {
		return nil
	}
	taken := f.in[:n]
	f.in = f.in[n:]
	return taken
}

// palette keeps a table of colours and tells how many it has.
func (f *gifFile) palette(flags byte) int {
	n := 2 << (flags & 7)
	table := f.take(3 * n)
	if table == nil {
		return 0
	}
	f.out = append(f.out, table...)
	return n
}

// blocks takes blocks of data up to the empty one.
func (f *gifFile) blocks() []byte {
	whole := f.in
	for {
		size := f.take(1)
		if size == nil {
			return nil
		}
		if size[0] == 0 {
			return whole[:len(whole)-len(f.in)]
		}
		if f.take(int(size[0])) == nil {
			return nil
		}
	}
}

// loops are the programs whose extensions say how often an animation repeats.
var loops = []string{"NETSCAPE2.0", "ANIMEXTS1.0"}

// extension keeps what the animation needs.
func (f *gifFile) extension() error {
	label := f.take(1)
	if label == nil {
		return early()
	}
	blocks := f.blocks()
	if blocks == nil {
		return early()
	}
	switch label[0] {
	case gifControl:
		if len(blocks) != 6 || blocks[0] != 4 {
			return corrupt("The animation is wrong.")
		}
		if blocks[1]&1 != 0 {
			f.clear = int(blocks[4])
		}
		f.out = append(append(f.out, gifExtension, gifControl), blocks...)
	case gifProgram:
		// A name of 11 bytes, then a block of three: 1 and the count.
		if len(blocks) >= 17 && blocks[0] == 11 && slices.Contains(loops, string(blocks[1:12])) && blocks[12] == 3 && blocks[13] == 1 {
			f.out = append(append(append(f.out, gifExtension, gifProgram), blocks[:16]...), 0)
		}
	}
	return nil
}

// image keeps a frame.
func (f *gifFile) image() error {
	head := f.take(9)
	if head == nil {
		return early()
	}
	at := func(i int) int { return int(binary.LittleEndian.Uint16(head[i:])) }
	width, height := at(4), at(6)
	if width < 1 || height < 1 || at(0)+width > f.Width || at(2)+height > f.Height {
		return corrupt("A frame of the animation lies outside of it.")
	}
	if err := f.limits.fits(f.Width, f.Height, len(f.frames)+1); err != nil {
		return err
	}
	f.out = append(append(f.out, gifImage), head...)
	colours := f.colours
	if head[8]&0x80 != 0 {
		colours = f.palette(head[8])
	}
	bits := f.take(1)
	blocks := f.blocks()
	if blocks == nil || bits == nil {
		return early()
	}
	if colours == 0 || bits[0] < 2 || bits[0] > 8 {
		return corrupt("A frame of the image is wrong.")
	}
	f.out = append(append(f.out, bits[0]), blocks...)
	f.frames = append(f.frames, gifFrame{blocks, width * height, max(colours, f.clear+1), int(bits[0])})
	f.clear = -1
	return nil
}

func (f *gifFile) finish() (*draft, error) {
	if len(f.frames) == 0 {
		return nil, corrupt("The image has no pixels.")
	}
	f.out = append(f.out, gifTrailer)
	f.Data, f.Frames, f.memory = f.out, len(f.frames), windowMemory
	frames := f.frames
	f.decode = func() error {
		buffer, reader := make([]byte, 32<<10), new(lzw.Reader)
		for _, frame := range frames {
			if err := frame.decode(reader, buffer); err != nil {
				return err
			}
		}
		return nil
	}
	return &f.draft, nil
}

// decode proves that the frame has just its pixels, and that all of them are in the palette.
func (g gifFrame) decode(out *lzw.Reader, buffer []byte) error {
	in := &gifBlocks{rest: g.blocks}
	out.Reset(in, lzw.LSB, g.width)
	for left := g.pixels; left > 0; {
		n, err := out.Read(buffer[:min(left, len(buffer))])
		if g.colours < 256 && n > 0 && int(slices.Max(buffer[:n])) >= g.colours {
			return errors.New("a colour that is not in the palette")
		}
		if left -= n; left > 0 && err != nil {
			return err
		}
	}
	// As with the decoders that people use, the code for the end may be missing.
	if n, err := out.Read(buffer[:1]); n > 0 || err != io.EOF && err != io.ErrUnexpectedEOF {
		return errors.New("too many pixels")
	}
	if !in.nearlyDone() {
		return errors.New("something follows the pixels")
	}
	return nil
}

// gifBlocks reads data that comes in blocks.
type gifBlocks struct {
	block, rest []byte
}

func (b *gifBlocks) fill() bool {
	if len(b.rest) == 0 || b.rest[0] == 0 {
		b.rest = nil
		return false
	}
	n := 1 + int(b.rest[0])
	b.block, b.rest = b.rest[1:n], b.rest[n:]
	return true
}

// ReadByte is what the decoder calls.
func (b *gifBlocks) ReadByte() (byte, error) {
	if len(b.block) == 0 && !b.fill() {
		return 0, io.EOF
	}
	c := b.block[0]
	b.block = b.block[1:]
	return c, nil
}

// Read makes it an io.Reader.
func (b *gifBlocks) Read(p []byte) (int, error) {
	if len(b.block) == 0 && !b.fill() {
		return 0, io.EOF
	}
	n := copy(p, b.block)
	b.block = b.block[n:]
	return n, nil
}

// nearlyDone lets what some encoders leave over pass: the rest of a block, or one more byte.
func (b *gifBlocks) nearlyDone() bool {
	if len(b.block) == 0 && b.fill() && len(b.block) > 1 {
		return false
	}
	return bytes.Equal(b.rest, []byte{0}) || len(b.rest) == 0
}
