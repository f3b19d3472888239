package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"verbless/internal/fault"
)

// Progress is how far a blob has grown: what the caller keeps, durably, between appends. The zero value is a blob of which
// nothing is there.
type Progress struct {
	Size   int64           `json:"size"`            // bytes that are durable
	CRC32C uint32          `json:"crc32c"`          // of those bytes (Castagnoli), continued from append to append
	State  json.RawMessage `json:"state,omitempty"` // what the store itself needs to go on; some kilobytes at most, whatever the size
}

// Policy says what an append that begins at from means for a blob of have bytes: how many bytes of it to skip, or why it is
// refused. What it skips must lead to have.
type Policy func(have, from int64) (skip int64, err error)

// OffsetError says that an append does not fit what is there.
type OffsetError struct{ Have, From int64 }

func (e *OffsetError) Error() string {
	return fmt.Sprintf("bytes from %d on do not fit the %d that are there", e.From, e.Have)
}

// Exact is for senders who know how much is there: all else is an *OffsetError.
func Exact(have, from int64) (int64, error) {
	if from != have {
		return 0, &OffsetError{have, from}
	}
	return 0, nil
}

// Overlap is for senders who repeat what they are not sure of: what is there already is skipped. A gap is an *OffsetError.
func Overlap(have, from int64) (int64, error) {
	if from < 0 || from > have {
		return 0, &OffsetError{have, from}
	}
	return have - from, nil
}

// ErrDamaged is the cause of the fault when what should be durable is not there any more, or is not what was kept.
var ErrDamaged = errors.New("blob: damaged")

func damaged(format string, args ...any) error {
	return fault.New(fault.Internal, "What was stored of this file is damaged. It must be sent again.").Because(fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...)))
}

// NewName makes a name for a blob that grows: its content is not known yet, so random digits stand in the place of the hash.
func NewName(extension string) string {
	var random [sha256.Size]byte
	rand.Read(random[:]) // never fails
	return Name(hex.EncodeToString(random[:]), extension)
}

// grower adds bytes to one blob.
type grower interface {
	// room is how many more bytes it takes before it must be sealed.
	room() int64
	// write takes bytes, of which it says how many. They are not durable yet.
	write(p []byte) (int, error)
	// seal ends what is to be made durable together; the job it gives does that, and may run while the next bytes are
	// written. The last one may be of any size, others fill the room. It gives the state to keep.
	seal(last bool) (job func() (json.RawMessage, error))
	// kept is told when the state of the last job was kept, so that nobody needs what came before.
	kept()
	close()
}

// Append adds what r gives from the place from on to the growing blob of that name, behind what have says is there:
// anything else that is found there, of a crash or of a writer that was overtaken, is cut off.
//
// The caller sees to it that have is what was kept last, and that once it has read have, the keep of any other writer of
// this blob fails; the writer with the newest have wins, and the others end at their next keep.
//
// keep is called with have itself once no other writer can touch the blob, before anything of it is changed: a writer that was
// overtaken while it waited for bytes ends there. Then it is called each time more has become durable, every 64 MiB or less
// (more only in S3, behind the first 100 GiB) and at the end, before anybody is told. It is called by the goroutine of Append. When it fails, Append stops with
// its error, and the progress that was kept before.
//
// The Progress given back is durable and was kept, also beside an error. An error of r comes back as it is, and io.EOF as
// nil; errors of the store are faults. The end of ctx ends waiting and reading, but what came before is still kept: a
// connection that breaks ends both.
func Append(ctx context.Context, a Area, name string, have Progress, from int64, policy Policy, r io.Reader, keep func(Progress) error) (Progress, error) {
	skip, err := policy(have.Size, from)
	if err != nil {
		return have, err
	}
	if skip < 0 || from+skip != have.Size {
		return have, fmt.Errorf("blob: a policy led from %d over %d bytes to a blob of %d", from, skip, have.Size)
	}
	if _, err := io.CopyN(io.Discard, r, skip); err != nil {
		return have, unlessEOF(err)
	}
	buffer := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buffer)
	n, err := fill(ctx, r, buffer[:])
	if n == 0 { // nothing is made for an append of nothing
		return have, unlessEOF(err)
	}
	g, failed := a.grow(ctx, name, have, keep)
	if failed != nil {
		return have, failed
	}
	w := &growth{g: g, keep: keep, kept: have, taken: have}
	defer w.close()
	err = w.copy(ctx, r, buffer, n, err)
	if w.checkpoint(true); w.settle() {
		return w.kept, unlessEOF(err)
	}
	return w.kept, w.failed
}

func unlessEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// bufferSize makes few calls of many, and 200 appends at once cost 25 MB.
const bufferSize = 128 << 10

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// castagnoli is computed by the processor itself.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fill reads until a buffer is full, so that a sender of small pieces does not cost a write for each.
func fill(ctx context.Context, r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if err = ctx.Err(); err == nil {
			var more int
			more, err = r.Read(p[n:])
			n += more
		}
	}
	return n, err
}

// growth is one append while it runs. At most one job makes bytes durable while the next are taken.
type growth struct {
	g      grower
	keep   func(Progress) error
	kept   Progress     // durable, and the caller knows
	taken  Progress     // given to the store
	job    chan outcome // nil when none runs
	failed error        // of the store, or of keep: nothing more can be kept
}

type outcome struct {
	progress Progress
	err      error
}

// copy gives what is in the buffer, then all that r has, to the store. It gives back why it ended, io.EOF included.
func (w *growth) copy(ctx context.Context, r io.Reader, buffer *[bufferSize]byte, n int, err error) error {
	for at := buffer[:n]; ; {
		for len(at) > 0 {
			part := at[:min(int64(len(at)), w.g.room())]
			taken, broken := w.g.write(part)
			w.taken.Size += int64(taken)
			w.taken.CRC32C = crc32.Update(w.taken.CRC32C, castagnoli, part[:taken])
			if broken != nil {
				return broken
			}
			at = at[taken:]
			if w.g.room() == 0 {
				w.checkpoint(false)
			}
			if w.failed != nil {
				return w.failed
			}
		}
		if err != nil {
			return err
		}
		if len(w.job) > 0 && !w.settle() { // its outcome is there
			return w.failed
		}
		n, err = fill(ctx, r, buffer[:])
		at = buffer[:n]
	}
}

// checkpoint starts to make durable what was taken.
func (w *growth) checkpoint(last bool) {
	if !w.settle() || w.taken.Size == w.kept.Size {
		return
	}
	job, at := w.g.seal(last), w.taken
	done := make(chan outcome, 1)
	w.job = done
	go func() {
		state, err := job()
		done <- outcome{Progress{at.Size, at.CRC32C, state}, err}
	}()
}

// settle waits for the job that runs, has its outcome kept, and tells whether all is well.
func (w *growth) settle() bool {
	if w.job != nil {
		done := <-w.job
		w.job = nil
		if w.failed = done.err; w.failed == nil {
			w.failed = w.keep(done.progress)
		}
		if w.failed == nil {
			w.kept = done.progress
			w.g.kept()
		}
	}
	return w.failed == nil
}

// close lets go of the blob once no job works on it any more.
func (w *growth) close() {
	if w.job != nil {
		<-w.job
	}
	w.g.close()
}
