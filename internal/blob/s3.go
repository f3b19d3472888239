package blob

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"verbless/internal/blob/s3"
	"verbless/internal/fault"
)

// bucket keeps blobs as objects of S3. A PUT that was answered is durable, and shows the object whole.
type bucket struct {
	bucket *s3.Bucket
	prefix string
	spools string // where parts are gathered
}

func openS3(where string, o Options) (Store, error) {
	name, prefix, _ := strings.Cut(where, "/")
	b, err := s3.Open(name, s3.Options{Endpoint: o.Endpoint, Region: o.Region, Key: o.Key, Secret: o.Secret})
	if err != nil {
		return nil, err
	}
	spools := os.TempDir()
	if o.Dir != "" {
		spools = filepath.Join(o.Dir, "spool")
	}
	return &bucket{b, prefix, spools}, nil
}

func (b *bucket) Close() error { return nil }

func (b *bucket) Area(name string) (Area, error) {
	return &objects{b.bucket, path.Join(b.prefix, name) + "/", b.spools}, checkArea(name)
}

type objects struct {
	bucket *s3.Bucket
	prefix string
	spools string
}

func (a *objects) Put(ctx context.Context, name string, content []byte) error {
	if !Valid(name) {
		return errors.New("blob: not a name: " + name)
	}
	return s3Fault(a.bucket.Put(ctx, a.prefix+name, bytes.NewReader(content), int64(len(content)), contentType(name)))
}

// contentType is for those who let a CDN read the bucket itself.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".png":
		return "image/png"
	case ".gif":
		return "image/gif"
	case ".jpg":
		return "image/jpeg"
	}
	return "application/octet-stream"
}

func (a *objects) Open(ctx context.Context, name string) (Reader, error) {
	if !Valid(name) {
		return nil, fault.NotFound()
	}
	size, err := a.bucket.Size(ctx, a.prefix+name)
	if err != nil {
		return nil, s3Fault(err)
	}
	return &objectReader{ctx: ctx, area: a, name: name, size: size}, nil
}

func (a *objects) Remove(ctx context.Context, name string) error {
	if !Valid(name) {
		return nil
	}
	return s3Fault(a.bucket.Remove(ctx, a.prefix+name))
}

// objectReader asks for the bytes only when they are read, from where they are read.
type objectReader struct {
	ctx  context.Context
	area *objects
	name string
	size int64
	at   int64
	body io.ReadCloser
}

func (r *objectReader) Size() int64 { return r.size }

func (r *objectReader) Read(p []byte) (int, error) {
	if r.at >= r.size {
		return 0, io.EOF
	}
	if r.body == nil {
		body, err := r.area.bucket.Get(r.ctx, r.area.prefix+r.name, r.at, r.size-r.at)
		if err != nil {
			return 0, s3Fault(err)
		}
		r.body = body
	}
	n, err := r.body.Read(p)
	r.at += int64(n)
	if err == io.EOF && r.at < r.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (r *objectReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("blob: a place before the start")
	}
	if offset != r.at {
		r.Close()
	}
	r.at = offset
	return offset, nil
}

func (r *objectReader) Close() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	return body.Close()
}

// s3Fault translates an error of S3: what is not there, what the caller gave up, and all else, which is our trouble.
func s3Fault(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, s3.ErrNoObject):
		return fault.NotFound()
	case errors.Is(err, context.Canceled):
		return err
	}
	return unavailable(err)
}
