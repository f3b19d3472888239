package s3

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// page is how many parts or uploads are listed at once.
const page = 1000

// Begin begins a multipart upload, and gives its id.
func (b *Bucket) Begin(ctx context.Context, key, contentType string) (id string, err error) {
	ctx, cancel := limit(ctx, 0)
	defer cancel()
	id, err = b.core.NewMultipartUpload(ctx, b.name, key, options(contentType))
	return id, translate(err)
}

// PutPart stores a part, in the place of any other of the same number, and gives its ETag.
func (b *Bucket) PutPart(ctx context.Context, key, id string, number int, content io.ReadSeeker, size int64) (tag string, err error) {
	ctx, cancel := limit(ctx, size)
	defer cancel()
	part, err := b.core.PutObjectPart(ctx, b.name, key, id, number, content, size, minio.PutObjectPartOptions{})
	return bare(part.ETag), translate(err)
}

// bare is an ETag without its quotes, which come and go.
func bare(tag string) string { return strings.Trim(tag, `"`) }

// Tags lists the ETags of the parts from the first on, so many, or fewer when one is missing.
func (b *Bucket) Tags(ctx context.Context, key, id string, most int) ([]string, error) {
	var tags []string
	for len(tags) < most {
		parts, err := b.partsAfter(ctx, key, id, len(tags))
		if err != nil {
			return nil, err
		}
		before := len(tags)
		for _, part := range parts {
			if part.PartNumber != len(tags)+1 || len(tags) == most {
				return tags, nil
			}
			tags = append(tags, bare(part.ETag))
		}
		if len(tags) == before {
			break
		}
	}
	return tags, nil
}

func (b *Bucket) partsAfter(ctx context.Context, key, id string, number int) ([]minio.ObjectPart, error) {
	ctx, cancel := limit(ctx, 0)
	defer cancel()
	result, err := b.core.ListObjectParts(ctx, b.name, key, id, number, page)
	return result.ObjectParts, translate(err)
}

// Complete makes an object of the parts with these ETags, from the first on. S3 refuses when a part has another.
func (b *Bucket) Complete(ctx context.Context, key, id string, tags []string) error {
	ctx, cancel := context.WithTimeout(ctx, finishTime)
	defer cancel()
	parts := make([]minio.CompletePart, len(tags))
	for i, tag := range tags {
		parts[i] = minio.CompletePart{PartNumber: i + 1, ETag: tag}
	}
	_, err := b.patient.CompleteMultipartUpload(ctx, b.name, key, id, parts, minio.PutObjectOptions{})
	return translate(err)
}

// Abort removes a multipart upload with its parts. One that is not there is no error.
func (b *Bucket) Abort(ctx context.Context, key, id string) error {
	ctx, cancel := limit(ctx, 0)
	defer cancel()
	err := translate(b.core.AbortMultipartUpload(ctx, b.name, key, id))
	if errors.Is(err, ErrNoUpload) {
		return nil
	}
	return err
}

// Upload is a multipart upload that was begun, and neither completed nor aborted.
type Upload struct {
	Key   string
	ID    string
	Begun time.Time
}

// Uploads goes through the multipart uploads whose keys begin with a prefix.
func (b *Bucket) Uploads(ctx context.Context, prefix string) iter.Seq2[Upload, error] {
	return func(yield func(Upload, error) bool) {
		var key, id string
		for {
			result, err := b.uploadsAfter(ctx, prefix, key, id)
			if err != nil {
				yield(Upload{}, err)
				return
			}
			for _, u := range result.Uploads {
				if !yield(Upload{u.Key, u.UploadID, u.Initiated}, nil) {
					return
				}
			}
			if !result.IsTruncated || result.NextKeyMarker == key && result.NextUploadIDMarker == id {
				return
			}
			key, id = result.NextKeyMarker, result.NextUploadIDMarker
		}
	}
}

func (b *Bucket) uploadsAfter(ctx context.Context, prefix, key, id string) (minio.ListMultipartUploadsResult, error) {
	ctx, cancel := limit(ctx, 0)
	defer cancel()
	result, err := b.core.ListMultipartUploads(ctx, b.name, prefix, key, id, "", page)
	return result, translate(err)
}
