package uploads

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"verbless/internal/blob"
	"verbless/internal/fault"
	"verbless/internal/rest"
)

// related is the type of a body that holds what is said of a file, and then the file.
const related = "multipart/related"

// octets is the type of what nobody says the type of.
const octets = "application/octet-stream"

// intake is how POST begins an upload, or takes all of it.
func (u *Uploads) intake() *rest.Intake[Upload] {
	kinds := map[string]any{"type": "string", "enum": []string{"resumable", "multipart", "media"}}
	return &rest.Intake[Upload]{
		Takes:  []string{related, rest.Any},
		Params: []rest.Param{{Name: "uploadType", Doc: "resumable: the file is sent afterwards, to the address in Location. multipart: it comes with what is said of it. media: it comes alone.", Schema: kinds}},
		Stage:  u.stage, Answer: u.begun,
		Answers: []rest.Response{{Status: http.StatusOK, Doc: "With resumable there is no body, and Location says where to send the file. Else this is the upload.", Schema: rest.Ref("upload")}},
	}
}

// staged is what a POST brought, before any row knows of it.
type staged struct {
	file    string
	content *Content // nil: the file is still to come
	sending *session
}

// stage reads the body of a POST as uploadType says. A file that comes with it is stored while it comes.
func (u *Uploads) stage(c *rest.Call, whole func() error) error {
	switch kind := c.Query.Get("uploadType"); kind {
	case "resumable":
		return u.stageSession(c, whole)
	case "multipart":
		return u.stageRelated(c)
	case "media":
		c.Body = []byte("{}")
		return u.stageFile(c, c.Stream(), c.Request.ContentLength, c.Request.Header.Get("Content-Type"))
	}
	return fault.New(fault.InvalidParameter, "This takes resumable, multipart or media.").In("uploadType")
}

// stageSession reads what is said of a file that is still to come.
func (u *Uploads) stageSession(c *rest.Call, whole func() error) error {
	s := &session{file: blob.NewName(""), capability: rand.Text(), parts: url.Values{}, expires: u.db.Now().Add(u.Keep)}
	s.secret = hashed(s.capability)
	if parts := c.Query["part"]; len(parts) > 0 {
		s.parts["part"] = parts
	}
	var bad fault.List
	if text := c.Request.Header.Get("X-Upload-Content-Length"); text != "" {
		total, err := strconv.ParseInt(text, 10, 64)
		switch {
		case err != nil || total < 0:
			bad.Add(fault.New(fault.InvalidHeader, "This takes a number of bytes.").On("X-Upload-Content-Length"))
		case total > u.Max:
			return u.tooLarge()
		}
		s.total = &total
	}
	if text := c.Request.Header.Get("X-Upload-Content-Type"); text != "" {
		if mediaType, ok := cleanType(text); ok {
			s.mediaType = &mediaType
		} else {
			bad.Add(fault.New(fault.InvalidHeader, "This takes a media type.").On("X-Upload-Content-Type"))
		}
	}
	if err := bad.Err(); err != nil {
		return err
	}
	if err := whole(); err != nil {
		return err
	}
	if len(c.Body) == 0 {
		c.Body = []byte("{}")
	} else if c.BodyType() != "application/json" {
		return fault.New(fault.UnsupportedMediaType, "What is said of the file comes as application/json.").On("Content-Type")
	}
	c.Staged = &staged{file: s.file, sending: s}
	c.Print = c.Request.Header.Get("X-Upload-Content-Length") + " " + c.Request.Header.Get("X-Upload-Content-Type")
	return nil
}

// maxSaid bounds the JSON that comes before a file.
const maxSaid = 1 << 20

// stageRelated reads both: JSON, then the file.
func (u *Uploads) stageRelated(c *rest.Call) error {
	mediaType, params, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || mediaType != related || params["boundary"] == "" {
		return fault.New(fault.UnsupportedMediaType, "uploadType=multipart takes %s with a boundary.", related).On("Content-Type")
	}
	parts := multipart.NewReader(c.Stream(), params["boundary"])
	said, err := parts.NextRawPart()
	if err != nil {
		return partFault(err)
	}
	if mediaType, _ := cleanType(said.Header.Get("Content-Type")); mediaType != "" && !strings.HasPrefix(mediaType, "application/json") {
		return malformed("The first part must be application/json.")
	}
	if c.Body, err = io.ReadAll(io.LimitReader(said, maxSaid+1)); err != nil {
		return partFault(err)
	}
	switch {
	case len(c.Body) > maxSaid:
		return fault.New(fault.BodyTooLarge, "The first part may have %d bytes at most.", maxSaid)
	case len(strings.TrimSpace(string(c.Body))) == 0:
		c.Body = []byte("{}")
	}
	file, err := parts.NextRawPart()
	if err != nil {
		return partFault(err)
	}
	switch coding := strings.ToLower(file.Header.Get("Content-Transfer-Encoding")); coding {
	case "", "binary", "8bit", "7bit":
	default:
		return malformed("The file must come as it is, without Content-Transfer-Encoding.")
	}
	if err := u.stageFile(c, file, -1, file.Header.Get("Content-Type")); err != nil {
		return err
	}
	if _, err := parts.NextRawPart(); err != io.EOF {
		c.Undo()
		if err == nil {
			return malformed("There may be two parts, and no more.")
		}
		return partFault(err)
	}
	_, err = io.Copy(io.Discard, c.Stream()) // what follows the last boundary means nothing
	return err
}

func malformed(text string) error { return fault.New(fault.InvalidRequest, "%s", text) }

// partFault tells a body that breaks off from one that has no such parts.
func partFault(err error) error {
	if err == io.EOF || strings.HasPrefix(err.Error(), "multipart: ") || strings.HasPrefix(err.Error(), "malformed MIME") {
		return malformed("The body must have two parts: application/json, and the file.")
	}
	return rest.BodyFault(err)
}

// stageFile stores a file while it comes. length is what its sender says, -1 for nothing.
func (u *Uploads) stageFile(c *rest.Call, body io.Reader, length int64, said string) error {
	if length > u.Max {
		return u.tooLarge()
	}
	mediaType, ok := octets, true
	if said != "" {
		if mediaType, ok = cleanType(said); !ok {
			return fault.New(fault.InvalidHeader, "This takes a media type.").On("Content-Type")
		}
	}
	ctx, file := context.WithoutCancel(c.Ctx), blob.NewName("")
	alone := func(blob.Progress) error { return nil } // nobody else knows of the file
	u.counts.receiving.Add(1)
	defer u.counts.receiving.Add(-1)
	have, err := blob.Append(ctx, u.Files, file, blob.Progress{}, 0, blob.Exact, &limited{body, u.Max, u.tooLarge()}, alone)
	discard := func() {
		if err := u.Files.Discard(ctx, file, have); err != nil {
			u.Log.Warn("a file stays until it is swept", "error", err)
		}
	}
	if err == nil {
		err = u.Files.Finish(ctx, file, have, alone)
	}
	if err != nil {
		discard()
		return u.receiveFault(err)
	}
	if err := u.checkHash(ctx, c.Request.Header, file, have); err != nil {
		discard()
		return err
	}
	u.counts.bytes.Add(int(have.Size))
	c.Undo = discard
	c.Staged = &staged{file: file, content: contentOf(have, mediaType)}
	c.Print = fmt.Sprintf("%d %08x %s", have.Size, have.CRC32C, mediaType)
	return nil
}

// begin completes the new row.
func (u *Uploads) begin(c *rest.Call, row *Upload) error {
	s := c.Staged.(*staged)
	row.File, row.Content, row.Sending = s.file, s.content, s.sending
	return nil
}

// begun is the answer to a POST: where to send the file or, when it is here, what it has become. Either is 200, which is what
// those who send in this way look for.
func (u *Uploads) begun(_ *rest.Call, made *Upload, usual *rest.Answer) (*rest.Answer, error) {
	if made.Sending == nil {
		usual.Status = http.StatusOK
		return usual, nil
	}
	query := url.Values{"uploadType": {"resumable"}, "upload_id": {made.Sending.capability}}
	return &rest.Answer{Status: http.StatusOK, NoStore: true, Location: u.Address + "/uploads/" + made.ID + "/content?" + query.Encode()}, nil
}

func (u *Uploads) tooLarge() *fault.Fault {
	return fault.New(fault.UploadTooLarge, "A file may have %d bytes at most.", u.Max)
}

// limited reads so many bytes, and then there must be no more.
type limited struct {
	r    io.Reader
	left int64
	over error // when there are
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left == 0 {
		var one [1]byte
		n, err := io.ReadFull(l.r, one[:])
		if n > 0 {
			return 0, l.over
		}
		return 0, err
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// contentOf describes a file that is whole.
func contentOf(have blob.Progress, mediaType string) *Content {
	return &Content{Size: have.Size, Type: mediaType, Checksum: Checksum{CRC32C: crcText(have.CRC32C)}}
}

func crcText(sum uint32) string {
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, sum))
}

// cleanType reads a media type, and writes it in one way.
func cleanType(text string) (string, bool) {
	mediaType, params, err := mime.ParseMediaType(text)
	if err != nil || !strings.Contains(mediaType, "/") || len(text) > 255 {
		return "", false
	}
	clean := mime.FormatMediaType(mediaType, params)
	return clean, clean != ""
}
