package uploads

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"verbless/internal/blob"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/stamp"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the tables of uploads.
func Migrations() db.Migrations { return db.Embedded("uploads", files) }

// The states of a session.
const (
	open      = "open"
	done      = "done"
	cancelled = "cancelled"
	ended     = "ended"
)

// session is how far the sending of one upload has come.
type session struct {
	id, secret, state, file string
	parts                   url.Values
	mediaType               *string
	total                   *int64
	holder                  string
	progress                blob.Progress
	answer                  *string
	expires                 time.Time
	orphan                  bool   // its upload is gone, with its owner
	capability              string // in the address to send to; known only while it is made
}

// hashed is how a capability is kept: whoever reads the store cannot send.
func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// over tells whether nothing more can come of it, and nobody cancelled it.
func (s *session) over() bool { return s.state == ended || s.orphan && s.state != cancelled }

// opens tells whether the capability is that of the session.
func (s *session) opens(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(s.secret), []byte(hashed(secret))) == 1
}

// session reads one, nil when there is none.
func (u *Uploads) session(ctx context.Context, q db.Querier, id string) (*session, error) {
	s := &session{id: id}
	var progress, parts string
	var expires int64
	err := q.QueryRow(ctx, `SELECT secret, state, file, parts, media_type, total, holder, progress, answer, expires_at,
		NOT EXISTS (SELECT 1 FROM uploads WHERE id = upload_id) FROM upload_sessions WHERE upload_id = ?`, id).
		Scan(&s.secret, &s.state, &s.file, &parts, &s.mediaType, &s.total, &s.holder, &progress, &s.answer, &expires, &s.orphan)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, db.Fault(err)
	}
	s.expires = stamp.FromMicros(expires)
	if err := json.Unmarshal([]byte(progress), &s.progress); err != nil {
		return nil, err
	}
	s.parts, err = url.ParseQuery(parts)
	return s, err
}

// open adds a session, in the transaction that adds its upload.
func (u *Uploads) open(ctx context.Context, tx *db.Tx, s *session) error {
	_, err := tx.Exec(ctx, `INSERT INTO upload_sessions (upload_id, secret, state, file, parts, media_type, total, holder, progress, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, '', '{}', ?)`,
		s.id, s.secret, open, s.file, s.parts.Encode(), s.mediaType, s.total, stamp.Micros(s.expires))
	return err
}

// hold makes this process the one that may add to the upload, and tells how far it is: another that had it can keep nothing more.
func (u *Uploads) hold(ctx context.Context, s *session) (*session, error) {
	if s.holder == u.process {
		return s, nil // requests of one process take turns by themselves
	}
	var now *session
	err := u.db.Write(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		if _, err = tx.Exec(ctx, `UPDATE upload_sessions SET holder = ? WHERE upload_id = ?`, u.process, s.id); err != nil {
			return err
		}
		now, err = u.session(ctx, tx, s.id)
		return err
	})
	return now, err
}

// keep writes down what has become durable, though the client may be gone. It fails when the upload has ended, or another
// process has it.
func (u *Uploads) keep(ctx context.Context, s *session) func(blob.Progress) error {
	ctx = context.WithoutCancel(ctx)
	return func(have blob.Progress) error {
		if have.Size == s.progress.Size { // nothing is new; it is asked whether we still may
			return u.check(ctx, u.db.Reader(ctx), s)
		}
		text, err := json.Marshal(have)
		if err != nil {
			return err
		}
		return u.mine(ctx, s, `UPDATE upload_sessions SET progress = ?, total = ? WHERE upload_id = ? AND holder = ? AND state = 'open'`, string(text), s.total)
	}
}

// check tells whether this process may still add to an upload.
func (u *Uploads) check(ctx context.Context, q db.Querier, s *session) error {
	now, err := u.session(ctx, q, s.id)
	switch {
	case err != nil:
		return err
	case now == nil || now.state != open || now.orphan:
		return errEnded
	case now.holder != u.process:
		return errOvertaken
	}
	return nil
}

// mine changes a session while this process has it.
func (u *Uploads) mine(ctx context.Context, s *session, statement string, args ...any) error {
	return u.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		res, err := tx.Exec(ctx, statement, append(args, s.id, u.process)...)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return cmp.Or(u.check(ctx, tx, s), errEnded)
	})
}

// watch ends a request when another process has taken the upload over, which it cannot see otherwise while it waits for bytes.
func (u *Uploads) watch(ctx context.Context, s *session, stop context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchEvery):
		}
		if err := u.check(ctx, u.db.Reader(ctx), s); errors.Is(err, errEnded) || errors.Is(err, errOvertaken) {
			stop(err) // of other errors, what is kept next will tell
		}
	}
}

// watchEvery is how long a request goes on after another process has taken its upload over.
const watchEvery = 2 * time.Second

// close ends a session whose upload is removed: one that was not finished is cancelled.
func (u *Uploads) close(ctx context.Context, tx *db.Tx, s *session) error {
	state := s.state
	switch state {
	case open:
		state = cancelled
	case done:
		state = ended
	}
	_, err := tx.Exec(ctx, `UPDATE upload_sessions SET state = ?, answer = NULL WHERE upload_id = ?`, state, s.id)
	return err
}

// endedFault is for those who go on with what is over.
func endedFault() *fault.Fault {
	return fault.New(fault.UploadEnded, "The upload has ended. Begin again.")
}
