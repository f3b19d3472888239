package blob

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"verbless/internal/blob/lock"
)

// checkpointSize is how much of a long append a crash can cost. Larger ones are not faster.
const checkpointSize = 64 << 20

// growingFile is a blob that grows at its place. Nobody else has it while it is open.
type growingFile struct {
	file *os.File
	left int64 // until the next checkpoint
}

func (a *folder) grow(ctx context.Context, name string, have Progress, keep func(Progress) error) (grower, error) {
	f, err := a.hold(ctx, name, have, keep)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(have.Size, io.SeekStart); err != nil {
		return nil, diskFault(errors.Join(err, f.Close()))
	}
	return &growingFile{f, checkpointSize}, nil
}

func (g *growingFile) room() int64 { return g.left }

func (g *growingFile) write(p []byte) (int, error) {
	n, err := g.file.Write(p)
	g.left -= int64(n)
	if err != nil {
		return n, diskFault(err)
	}
	return n, nil
}

// seal gives the job of syncing: all that was written before it begins is durable when it ends. After one that failed, the
// system may say that the next went well although bytes are lost; none follows.
func (g *growingFile) seal(bool) func() (json.RawMessage, error) {
	g.left = checkpointSize
	return func() (json.RawMessage, error) {
		if err := g.file.Sync(); err != nil {
			return nil, diskFault(err)
		}
		return nil, nil
	}
}

func (g *growingFile) kept() {}

func (g *growingFile) close() { g.file.Close() } // all that matters is synced

// hold opens the file of a growing blob for this writer alone, and cuts it back to what is known to be there.
func (a *folder) hold(ctx context.Context, name string, have Progress, keep func(Progress) error) (*os.File, error) {
	if !Valid(name) {
		return nil, errors.New("blob: not a name: " + name)
	}
	for {
		f, err := a.openLocked(ctx, name, have.Size == 0)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		err = keep(have)
		if err == nil {
			err = a.cut(f, name, have.Size)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	}
}

// openLocked opens and locks a file. It gives none when the file was removed while it waited.
func (a *folder) openLocked(ctx context.Context, name string, create bool) (*os.File, error) {
	dir, place := a.place(name)
	flags := os.O_RDWR
	if create {
		flags |= os.O_CREATE
		if err := a.mkdir(dir); err != nil {
			return nil, diskFault(err)
		}
	}
	f, err := a.root.OpenFile(place, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) && !create {
		return nil, damaged("the file is not there")
	}
	if err != nil {
		return nil, diskFault(err)
	}
	if err := lock.Wait(ctx, f); err != nil {
		f.Close()
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, diskFault(err)
	}
	mine, err := f.Stat()
	var there os.FileInfo
	if err == nil {
		there, err = a.root.Stat(place)
	}
	switch {
	case err == nil && os.SameFile(mine, there):
		return f, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, diskFault(errors.Join(err, f.Close()))
	}
	f.Close()
	return nil, ctx.Err()
}

// cut takes away what is behind the known bytes. A file that is too short lost some: it is never filled with zeros.
func (a *folder) cut(f *os.File, name string, size int64) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return diskFault(err)
	case info.Size() < size:
		return damaged("the file has %d bytes of %d", info.Size(), size)
	case info.Size() > size:
		if err := f.Truncate(size); err != nil {
			return diskFault(err)
		}
	}
	if size > 0 {
		return nil
	}
	dir, _ := a.place(name)
	if err := a.sync(dir); err != nil { // the file may be new
		return diskFault(err)
	}
	return nil
}

// Finish has little to do, because the file has grown at its place.
func (a *folder) Finish(ctx context.Context, name string, have Progress, keep func(Progress) error) error {
	f, err := a.hold(ctx, name, have, keep)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return diskFault(err)
	}
	return nil
}

func (a *folder) Discard(ctx context.Context, name string, _ Progress) error {
	return a.Remove(ctx, name)
}
