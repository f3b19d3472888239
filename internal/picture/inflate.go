package picture

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zlib"
)

// windowMemory is about what inflating needs, however large the picture.
const windowMemory = 256 << 10

// pngHeader is how pixels lie in the rows of a PNG.
type pngHeader struct {
	depth, colour int
	interlaced    bool
}

// channels are the samples of a pixel, by the type of colour.
var channels = map[int]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

func (h pngHeader) valid() bool {
	switch h.depth {
	case 1, 2, 4:
		return h.colour == 0 || h.colour == 3
	case 8:
		return channels[h.colour] > 0
	case 16:
		return channels[h.colour] > 0 && h.colour != 3
	}
	return false
}

func (h pngHeader) paletted() bool { return h.colour == 3 }

func (h pngHeader) allowsTransparency(length int, palette bool) bool {
	switch h.colour {
	case 0:
		return length == 2
	case 2:
		return length == 6
	case 3:
		return palette
	}
	return false
}

// rows is one pass over the picture: rows of one length, each with a byte before it that says how it is filtered.
type rows struct {
	length int
	count  int
}

// adam7 is where each pass of an interlaced picture starts, and how far it steps.
var adam7 = []struct{ x, y, dx, dy int }{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}

func (h pngHeader) passes(width, height int) []rows {
	bits := channels[h.colour] * h.depth
	if !h.interlaced {
		return []rows{{(width*bits + 7) / 8, height}}
	}
	var list []rows
	for _, p := range adam7 {
		if w, n := (width-p.x+p.dx-1)/p.dx, (height-p.y+p.dy-1)/p.dy; w > 0 && n > 0 {
			list = append(list, rows{(w*bits + 7) / 8, n})
		}
	}
	return list
}

// inflate proves that data holds just these rows, in little memory: no pixel is kept.
func inflate(data []byte, passes []rows) error {
	in := bytes.NewReader(data)
	out, err := zlib.NewReader(in)
	if err != nil {
		return err
	}
	defer out.Close()
	counter := &rowCounter{passes: passes}
	if _, err := io.CopyBuffer(counter, struct{ io.Reader }{out}, make([]byte, 32<<10)); err != nil {
		return err
	}
	if len(counter.passes) > 0 || counter.left > 0 {
		return errors.New("too few rows")
	}
	if in.Len() > 0 {
		return errors.New("something follows the rows")
	}
	return nil
}

// rowCounter takes rows and lets them go.
type rowCounter struct {
	passes []rows
	left   int // bytes of the row that has begun
}

func (c *rowCounter) Write(p []byte) (int, error) {
	for at := 0; at < len(p); {
		if c.left > 0 {
			n := min(c.left, len(p)-at)
			at, c.left = at+n, c.left-n
			continue
		}
		if len(c.passes) == 0 {
			return at, errors.New("too many rows")
		}
		if p[at] > 4 {
			return at, errors.New("no such filter")
		}
		pass := &c.passes[0]
		c.left = pass.length
		if pass.count--; pass.count == 0 {
			c.passes = c.passes[1:]
		}
		at++
	}
	return len(p), nil
}

// mostProfile is how large a colour profile may be once it is inflated.
const mostProfile = 4 << 20

// soundProfile tells whether an iCCP chunk can be inflated without harm.
func soundProfile(body []byte) bool {
	end := bytes.IndexByte(body, 0)
	if end < 1 || end > 79 || len(body) < end+2 || body[end+1] != 0 {
		return false
	}
	out, err := zlib.NewReader(bytes.NewReader(body[end+2:]))
	if err != nil {
		return false
	}
	defer out.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(out, mostProfile+1))
	return err == nil && n <= mostProfile
}
