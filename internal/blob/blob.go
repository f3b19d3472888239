// Package blob keeps bytes under names, on disk or in S3, in areas that know nothing of each other.
//
// It promises: when Put returned nil, the bytes are durable and whole; a name is never seen with other bytes, or with some of
// them; and errors come out as faults, told apart by code, without paths or addresses. A name is put once: two different
// contents never have the same, because it is made from the content (see Name).
//
// A blob can also grow, by Append, under a name of NewName: what was kept is durable and stays, whatever ends the writer; and
// Finish makes a blob of it.
//
// It does not know what the bytes are, or who still needs them: Sweep asks. It does not remember how far a blob has grown, or
// who may append to it: the caller keeps Progress, and sees to it that of two writers only one can keep.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"verbless/internal/fault"
)

// Options says where blobs are kept.
type Options struct {
	URL      string // "disk" (folder blobs in Dir), or s3://BUCKET, with an optional /PREFIX
	Dir      string
	Endpoint string // of S3: https://host or http://host:port
	Region   string
	Key      string
	Secret   string
}

// Store gives areas. Two areas never see each other's blobs.
type Store interface {
	Area(name string) (Area, error)
	Close() error
}

// Area keeps blobs.
type Area interface {
	// Put stores the content under a name that was never used before.
	Put(ctx context.Context, name string, content []byte) error
	// Open gives a blob to read. NotFound is the fault when there is none.
	Open(ctx context.Context, name string) (Reader, error)
	// Remove takes a blob away. One that is not there is no error.
	Remove(ctx context.Context, name string) error
	// Finish makes of what have says a blob that Open finds, durably; how a blob that still grows looks to Open differs from
	// store to store. It can be repeated, after a crash too. keep is asked as Append asks it at first.
	Finish(ctx context.Context, name string, have Progress, keep func(Progress) error) error
	// Discard removes a blob that grows, or has grown, with all its pieces. One that is not there is no error.
	Discard(ctx context.Context, name string, have Progress) error
	// Sweep removes what was put before a time and is not wanted, and what writes that broke off before it left behind. Of what
	// grows, wanted is asked for the name.
	Sweep(ctx context.Context, before time.Time, wanted func(ctx context.Context, names []string) (map[string]bool, error)) error
	// grow opens a blob of which so much is there to add to it, see Append.
	grow(ctx context.Context, name string, have Progress, keep func(Progress) error) (grower, error)
}

// Reader reads a blob, from anywhere in it.
type Reader interface {
	io.ReadSeekCloser
	Size() int64
}

// Open makes the store. It does not ask whether S3 answers: the service works without, but for blobs.
func Open(o Options) (Store, error) {
	bucket, isS3 := strings.CutPrefix(o.URL, "s3://")
	switch {
	case o.URL == "disk":
		return openDisk(o.Dir)
	case isS3:
		return openS3(bucket, o)
	}
	return nil, fmt.Errorf(`blobs are kept on "disk" or in "s3://BUCKET", not in %q`, o.URL)
}

// namePattern is what Name makes, and nothing that means something to a file system.
var namePattern = regexp.MustCompile(`^[0-9a-f]{64}-[0-9a-f]{8}(\.[a-z0-9]{1,8})?$`)

// Valid tells whether a text from outside can be a name.
func Valid(name string) bool { return namePattern.MatchString(name) }

// Hash is the part of a name that is made from the content.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Name makes a name for content with this hash: the hash and a few random digits, so that a copy that is about to be
// removed and a new one of the same content never share a name.
func Name(hash, extension string) string {
	var salt [4]byte
	rand.Read(salt[:]) // never fails
	return hash + "-" + hex.EncodeToString(salt[:]) + extension
}

// HashOf is the hash in a valid name.
func HashOf(name string) string { return name[:sha256.Size*2] }

// areaPattern is what an area may be called.
var areaPattern = regexp.MustCompile(`^[a-z]{1,32}$`)

func checkArea(name string) error {
	if !areaPattern.MatchString(name) {
		return fmt.Errorf("blob: not a name of an area: %q", name)
	}
	return nil
}

func unavailable(err error) error {
	return fault.New(fault.Unavailable, "The storage of files is not available just now.").After(5 * time.Second).Because(err)
}

// sweepBatch is how many names are asked for at once.
const sweepBatch = 100

// sweep asks in batches which names are wanted, and removes the others.
func sweep(ctx context.Context, names []string, wanted func(context.Context, []string) (map[string]bool, error), remove func(ctx context.Context, name string, wanted bool) error) error {
	for len(names) > 0 {
		batch := names[:min(sweepBatch, len(names))]
		names = names[len(batch):]
		keep, err := wanted(ctx, batch)
		if err != nil {
			return err
		}
		for _, name := range batch {
			if err := remove(ctx, name, keep[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// unlessWanted removes what is not wanted.
func unlessWanted(a Area) func(context.Context, string, bool) error {
	return func(ctx context.Context, name string, wanted bool) error {
		if wanted {
			return nil
		}
		return a.Remove(ctx, name)
	}
}
