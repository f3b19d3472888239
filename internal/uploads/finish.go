package uploads

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"net/http"
	"strings"

	"verbless/internal/blob"
	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/outbox"
	"verbless/internal/query"
	"verbless/internal/rest"
)

// finish makes a file of what has come, and answers with the upload. The answer is kept, because it may be lost on its way. Each
// step can be repeated: after a crash the next request finishes what this one began.
func (u *Uploads) finish(c *rest.Call, s *session) (*rest.Answer, error) {
	ctx := context.WithoutCancel(c.Ctx)
	if err := u.Files.Finish(ctx, s.file, s.progress, u.keep(ctx, s)); err != nil {
		return nil, u.receiveFault(err)
	}
	if err := u.checkHash(ctx, c.Request.Header, s.file, s.progress); err != nil {
		if _, failed := u.end(ctx, s.id); failed != nil {
			return nil, failed
		}
		return nil, err
	}
	mediaType := octets
	if s.mediaType != nil {
		mediaType = *s.mediaType
	} else if said, ok := cleanType(c.Request.Header.Get("Content-Type")); ok {
		mediaType = said
	}
	var answer *rest.Answer
	err := u.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		made, err := u.store.Change(ctx, change.System, []query.Cond{query.Is("id", s.id)}, func(was *Upload) (*Upload, error) {
			now := *was
			now.Content = contentOf(s.progress, mediaType)
			return &now, nil
		})
		if err != nil {
			return err
		}
		if answer, err = rest.Show(c, made.Now, s.parts); err != nil {
			return err
		}
		kept, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		return u.mine(ctx, s, `UPDATE upload_sessions SET state = 'done', answer = ? WHERE upload_id = ? AND holder = ? AND state = 'open'`, string(kept))
	})
	if fault.Is(err, fault.NotFoundCode) {
		return nil, endedFault()
	}
	if err != nil {
		return nil, u.receiveFault(err)
	}
	return answer, nil
}

// end gives an upload up, for good. One that was finished in the meantime stays, and so it tells.
func (u *Uploads) end(ctx context.Context, id string) (gone bool, err error) {
	err = u.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		res, err := tx.Exec(ctx, `UPDATE upload_sessions SET state = 'ended' WHERE upload_id = ? AND state = 'open'`, id)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		if gone = n == 1; err != nil || !gone {
			return err
		}
		return u.remove(ctx, id)
	})
	return gone, err
}

// checkHash compares a file with the checksums that came with its last byte. Kinds that we do not know are not ours to judge.
func (u *Uploads) checkHash(ctx context.Context, h http.Header, file string, have blob.Progress) error {
	for _, line := range h.Values("X-Goog-Hash") {
		for item := range strings.SplitSeq(line, ",") {
			kind, want, _ := strings.Cut(strings.TrimSpace(item), "=")
			got := want
			switch kind {
			case "crc32c":
				got = crcText(have.CRC32C)
			case "md5":
				sum, err := u.sum(ctx, file, md5.New())
				if err != nil {
					return err
				}
				got = base64.StdEncoding.EncodeToString(sum)
			}
			if got != want {
				return fault.New(fault.ChecksumMismatch, "%s is %s for what arrived, not %s. Nothing is kept.", kind, got, want).On("X-Goog-Hash")
			}
		}
	}
	return nil
}

// sum reads a file through a hash.
func (u *Uploads) sum(ctx context.Context, file string, h hash.Hash) ([]byte, error) {
	content, err := u.Files.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	if _, err := io.Copy(h, &attended{ctx, content}); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// attended stops reading when its context ends.
type attended struct {
	ctx context.Context
	io.Reader
}

func (a *attended) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.Reader.Read(p)
}

// digestTask is the SHA-256 of a file that has come. It takes longer than anybody wants to wait.
const digestTask = "digest upload"

func (u *Uploads) digest(ctx context.Context, t outbox.Task) error {
	key := []query.Cond{query.Is("id", t.Key)}
	upload, err := u.store.Get(ctx, key)
	switch {
	case fault.Is(err, fault.NotFoundCode):
		return nil
	case err != nil:
		return err
	case upload.Content == nil || upload.Content.Checksum.SHA256 != nil:
		return nil
	}
	sum, err := u.sum(ctx, upload.File, sha256.New())
	if err != nil {
		return err
	}
	text := hex.EncodeToString(sum)
	_, err = u.store.Change(ctx, change.System, key, func(was *Upload) (*Upload, error) {
		now, content := *was, *was.Content
		content.Checksum.SHA256 = &text
		now.Content = &content
		return &now, nil
	})
	if fault.Is(err, fault.NotFoundCode) {
		return nil
	}
	return err
}
