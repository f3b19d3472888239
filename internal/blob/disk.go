package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"verbless/internal/fault"
)

// disk keeps blobs in folders below one root, which nothing can lead out of.
type disk struct{ root *os.Root }

func openDisk(dir string) (Store, error) {
	dir = filepath.Join(dir, "blobs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &disk{root}, nil
}

func (d *disk) Close() error { return d.root.Close() }

// Area makes the folder of an area: 256 folders by the first digits of a name, and one for files that are being written.
func (d *disk) Area(name string) (Area, error) {
	if err := checkArea(name); err != nil {
		return nil, err
	}
	a := &folder{root: d.root, name: name, made: map[string]bool{}}
	return a, a.mkdir(path.Join(name, incoming))
}

// incoming is where files are written until they are whole. It is in the same file system, so that they can be renamed.
const incoming = "incoming"

type folder struct {
	root *os.Root
	name string
	mu   sync.Mutex
	made map[string]bool // folders that are known to be there, durably
}

// mkdir makes a folder, and its entry durable, once.
func (a *folder) mkdir(dir string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.made[dir] {
		return nil
	}
	if err := a.root.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for up := path.Dir(dir); ; up = path.Dir(up) {
		if err := a.sync(up); err != nil {
			return err
		}
		if up == "." {
			break
		}
	}
	a.made[dir] = true
	return nil
}

// sync makes the entries of a folder durable.
func (a *folder) sync(dir string) error {
	f, err := a.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// place is the folder of a name, and its path.
func (a *folder) place(name string) (dir, file string) {
	dir = path.Join(a.name, name[:2])
	return dir, path.Join(dir, name)
}

func (a *folder) Put(ctx context.Context, name string, content []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !Valid(name) {
		return errors.New("blob: not a name: " + name)
	}
	dir, file := a.place(name)
	temporary := path.Join(a.name, incoming, rand.Text())
	err := a.mkdir(dir)
	if err == nil {
		err = a.write(temporary, content)
	}
	if err == nil {
		err = a.root.Rename(temporary, file)
	}
	if err != nil {
		a.root.Remove(temporary) // what cannot be removed now is swept later
		return diskFault(err)
	}
	if err := a.sync(dir); err != nil { // it may be lost with the next power cut, so it must not be used
		a.root.Remove(file)
		return diskFault(err)
	}
	return nil
}

// write makes a file whose bytes are durable, but not yet its name.
func (a *folder) write(file string, content []byte) error {
	f, err := a.root.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (a *folder) Open(_ context.Context, name string) (Reader, error) {
	if !Valid(name) {
		return nil, fault.NotFound()
	}
	_, file := a.place(name)
	f, err := a.root.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.NotFound()
	}
	if err != nil {
		return nil, diskFault(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, diskFault(errors.Join(err, f.Close()))
	}
	return &diskReader{f, info.Size()}, nil
}

// diskReader is a file, so that the system can send it by itself.
type diskReader struct {
	*os.File
	size int64
}

func (r *diskReader) Size() int64 { return r.size }

func (a *folder) Remove(_ context.Context, name string) error {
	if !Valid(name) {
		return nil
	}
	_, file := a.place(name)
	if err := a.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diskFault(err)
	}
	return nil
}

func (a *folder) Sweep(ctx context.Context, before time.Time, wanted func(context.Context, []string) (map[string]bool, error)) error {
	dirs, err := fs.ReadDir(a.root.FS(), a.name)
	if err != nil {
		return diskFault(err)
	}
	for _, dir := range dirs {
		if err := ctx.Err(); err != nil {
			return err
		}
		names, err := a.older(path.Join(a.name, dir.Name()), before)
		if err != nil {
			return diskFault(err)
		}
		if dir.Name() == incoming {
			err = a.discard(names)
		} else {
			err = sweep(ctx, names, wanted, unlessWanted(a))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// older lists the files of a folder that have not been touched since a time.
func (a *folder) older(dir string, before time.Time) ([]string, error) {
	entries, err := fs.ReadDir(a.root.FS(), dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone in the meantime
		case err != nil:
			return nil, err
		case info.Mode().IsRegular() && info.ModTime().Before(before):
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// discard removes what broken writes left behind.
func (a *folder) discard(names []string) error {
	for _, name := range names {
		if err := a.root.Remove(path.Join(a.name, incoming, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return diskFault(err)
		}
	}
	return nil
}

// diskFault translates an error of the file system; its text, with paths, is for the log alone.
func diskFault(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fault.New(fault.StorageFull, "The disk for files is full.").After(5 * time.Second).Because(err)
	}
	return unavailable(err)
}
