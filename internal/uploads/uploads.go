// Package uploads is files that are sent in one request or in many, with what their owner says of them.
//
// It promises: an offset that was told is durable, whatever dies next; an upload goes on from there; one request at a time adds to
// it, the newest; a file is shown only when all of it is here; and what strangers send is never run as a page of this
// service. Memory does not grow with the size of a file.
//
// The bytes lie in package blob. The way they are sent is the one of Google's resumable uploads (resumable.go); another
// way would be another file that ends in the same receive.
package uploads

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"verbless/internal/blob"
	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/field"
	"verbless/internal/metric"
	"verbless/internal/outbox"
	"verbless/internal/query"
	"verbless/internal/rest"
	"verbless/internal/table"
)

// Upload is a file. It looks the same coming in as going out.
type Upload struct {
	ID       string       `json:"id" db:"id,key" readOnly:"true"`
	Snippet  Snippet      `json:"snippet" db:"snippet" partial:"snippet" default:"{}"`
	Status   Status       `json:"status" db:"status" partial:"status" default:"{}"`
	Content  *Content     `json:"content" db:"content" readOnly:"true" partial:"content" doc:"The file itself; null until all of it is here. Its bytes are at /uploads/{upload}/content."`
	Metadata field.Object `json:"metadata" db:"metadata" doc:"A free object of the client's own, 16 KiB at most."`
	Owner    int64        `json:"-" db:"owner_id,fixed" link:"owner" api:"owner,filter"`
	File     string       `json:"-" db:"file,fixed"`
	Sending  *session     `json:"-"` // at birth, when the file is still to come
	Version  int64        `json:"-" db:"version,version"`
	Created  time.Time    `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
	Updated  time.Time    `json:"updated_at" db:"updated_at,touch" readOnly:"true"`
}

// Snippet is what the owner says of a file.
type Snippet struct {
	Title       string   `json:"title" maxLength:"200" default:"" examples:"Holiday.mp4" doc:"Also the name under which the file is saved."`
	Description string   `json:"description" maxLength:"5000" default:""`
	Tags        []string `json:"tags" maxItems:"50" maxLength:"50" default:"[]"`
}

// Status is who may see a file.
type Status struct {
	Privacy string `json:"privacy" enum:"private,public" default:"private" doc:"private: its owner. public: everybody, the file itself also without a token."`
}

// Public is the status of what everybody may see.
var Public = Status{Privacy: "public"}

// Content is a file that is here, whole.
type Content struct {
	Size     int64    `json:"size" minimum:"0"`
	Type     string   `json:"type" examples:"video/mp4"`
	Checksum Checksum `json:"checksum"`
}

// Checksum is how to tell that a copy is the same.
type Checksum struct {
	CRC32C string  `json:"crc32c" doc:"Base64 of the four bytes, as in X-Goog-Hash."`
	SHA256 *string `json:"sha256" doc:"In hexadecimal digits. Null for a moment after the last byte came."`
}

// Options is what uploads need from outside.
type Options struct {
	Files   blob.Area
	Queue   *outbox.Queue
	Address string        // that the addresses to send to begin with, without a slash at the end
	Max     int64         // bytes of a file
	Keep    time.Duration // until an upload that is not finished ends
	Log     *slog.Logger
	Metrics *metric.Registry
}

// Uploads is the resource, its files and those who are sending.
type Uploads struct {
	Options
	db      *db.DB
	store   *table.Table[Upload]
	process string // tells this process from others that write to the same store
	writers *writers
	asked   *pace
	counts  counts
}

// New makes it, and hands the queue what follows when a file has come.
func New(d *db.DB, o Options) *Uploads {
	u := &Uploads{Options: o, db: d, process: rand.Text(), writers: newWriters(), asked: newPace(), counts: countsIn(o.Metrics)}
	u.store = table.New(d, table.Config[Upload]{Name: "uploads", After: u.after})
	if o.Queue != nil {
		o.Queue.Handle(outbox.Work{Kind: digestTask, Run: u.digest})
	}
	return u
}

// Resource is the collection, and the content below each.
func (u *Uploads) Resource() rest.Resource {
	open := query.Is("status", Public)
	return rest.Collection[Upload]{
		Name: "uploads", One: "upload", Shape: rest.Bare("uploads"), Store: u.store, Methods: "GET POST PATCH DELETE",
		Relations: []rest.Relation{{Name: "owner", To: "users", Via: "owner_id", At: "id", Doc: "Whose file it is."}},
		Part:      "part", Loose: true, Open: &open,
		Intake: u.intake(), Receive: u.begin,
		Under: []rest.Resource{u.contentRoute()},
		Doc: "A file. POST with uploadType=resumable takes what is to be said of it and answers with the address to send it to; " +
			"multipart takes both at once, and media the file alone.",
	}
}

// after goes on with what a change begins: the sending of a new upload, the work on a file that is here, the end of one
// that is removed.
func (u *Uploads) after(ctx context.Context, tx *db.Tx, c *change.Change[Upload]) error {
	switch {
	case c.Dying():
		return u.buried(ctx, tx, c)
	case c.Born() && c.Now.Sending != nil:
		c.Now.Sending.id = c.Now.ID
		return u.open(ctx, tx, c.Now.Sending)
	case c.Now.Content != nil && (c.Born() || c.Was.Content == nil):
		db.AfterCommit(ctx, func() { u.counts.whole.Add(1) })
		return u.Queue.Put(ctx, digestTask, c.Now.ID, 0)
	}
	return nil
}

// buried ends the sending of an upload that is removed, and takes its file along.
func (u *Uploads) buried(ctx context.Context, tx *db.Tx, c *change.Change[Upload]) error {
	s, err := u.session(ctx, tx, c.Was.ID)
	if err != nil {
		return err
	}
	var have blob.Progress
	if s != nil {
		have = s.progress
		if s.state == open {
			db.AfterCommit(ctx, func() { u.counts.cancelled.Add(1) })
		}
		if err := u.close(ctx, tx, s); err != nil {
			return err
		}
	}
	u.discard(ctx, c.Was.ID, c.Was.File, have)
	return nil
}

// discardTime bounds how long an answer waits for a file to go; one that stays is swept.
const discardTime = 10 * time.Second

// discard removes a file once it is certain that no upload has it.
func (u *Uploads) discard(ctx context.Context, id, file string, have blob.Progress) {
	outside := context.WithoutCancel(ctx)
	db.AfterCommit(ctx, func() {
		u.writers.stop(id, errEnded)
		ctx, cancel := context.WithTimeout(outside, discardTime)
		defer cancel()
		if err := u.Files.Discard(ctx, file, have); err != nil {
			u.Log.Warn("a file stays until it is swept", "error", err)
		}
	})
}

// Stop ends all that is being received, so that what has come is kept and the senders are told to go on elsewhere.
func (u *Uploads) Stop() { u.writers.stopAll(errStopping) }
