package blob

import (
	"bytes"
	"context"
	"errors"

	"verbless/internal/blob/s3"
)

func (a *objects) Finish(ctx context.Context, name string, have Progress, keep func(Progress) error) error {
	if !Valid(name) {
		return errors.New("blob: not a name: " + name)
	}
	m, err := makingOf(have)
	if err == nil {
		err = keep(have)
	}
	if err != nil {
		return err
	}
	done, err := a.finished(ctx, name, have.Size)
	if err == nil && !done {
		err = a.finish(ctx, name, m)
	}
	if err != nil && !done { // another Finish may have been faster
		if done, _ := a.finished(ctx, name, have.Size); !done {
			return err
		}
	}
	a.clear(ctx, name) // what is left now is swept later
	return nil
}

// finished tells whether a blob is there as a whole.
func (a *objects) finished(ctx context.Context, name string, size int64) (bool, error) {
	there, err := a.bucket.Size(ctx, a.prefix+name)
	switch {
	case errors.Is(err, s3.ErrNoObject):
		return false, nil
	case err != nil:
		return false, s3Fault(err)
	case there != size:
		return false, damaged("it was finished with %d bytes, not %d", there, size)
	}
	return true, nil
}

// finish makes the object: of the pieces alone, or of the parts and a last one that is made of the pieces. When the upload is
// not there, S3 may still be busy with a Finish that was given up: that is worth another try later, and not yet damage.
func (a *objects) finish(ctx context.Context, name string, m making) error {
	size, key := sizeOf(m.Pieces), a.prefix+name
	s, err := newSpool(a.spools, size)
	if err != nil {
		return err
	}
	defer s.close()
	if err := a.fetch(ctx, name, m.Pieces, s); err != nil {
		return err
	}
	if m.Upload == "" {
		return s3Fault(a.bucket.Put(ctx, key, s.section(0, size), size, contentType(name)))
	}
	if size > 0 {
		tag, err := a.bucket.PutPart(ctx, key, m.Upload, m.Parts+1, s.section(0, size), size)
		if err != nil {
			return s3Fault(err)
		}
		m.add(tag)
	}
	tags, err := a.bucket.Tags(ctx, key, m.Upload, m.Parts)
	if err != nil {
		return s3Fault(err)
	}
	if err := m.check(tags); err != nil {
		return err
	}
	return s3Fault(a.bucket.Complete(ctx, key, m.Upload, tags))
}

// check tells whether the parts are what they were when they were kept: a writer that was overtaken may have written another
// over one of them. S3 checks the same once more with the ETags it is given.
func (m making) check(tags []string) error {
	var found making
	for _, tag := range tags {
		found.add(tag)
	}
	switch {
	case found.Parts != m.Parts:
		return damaged("there are %d parts of %d", found.Parts, m.Parts)
	case !bytes.Equal(found.Tags, m.Tags):
		return damaged("a part was overwritten")
	}
	return nil
}

func (a *objects) Discard(ctx context.Context, name string, _ Progress) error {
	if !Valid(name) {
		return nil
	}
	if err := a.Remove(ctx, name); err != nil {
		return err
	}
	return a.clear(ctx, name)
}

// clear removes the pieces of a blob, and what there is of it in multipart uploads.
func (a *objects) clear(ctx context.Context, name string) error {
	var keys []string
	for object, err := range a.bucket.List(ctx, a.prefix+name+pieceMark) {
		if err != nil {
			return s3Fault(err)
		}
		keys = append(keys, object.Key)
	}
	if len(keys) > 0 {
		if err := a.bucket.Remove(ctx, keys...); err != nil {
			return s3Fault(err)
		}
	}
	for upload, err := range a.bucket.Uploads(ctx, a.prefix+name) {
		if err == nil && upload.Key == a.prefix+name {
			err = a.bucket.Abort(ctx, upload.Key, upload.ID)
		}
		if err != nil {
			return s3Fault(err)
		}
	}
	return nil
}
