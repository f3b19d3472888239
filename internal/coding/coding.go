// Package coding compresses whole bodies with gzip and zstd.
//
// Encoders and buffers are kept and used again, so that an answer costs its bytes and not its machinery. It does not decide
// what is worth compressing, nor speak HTTP: package rest does.
package coding

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Coder compresses. It is safe for concurrent use.
type Coder struct {
	gzips sync.Pool // of *gzipper
	zstd  func() *zstd.Encoder
	texts sync.Pool // of *[]byte
}

type gzipper struct {
	*gzip.Writer
	to bytes.Buffer
}

// keep is the largest buffer that is kept for the next answer.
const keep = 256 << 10

// New makes a coder. Nothing is allocated before it is used.
func New() *Coder {
	c := &Coder{}
	c.gzips.New = func() any {
		w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is one that exists
		}
		return &gzipper{Writer: w}
	}
	c.texts.New = func() any { return new([]byte) }
	c.zstd = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstdOptions()...)
		if err != nil {
			panic(err) // the options are ones that exist
		}
		return e
	})
	return c
}

// Large is from where on a coded body is not held in memory as a whole: Stream writes it.
const Large = keep

// Stream writes body in the coding to its reader, part by part.
func (c *Coder) Stream(coding string, body []byte, to io.Writer) error {
	if coding == "zstd" {
		w, err := zstd.NewWriter(to, append(zstdOptions(), zstd.WithEncoderConcurrency(1))...)
		if err == nil {
			_, err = w.Write(body)
			err = errors.Join(err, w.Close())
		}
		return err
	}
	g := c.gzips.Get().(*gzipper)
	g.Reset(to)
	_, err := g.Write(body)
	err = errors.Join(err, g.Close())
	c.gzips.Put(g)
	return err
}

// A window of 128 KiB holds every usual page; each running encoder costs a few of them in memory.
func zstdOptions() []zstd.EOption {
	return []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(128 << 10), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false)}
}

// Encode hands body in the coding to use. The bytes are valid until use returns.
func (c *Coder) Encode(coding string, body []byte, use func(coded []byte)) {
	if coding == "zstd" {
		text := c.texts.Get().(*[]byte)
		*text = c.zstd().EncodeAll(body, (*text)[:0])
		use(*text)
		if cap(*text) <= keep {
			c.texts.Put(text)
		}
		return
	}
	g := c.gzips.Get().(*gzipper)
	g.to.Reset()
	g.Reset(&g.to)
	g.Write(body) // a buffer in memory does not fail
	g.Close()
	use(g.to.Bytes())
	if g.to.Cap() > keep {
		g.to = bytes.Buffer{}
	}
	c.gzips.Put(g)
}
