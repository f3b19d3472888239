package picture

import "encoding/binary"

// animation is the state of an animated PNG while it is walked through.
type animation struct {
	stated  int    // frames that acTL promises; 0: it is not animated
	frames  int    // that have begun
	pending bool   // a frame was announced, and its data has not begun
	read    uint32 // chunks of the animation so far, as they are numbered
	written uint32
}

func (a *animation) number() uint32 { a.written++; return a.written - 1 }

// animated keeps an animation if it is whole. Its chunks are numbered anew, because the data of a frame is joined.
func (f *pngFile) animated(name string, body []byte) error {
	wrong := corrupt("The animation is wrong.")
	if name == "acTL" {
		if len(body) != 8 || f.stated != 0 || f.seen["IDAT"] {
			return wrong
		}
		frames := binary.BigEndian.Uint32(body)
		if frames < 1 || frames > 1<<31-1 {
			return wrong
		}
		f.stated = int(frames)
		f.write(name, body)
		return f.limits.fits(f.Width, f.Height, f.stated)
	}
	if f.stated == 0 {
		return nil // nobody would show it
	}
	if len(body) < 4 || binary.BigEndian.Uint32(body) != f.read {
		return wrong
	}
	f.read++
	if name == "fcTL" {
		return f.announce(body)
	}
	if !f.seen["IDAT"] || !f.pending && f.open != "fdAT" {
		return wrong
	}
	return f.join(name, body[4:], f.size[0], f.size[1])
}

// announce takes the size and place of a frame. One that comes before the picture is the picture itself.
func (f *pngFile) announce(body []byte) error {
	if len(body) != 26 || f.pending || f.frames == f.stated {
		return corrupt("The animation is wrong.")
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint32(body[i:])) }
	width, height, x, y := at(4), at(8), at(12), at(16)
	whole := width == int64(f.Width) && height == int64(f.Height)
	if width < 1 || height < 1 || x+width > int64(f.Width) || y+height > int64(f.Height) || !f.seen["IDAT"] && !whole || body[24] > 2 || body[25] > 1 {
		return corrupt("A frame of the animation is wrong.")
	}
	f.frames++
	f.pending, f.size = true, [2]int{int(width), int(height)}
	f.write("fcTL", append(binary.BigEndian.AppendUint32(nil, f.number()), body[4:]...))
	return nil
}
