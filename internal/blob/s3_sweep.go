package blob

import (
	"context"
	"errors"
	"strings"
	"time"

	"verbless/internal/blob/s3"
)

// batches gathers names, each once when they come in order, and gives them on many at a time.
type batches struct {
	names []string
	give  func(names []string) error
}

func (b *batches) add(name string) error {
	if n := len(b.names); n > 0 && b.names[n-1] == name {
		return nil
	}
	if b.names = append(b.names, name); len(b.names) < sweepBatch {
		return nil
	}
	return b.flush()
}

func (b *batches) flush() error {
	names := b.names
	b.names = nil
	return b.give(names)
}

// Sweep goes through the objects, pieces among them, and then through the multipart uploads.
func (a *objects) Sweep(ctx context.Context, before time.Time, wanted func(context.Context, []string) (map[string]bool, error)) error {
	whole := batches{give: func(names []string) error { return sweep(ctx, names, wanted, unlessWanted(a)) }}
	growing := batches{give: func(names []string) error { return sweep(ctx, names, wanted, a.sweepGrowing) }}
	for object, err := range a.bucket.List(ctx, a.prefix) {
		if err != nil {
			return s3Fault(err)
		}
		name, _, isPiece := strings.Cut(strings.TrimPrefix(object.Key, a.prefix), pieceMark)
		if !Valid(name) || !object.Modified.Before(before) {
			continue
		}
		kind := &whole
		if isPiece {
			kind = &growing
		}
		if err := kind.add(name); err != nil {
			return err
		}
	}
	for upload, err := range a.bucket.Uploads(ctx, a.prefix) {
		if err != nil {
			return s3Fault(err)
		}
		if name := strings.TrimPrefix(upload.Key, a.prefix); Valid(name) && upload.Begun.Before(before) {
			if err := growing.add(name); err != nil {
				return err
			}
		}
	}
	if err := whole.flush(); err != nil {
		return err
	}
	return growing.flush()
}

// sweepGrowing removes the pieces and parts of a blob that is not wanted, and those that are left over of one that is finished.
func (a *objects) sweepGrowing(ctx context.Context, name string, wanted bool) error {
	if wanted {
		_, err := a.bucket.Size(ctx, a.prefix+name)
		if errors.Is(err, s3.ErrNoObject) {
			return nil // it still grows
		}
		if err != nil {
			return s3Fault(err)
		}
	}
	return a.clear(ctx, name)
}
