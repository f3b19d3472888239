// Package picture judges JPEG, PNG and GIF images from strangers, and takes out of them what does not belong to the
// picture: EXIF, places, comments, thumbnails, and whatever follows the end.
//
// It promises: what comes out decodes to the same pixels as what went in, byte for byte as they were compressed, with
// animation and orientation kept; sizes are judged from headers before anything is decoded; and however many images come
// at once, decoding needs a bounded amount of memory. It never scales, converts or compresses anew.
package picture

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"verbless/internal/fault"
)

// The types that are understood.
const (
	JPEG = "image/jpeg"
	PNG  = "image/png"
	GIF  = "image/gif"
)

// Types lists them.
func Types() []string { return []string{JPEG, PNG, GIF} }

// Limits is how large a picture may be.
type Limits struct {
	Side        int   // width or height
	Pixels      int64 // width times height
	Animation   int64 // width times height times frames
	Scans       int   // passes over a JPEG; 0 is 64
	Memory      int64 // what all decoding together may need; 0 is 256 MiB
	Concurrency int   // images decoded at once; 0 is one for each processor
	Patience    time.Duration
}

// Picture is an image that has been judged and stripped.
type Picture struct {
	Type          string
	Width, Height int
	Frames        int
	Data          []byte
}

// draft is a picture that has been taken apart but not decoded yet.
type draft struct {
	Picture
	memory int64        // what decoding needs
	decode func() error // proves that the data is what the header says
}

// Judge judges pictures. It is safe for concurrent use.
type Judge struct {
	limits Limits
	share  int64 // the least that an image takes of the memory, so that only so many are decoded at once
	room   *semaphore.Weighted
}

// NewJudge makes one.
func NewJudge(l Limits) *Judge {
	if l.Scans == 0 {
		l.Scans = 64
	}
	if l.Memory == 0 {
		l.Memory = 256 << 20
	}
	if l.Concurrency == 0 {
		l.Concurrency = runtime.GOMAXPROCS(0)
	}
	if l.Patience == 0 {
		l.Patience = 30 * time.Second
	}
	return &Judge{limits: l, share: max(l.Memory/int64(l.Concurrency), 1), room: semaphore.NewWeighted(l.Memory)}
}

var formats = []struct {
	mediaType string
	magic     []string
	open      func(data []byte, l Limits) (*draft, error)
}{
	{JPEG, []string{"\xff\xd8\xff"}, openJPEG},
	{PNG, []string{pngMagic}, openPNG},
	{GIF, []string{"GIF87a", "GIF89a"}, openGIF},
}

// Sniff tells the type of an image by its first bytes; empty when it is none of ours.
func Sniff(data []byte) string {
	for _, format := range formats {
		if slices.ContainsFunc(format.magic, func(magic string) bool { return bytes.HasPrefix(data, []byte(magic)) }) {
			return format.mediaType
		}
	}
	return ""
}

// Clean judges an image that is said to be of a type, and gives it without what does not belong to it.
// All errors are faults.
func (j *Judge) Clean(ctx context.Context, declared string, data []byte) (*Picture, error) {
	actual := Sniff(data)
	if actual == "" || actual != declared {
		if actual == "" {
			return nil, fault.New(fault.ImageMismatch, "The bytes are no JPEG, PNG or GIF image.")
		}
		return nil, fault.New(fault.ImageMismatch, "The bytes are %s, not %s.", actual, declared)
	}
	var d *draft
	for _, format := range formats {
		if format.mediaType == actual {
			var err error
			if d, err = format.open(data, j.limits); err != nil {
				return nil, err
			}
		}
	}
	release, err := j.enter(ctx, d.memory)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := d.decode(); err != nil {
		return nil, corrupt("The image cannot be decoded.").Because(err)
	}
	d.Type = actual
	return &d.Picture, nil
}

// enter waits for room to decode, but not for ever.
func (j *Judge) enter(ctx context.Context, memory int64) (release func(), err error) {
	need := min(max(memory, j.share), j.limits.Memory)
	wait, cancel := context.WithTimeout(ctx, j.limits.Patience)
	defer cancel()
	if err := j.room.Acquire(wait, need); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fault.New(fault.Unavailable, "Too many images are being looked at just now.").After(5 * time.Second)
	}
	return func() { j.room.Release(need) }, nil
}

func corrupt(format string, args ...any) *fault.Fault {
	return fault.New(fault.ImageCorrupt, format, args...)
}

// fits judges what a header says.
func (l Limits) fits(width, height, frames int) error {
	area := int64(width) * int64(height)
	switch {
	case width < 1 || height < 1:
		return corrupt("The image has no pixels.")
	case width > l.Side || height > l.Side || area > l.Pixels:
		return fault.New(fault.ImageTooManyPixels, "The image has %d × %d pixels; %d × %[3]d and %d in all are the limits.", width, height, l.Side, l.Pixels)
	case frames > 1 && area*int64(frames) > l.Animation:
		return fault.New(fault.ImageTooManyPixels, "The animation has %d frames of %d × %d pixels; %d pixels in all are the limit.", frames, width, height, l.Animation)
	}
	return nil
}
