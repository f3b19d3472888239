package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"verbless/internal/blob/s3"
	"verbless/internal/fault"
)

// pieceMark stands between the name of a blob that grows and the rest of the key of a piece; no name has it.
const pieceMark = "~"

const (
	firstPart = 8 << 20 // S3 takes no part under 5 MiB but the last
	samePart  = 1000    // so many parts have the same size, the next so many twice that: 10,000 hold more than
	mostBytes = 5 << 40 // what S3 takes
	mostTails = 64      // pieces behind the parts
)

// partSize depends on the number of a part alone, so that all writers of a blob agree on where parts begin.
func partSize(i int) int64 { return firstPart << (i / samePart) }

// making is what a blob that grows in S3 consists of: parts of a multipart upload and, behind them, pieces.
type making struct {
	Upload string  `json:"upload,omitempty"`
	Parts  int     `json:"parts,omitempty"`
	Tags   []byte  `json:"tags,omitempty"` // a hash over the ETags of the parts: what an overtaken writer overwrote does not fit
	Pieces []piece `json:"pieces,omitempty"`
}

func makingOf(have Progress) (m making, err error) {
	if have.State == nil {
		if have.Size > 0 {
			return m, errors.New("blob: progress without its state")
		}
		return m, nil
	}
	return m, json.Unmarshal(have.State, &m)
}

// add counts one more part.
func (m *making) add(tag string) {
	sum := sha256.Sum256(append(slices.Clip(m.Tags), tag...))
	m.Parts, m.Tags = m.Parts+1, sum[:]
}

// growingObject gathers bytes until they fill a part. Only the job that runs uses what the blob is made of.
type growingObject struct {
	ctx     context.Context // does not end with the caller's: what came is kept
	area    *objects
	name    string
	making  making
	dropped []piece // no longer needed, once the state is kept

	spool *spool // nil until bytes come
	part  int    // which part they are for
	start int64  // what is before them in that part
	size  int64  // of the blob
}

func (a *objects) grow(ctx context.Context, name string, have Progress, keep func(Progress) error) (grower, error) {
	if !Valid(name) {
		return nil, errors.New("blob: not a name: " + name)
	}
	m, err := makingOf(have)
	if err == nil {
		err = keep(have)
	}
	if err != nil {
		return nil, err
	}
	return &growingObject{ctx: context.WithoutCancel(ctx), area: a, name: name, making: m, part: m.Parts, start: sizeOf(m.Pieces), size: have.Size}, nil
}

func (g *growingObject) room() int64 {
	if g.spool == nil {
		return partSize(g.part) - g.start
	}
	return partSize(g.part) - g.spool.end
}

func (g *growingObject) write(p []byte) (n int, err error) {
	if g.size+int64(len(p)) > mostBytes {
		return 0, fault.New(fault.BodyTooLarge, "The storage takes no file of more than 5 TiB.")
	}
	if g.spool == nil {
		if g.spool, err = newSpool(g.area.spools, g.start); err != nil {
			return 0, err
		}
	}
	n, err = g.spool.write(p)
	g.size += int64(n)
	return n, err
}

func (g *growingObject) seal(last bool) func() (json.RawMessage, error) {
	s := g.spool
	work := g.addPart
	if last && g.room() > 0 {
		work = g.addPiece
	}
	g.spool, g.start = nil, 0
	g.part++
	return func() (json.RawMessage, error) {
		defer s.close()
		if err := work(s); err != nil {
			return nil, err
		}
		return json.Marshal(g.making)
	}
}

// addPart makes a part of the pieces and the bytes behind them.
func (g *growingObject) addPart(s *spool) (err error) {
	m, a, key := &g.making, g.area, g.area.prefix+g.name
	if err := a.fetch(g.ctx, g.name, m.Pieces, s); err != nil {
		return err
	}
	if m.Upload == "" {
		if m.Upload, err = a.bucket.Begin(g.ctx, key, contentType(g.name)); err != nil {
			return s3Fault(err)
		}
	}
	tag, err := a.bucket.PutPart(g.ctx, key, m.Upload, m.Parts+1, s.section(0, s.end), s.end)
	if errors.Is(err, s3.ErrNoUpload) {
		return damaged("the parts are not there: %v", err)
	}
	if err != nil {
		return s3Fault(err)
	}
	m.add(tag)
	g.dropped, m.Pieces = append(g.dropped, m.Pieces...), nil
	return nil
}

// addPiece keeps bytes that do not fill a part: alone, so that small appends stay cheap, or joined with pieces when there
// are too many. Of those, it joins the ones that are not larger than all behind them, so that a byte is moved few times.
func (g *growingObject) addPiece(s *spool) error {
	pieces := g.making.Pieces
	joined := len(pieces)
	if len(pieces) >= mostTails {
		behind := s.end - s.start
		for joined > 0 && pieces[joined-1].Size <= behind || len(pieces)-joined < 1 {
			joined--
			behind += pieces[joined].Size
		}
	}
	from := s.start - sizeOf(pieces[joined:])
	if err := g.area.fetch(g.ctx, g.name, pieces[joined:], s); err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	if _, err := io.Copy(sum, s.section(from, s.end)); err != nil {
		return diskFault(err)
	}
	var random [8]byte
	rand.Read(random[:]) // never fails
	p := piece{Key: hex.EncodeToString(random[:]), Size: s.end - from, CRC32C: sum.Sum32()}
	if err := g.area.bucket.Put(g.ctx, g.key(p), s.section(from, s.end), p.Size, contentType(g.name)); err != nil {
		return s3Fault(err)
	}
	g.dropped = append(g.dropped, pieces[joined:]...)
	g.making.Pieces = append(slices.Clip(pieces[:joined]), p)
	return nil
}

func (g *growingObject) key(p piece) string { return g.area.prefix + g.name + pieceMark + p.Key }

// kept removes the pieces that went into something larger. What cannot be removed now is when the blob is finished, or swept.
func (g *growingObject) kept() {
	var keys []string
	for _, p := range g.dropped {
		keys = append(keys, g.key(p))
	}
	if len(keys) > 0 {
		g.area.bucket.Remove(g.ctx, keys...)
	}
	g.dropped = nil
}

func (g *growingObject) close() {
	if g.spool != nil {
		g.spool.close()
	}
}
