package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"verbless/internal/fault"
)

// bucket keeps blobs as objects of S3. A PUT that was answered is durable, and shows the object whole.
type bucket struct {
	client *minio.Client
	name   string
	prefix string
}

// callTime is how long S3 may take for one call, tries included; reading a body has no such limit.
const (
	callTime = 15 * time.Second
	tries    = 3
)

func openS3(where string, o Options) (Store, error) {
	name, prefix, _ := strings.Cut(where, "/")
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || name == "" || endpoint.Host == "" || strings.Trim(endpoint.Path, "/") != "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, errors.New("blobs in S3 need s3://BUCKET and an endpoint like https://s3.example.com")
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.Key, o.Secret, ""), Secure: endpoint.Scheme == "https", Region: o.Region, MaxRetries: tries,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, TLSHandshakeTimeout: 5 * time.Second,
			ResponseHeaderTimeout: callTime, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, DisableCompression: true,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("blobs in S3: %w", err)
	}
	return &bucket{client, name, prefix}, nil
}

func (b *bucket) Close() error { return nil }

func (b *bucket) Area(name string) (Area, error) {
	return &objects{b.client, b.name, path.Join(b.prefix, name) + "/"}, checkArea(name)
}

type objects struct {
	client *minio.Client
	bucket string
	prefix string
}

func (a *objects) Put(ctx context.Context, name string, content []byte) error {
	if !Valid(name) {
		return errors.New("blob: not a name: " + name)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := a.client.PutObject(ctx, a.bucket, a.prefix+name, bytes.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{DisableMultipart: true, CacheControl: "public, max-age=31536000, immutable", ContentType: contentType(name)})
	return s3Fault(err)
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
	short, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	info, err := a.client.StatObject(short, a.bucket, a.prefix+name, minio.StatObjectOptions{})
	if err != nil {
		return nil, s3Fault(err)
	}
	return &objectReader{ctx: ctx, area: a, name: name, size: info.Size}, nil
}

func (a *objects) Remove(ctx context.Context, name string) error {
	if !Valid(name) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := s3Fault(a.client.RemoveObject(ctx, a.bucket, a.prefix+name, minio.RemoveObjectOptions{}))
	if fault.Is(err, fault.NotFoundCode) {
		return nil
	}
	return err
}

func (a *objects) Sweep(ctx context.Context, before time.Time, wanted func(context.Context, []string) (map[string]bool, error)) error {
	var names []string
	for object := range a.client.ListObjectsIter(ctx, a.bucket, minio.ListObjectsOptions{Prefix: a.prefix}) {
		if object.Err != nil {
			return s3Fault(object.Err)
		}
		if name := strings.TrimPrefix(object.Key, a.prefix); Valid(name) && object.LastModified.Before(before) {
			names = append(names, name)
		}
		if len(names) == sweepBatch {
			if err := sweep(ctx, a, names, wanted); err != nil {
				return err
			}
			names = names[:0]
		}
	}
	return sweep(ctx, a, names, wanted)
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
		options := minio.GetObjectOptions{}
		if err := options.SetRange(r.at, r.size-1); err != nil {
			return 0, err
		}
		body, _, _, err := (&minio.Core{Client: r.area.client}).GetObject(r.ctx, r.area.bucket, r.area.prefix+r.name, options)
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
	case minio.ToErrorResponse(err).Code == "NoSuchKey":
		return fault.NotFound()
	case errors.Is(err, context.Canceled):
		return err
	}
	return unavailable(err)
}
