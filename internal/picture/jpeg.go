package picture

import (
	"bytes"
	"encoding/binary"
	"image/jpeg"

	"verbless/internal/fault"
)

// The markers of a JPEG that mean something here.
const (
	sof0, sof1, sof2 = 0xc0, 0xc1, 0xc2
	dht, dqt, dri    = 0xc4, 0xdb, 0xdd
	rst0, rst7       = 0xd0, 0xd7
	eoi, sos         = 0xd9, 0xda
	app0, app1, app2 = 0xe0, 0xe1, 0xe2
	app14, app15     = 0xee, 0xef
	com              = 0xfe
)

// jpegFile is a JPEG while it is walked through, segment by segment.
type jpegFile struct {
	draft
	in     []byte // what is left
	out    []byte
	limits Limits
	scans  int
	jfif   []byte // the last word of an APP0 on it; nil: it is not JFIF
	adobe  []byte
	turned int
}

// headroom is left before the segments for those that must come first.
const headroom = 2 + 18 + 36 + 16

func openJPEG(data []byte, l Limits) (*draft, error) {
	f := &jpegFile{in: data[2:], limits: l, turned: upright}
	f.out = make([]byte, headroom, headroom+len(data))
	for {
		marker, err := f.next()
		switch {
		case err != nil:
			return nil, err
		case marker == eoi && f.Width == 0:
			return nil, corrupt("The image has no pixels.")
		case marker == eoi:
			f.out = append(f.out, 0xff, eoi)
			f.Data, f.Frames = f.finish(), 1
			data := f.Data
			f.decode = func() error {
				_, err := jpeg.Decode(bytes.NewReader(data))
				return err
			}
			return &f.draft, nil
		case marker >= rst0 && marker <= rst7: // a stray one, which means nothing
			continue
		}
		if err := f.segment(marker); err != nil {
			return nil, err
		}
	}
}

// next goes on to a marker. Bytes between segments mean nothing and are left out, as decoders do.
func (f *jpegFile) next() (byte, error) {
	for {
		at := bytes.IndexByte(f.in, 0xff)
		if at < 0 || at+1 >= len(f.in) {
			return 0, corrupt("The image ends too early.")
		}
		f.in = f.in[at+1:]
		if m := f.in[0]; m != 0 && m != 0xff {
			f.in = f.in[1:]
			return m, nil
		}
	}
}

// segment keeps what belongs to the picture.
func (f *jpegFile) segment(marker byte) error {
	if len(f.in) < 2 {
		return corrupt("The image ends too early.")
	}
	n := int(binary.BigEndian.Uint16(f.in))
	if n < 2 || n > len(f.in) {
		return corrupt("A part of the image has a wrong length.")
	}
	body := f.in[2:n]
	keep := false
	switch marker {
	case sof0, sof1, sof2:
		if err := f.frame(marker, body); err != nil {
			return err
		}
		keep = true
	case dht, dqt, dri, sos:
		keep = true
	case app0:
		f.readAPP0(body)
	case app1:
		if tiff, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); ok && f.turned == upright {
			f.turned = orientation(tiff)
		}
	case app2:
		keep = bytes.HasPrefix(body, []byte("ICC_PROFILE\x00"))
	case app14:
		if len(body) >= 12 && string(body[:5]) == "Adobe" {
			f.adobe = body[:12]
		}
	default:
		if marker < app0 || marker > app15 && marker != com {
			return corrupt("The image has parts that are not understood.")
		}
	}
	if keep {
		f.out = append(append(f.out, 0xff, marker), f.in[:n]...)
	}
	f.in = f.in[n:]
	if marker == sos {
		return f.scan()
	}
	return nil
}

// readAPP0 keeps JFIF without its thumbnail, which may show what was cut off the picture. As in decoders, the last APP0 counts.
func (f *jpegFile) readAPP0(body []byte) {
	switch {
	case len(body) < 5:
	case string(body[:5]) != "JFIF\x00":
		f.jfif = nil
	case len(body) < 14:
		f.jfif = []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
	default:
		f.jfif = append(append([]byte{}, body[:12]...), 0, 0)
	}
}

// frame judges the size, and reckons what decoding needs.
func (f *jpegFile) frame(marker byte, body []byte) error {
	if f.Width != 0 || len(body) < 9 || len(body) != 6+3*int(body[5]) {
		return corrupt("The header of the image is wrong.")
	}
	f.Height, f.Width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	if err := f.limits.fits(f.Width, f.Height, 1); err != nil {
		return err
	}
	var all, most int64 // samples of all components, and of the finest, in one unit
	for i := 6; i < len(body); i += 3 {
		samples := int64(body[i+1]>>4) * int64(body[i+1]&15)
		all, most = all+samples, max(most, samples)
	}
	if most == 0 {
		return corrupt("The header of the image is wrong.")
	}
	each := int64(1)
	if marker == sof2 { // all coefficients are kept until the end
		each = 5
	}
	pixels := int64(f.Width+32) * int64(f.Height+32)
	f.memory = pixels*all*each/most + pixels*4
	return nil
}

// scan takes over compressed data up to the next marker that is not part of it.
func (f *jpegFile) scan() error {
	if f.scans++; f.scans > f.limits.Scans {
		return fault.New(fault.ImageTooManyPixels, "The image is drawn in more than %d scans.", f.limits.Scans)
	}
	for at := 0; ; {
		i := bytes.IndexByte(f.in[at:], 0xff)
		if i < 0 || at+i+1 >= len(f.in) {
			return corrupt("The image ends too early.")
		}
		at += i
		switch m := f.in[at+1]; {
		case m == 0 || m >= rst0 && m <= rst7:
			at += 2
		case m == 0xff:
			at++
		default:
			f.out = append(f.out, f.in[:at]...)
			f.in = f.in[at:]
			return nil
		}
	}
}

// finish puts the segments that must come first before the others.
func (f *jpegFile) finish() []byte {
	head := []byte{0xff, 0xd8}
	add := func(marker byte, parts ...[]byte) {
		body := bytes.Join(parts, nil)
		head = append(append(head, 0xff, marker, 0, byte(len(body)+2)), body...)
	}
	if f.jfif != nil {
		add(app0, f.jfif)
	}
	if f.turned != upright {
		add(app1, []byte("Exif\x00\x00"), onlyOrientation(f.turned))
	}
	if f.adobe != nil {
		add(app14, f.adobe)
	}
	at := headroom - len(head)
	copy(f.out[at:], head)
	return f.out[at:]
}
