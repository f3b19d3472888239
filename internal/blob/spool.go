package blob

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"os"

	"verbless/internal/blob/s3"
)

// spool is a file without a name, in which a part is gathered: memory stays flat, and a crash leaves nothing behind.
type spool struct {
	file  *os.File
	start int64 // where new bytes begin; before them there is room for the pieces that belong to the same part
	end   int64
}

func newSpool(dir string, start int64) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, diskFault(err)
	}
	f, err := os.CreateTemp(dir, "part-")
	if err != nil {
		return nil, diskFault(err)
	}
	os.Remove(f.Name()) // where open files cannot be removed, close does it
	return &spool{f, start, start}, nil
}

func (s *spool) write(p []byte) (int, error) {
	n, err := s.file.WriteAt(p, s.end)
	s.end += int64(n)
	if err != nil {
		return n, diskFault(err)
	}
	return n, nil
}

// section reads a part of it, as often as tries need.
func (s *spool) section(from, to int64) *io.SectionReader {
	return io.NewSectionReader(s.file, from, to-from)
}

func (s *spool) close() {
	s.file.Close()
	os.Remove(s.file.Name())
}

// piece is an object that holds bytes which do not fill a part yet.
type piece struct {
	Key    string `json:"key"` // behind the name
	Size   int64  `json:"size"`
	CRC32C uint32 `json:"crc32c"`
}

// sizeOf is how many bytes are in pieces.
func sizeOf(pieces []piece) (size int64) {
	for _, p := range pieces {
		size += p.Size
	}
	return size
}

// fetch copies pieces into a spool, one behind the other, to just before the new bytes.
func (a *objects) fetch(ctx context.Context, name string, pieces []piece, s *spool) error {
	at := s.start - sizeOf(pieces)
	for _, p := range pieces {
		if err := a.fetchOne(ctx, name, p, s, at); err != nil {
			return err
		}
		at += p.Size
	}
	return nil
}

func (a *objects) fetchOne(ctx context.Context, name string, p piece, s *spool, at int64) error {
	sum := crc32.New(castagnoli)
	n, err := a.bucket.Copy(ctx, a.prefix+name+pieceMark+p.Key, p.Size, io.MultiWriter(io.NewOffsetWriter(s.file, at), sum))
	var disk *os.PathError
	switch {
	case errors.Is(err, s3.ErrNoObject):
		return damaged("a piece is not there")
	case errors.As(err, &disk):
		return diskFault(err)
	case err != nil:
		return s3Fault(err)
	case n != p.Size || sum.Sum32() != p.CRC32C:
		return damaged("a piece has other bytes")
	}
	return nil
}
