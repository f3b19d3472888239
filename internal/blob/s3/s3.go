// Package s3 makes the calls to S3 that package blob needs.
//
// It promises: each call has a time limit and a bounded number of tries, and memory does not depend on how much is moved.
// What is not there is told apart by ErrNoObject and ErrNoUpload; all other errors are as they come, and not for callers of
// the service.
//
// It knows nothing of names, areas or growing: keys and numbers of parts are its callers'.
package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Options says where S3 is.
type Options struct {
	Endpoint string // https://host or http://host:port
	Region   string
	Key      string
	Secret   string
}

// Bucket is one bucket.
type Bucket struct {
	core    minio.Core
	patient minio.Core // for the one call that may take long to be answered
	name    string
}

const (
	callTime   = 15 * time.Second // for one call, tries included; reading a body has no such limit
	finishTime = 5 * time.Minute  // to put parts together: some copy them
	slowest    = 1 << 20          // bytes in a second, for calls that carry some
	tries      = 3
)

// limit is how long one call may take that carries so many bytes.
func limit(ctx context.Context, bytes int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, callTime+time.Duration(bytes/slowest)*time.Second)
}

// Open does not ask whether S3 answers.
func Open(bucket string, o Options) (*Bucket, error) {
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || bucket == "" || endpoint.Host == "" || strings.Trim(endpoint.Path, "/") != "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, errors.New("S3 needs a bucket, and an endpoint like https://s3.example.com")
	}
	connect := func(answerTime time.Duration) (*minio.Core, error) {
		return minio.NewCore(endpoint.Host, &minio.Options{
			Creds: credentials.NewStaticV4(o.Key, o.Secret, ""), Secure: endpoint.Scheme == "https", Region: o.Region, MaxRetries: tries,
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, TLSHandshakeTimeout: 5 * time.Second,
				ResponseHeaderTimeout: answerTime, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute, DisableCompression: true,
			},
		})
	}
	core, err := connect(callTime)
	if err != nil {
		return nil, err
	}
	patient, err := connect(finishTime)
	if err != nil {
		return nil, err
	}
	return &Bucket{*core, *patient, bucket}, nil
}

var (
	// ErrNoObject says that there is nothing under a key.
	ErrNoObject = errors.New("no such object")
	// ErrNoUpload says that a multipart upload, or one of its parts, is not there.
	ErrNoUpload = errors.New("no such upload")
)

func translate(err error) error {
	switch minio.ToErrorResponse(err).Code {
	case "NoSuchKey":
		return fmt.Errorf("%w: %w", ErrNoObject, err)
	case "NoSuchUpload", "InvalidPart", "InvalidPartOrder":
		return fmt.Errorf("%w: %w", ErrNoUpload, err)
	}
	return err
}

func options(contentType string) minio.PutObjectOptions {
	return minio.PutObjectOptions{DisableMultipart: true, CacheControl: "public, max-age=31536000, immutable", ContentType: contentType}
}

// Put stores an object. Its answer means that it is durable, and seen whole.
func (b *Bucket) Put(ctx context.Context, key string, content io.ReadSeeker, size int64, contentType string) error {
	ctx, cancel := limit(ctx, size)
	defer cancel()
	_, err := b.core.Client.PutObject(ctx, b.name, key, content, size, options(contentType))
	return translate(err)
}

// Size asks how large an object is.
func (b *Bucket) Size(ctx context.Context, key string) (int64, error) {
	ctx, cancel := limit(ctx, 0)
	defer cancel()
	info, err := b.core.StatObject(ctx, b.name, key, minio.StatObjectOptions{})
	return info.Size, translate(err)
}

// Get reads so many bytes of an object, from a place on.
func (b *Bucket) Get(ctx context.Context, key string, from, size int64) (io.ReadCloser, error) {
	options := minio.GetObjectOptions{}
	if err := options.SetRange(from, from+size-1); err != nil {
		return nil, err
	}
	body, _, _, err := b.core.GetObject(ctx, b.name, key, options)
	return body, translate(err)
}

// Copy reads so many bytes of an object into w, in bounded time.
func (b *Bucket) Copy(ctx context.Context, key string, size int64, w io.Writer) (int64, error) {
	ctx, cancel := limit(ctx, size)
	defer cancel()
	body, err := b.Get(ctx, key, 0, size)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	return io.Copy(w, body)
}

// Remove takes objects away, many in one call. Those that are not there are no error.
func (b *Bucket) Remove(ctx context.Context, keys ...string) (failed error) {
	ctx, cancel := limit(ctx, int64(len(keys))*slowest/100) // the service may have to name thousands
	defer cancel()
	if len(keys) == 1 {
		failed = translate(b.core.RemoveObject(ctx, b.name, keys[0], minio.RemoveObjectOptions{}))
		if errors.Is(failed, ErrNoObject) {
			return nil
		}
		return failed
	}
	objects := make(chan minio.ObjectInfo, len(keys))
	for _, key := range keys {
		objects <- minio.ObjectInfo{Key: key}
	}
	close(objects)
	for result := range b.core.RemoveObjects(ctx, b.name, objects, minio.RemoveObjectsOptions{}) {
		if err := translate(result.Err); err != nil && !errors.Is(err, ErrNoObject) {
			failed = err
		}
	}
	return failed
}

// Object is an entry of a list.
type Object struct {
	Key      string
	Modified time.Time
}

// List goes through the objects whose keys begin with a prefix, in their order.
func (b *Bucket) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for o := range b.core.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: prefix}) {
			if !yield(Object{o.Key, o.LastModified}, translate(o.Err)) || o.Err != nil {
				return
			}
		}
	}
}
