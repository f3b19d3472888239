package uploads

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"verbless/internal/blob"
	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/ident"
	"verbless/internal/query"
	"verbless/internal/rest"
)

// statusCancelled is what Google's clients take for a cancelled upload, and only that.
const statusCancelled = 499

// find is the session that the address leads to. Whoever has the address may send; nobody else learns that it exists.
func (u *Uploads) find(c *rest.Call) (*session, error) {
	capability := c.Query.Get("upload_id")
	if capability == "" {
		return nil, fault.New(fault.Unauthenticated, "Send to the address in Location, with its upload_id.").In("upload_id")
	}
	id := c.Param("upload")
	if !ident.Valid(id) {
		return nil, fault.NotFound()
	}
	s, err := u.session(c.Ctx, u.db.Reader(c.Ctx), id)
	if err != nil {
		return nil, err
	}
	if s == nil || !s.opens(capability) {
		return nil, fault.NotFound()
	}
	if s.over() || s.state == open && u.db.Now().After(s.expires) {
		return nil, endedFault()
	}
	return s, nil
}

// cancel answers DELETE of the address: the upload is gone.
func (u *Uploads) cancel(c *rest.Call) (*rest.Answer, error) {
	s, err := u.find(c)
	if err != nil {
		return nil, err
	}
	switch s.state {
	case done:
		return nil, fault.New(fault.UploadEnded, "The file is here already; DELETE /uploads/%s removes it.", s.id)
	case open:
		if err := u.remove(c.Ctx, s.id); err != nil {
			return nil, err
		}
	}
	return &rest.Answer{Status: statusCancelled, NoStore: true}, nil
}

// remove takes an upload away, and its file with it.
func (u *Uploads) remove(ctx context.Context, id string) error {
	_, err := u.store.Change(ctx, change.System, []query.Cond{query.Is("id", id)}, func(*Upload) (*Upload, error) { return nil, nil })
	if fault.Is(err, fault.NotFoundCode) {
		return nil
	}
	return err
}

// send answers PUT and POST to the address: bytes, or the question how many are here.
func (u *Uploads) send(c *rest.Call) (*rest.Answer, error) {
	s, err := u.find(c)
	if err != nil {
		return nil, err
	}
	what, err := readSpan(c.Request.Header.Get("Content-Range"), c.Request.ContentLength)
	if err != nil {
		return nil, err
	}
	switch s.state {
	case cancelled:
		return &rest.Answer{Status: statusCancelled, NoStore: true}, nil
	case done:
		drain(c)
		return last(s)
	}
	if what.asks() && !u.asked.allows(s.id, time.Now()) {
		return nil, fault.New(fault.TooManyRequests, "It was asked too often how far this upload is.").After(time.Second)
	}
	if err := u.agree(c, s, what); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(c.Ctx)
	defer stop(nil)
	release, err := u.writers.take(c.Ctx, s.id, stop)
	if err != nil {
		return nil, err
	}
	defer release()
	return u.advance(ctx, c, s, what, stop)
}

// advance adds what the request brings, now that no other does.
func (u *Uploads) advance(ctx context.Context, c *rest.Call, s *session, what span, stop context.CancelCauseFunc) (*rest.Answer, error) {
	// What the request that was here before has kept, and whoever finished it, counts.
	s, err := u.session(c.Ctx, u.db.Reader(c.Ctx), s.id)
	if err == nil && s != nil {
		s, err = u.hold(c.Ctx, s)
	}
	switch {
	case err != nil:
		return nil, err
	case s == nil || s.over():
		return nil, endedFault()
	case s.state == done:
		drain(c)
		return last(s)
	case s.state != open:
		return nil, endedFault()
	}
	if err := u.agree(c, s, what); err != nil {
		return nil, err
	}
	if what.total >= 0 {
		s.total = &what.total
	}
	if !what.asks() {
		if err := u.receive(ctx, c, s, what, stop); err != nil {
			return nil, u.heldFault(c, s, err)
		}
		if what.to < 0 && s.total == nil { // the body was all of it
			s.total = &s.progress.Size
		}
	}
	if s.total != nil && *s.total == s.progress.Size {
		return u.finish(c, s)
	}
	return held(c, s), nil
}

// agree refuses what contradicts what was announced, or told before.
func (u *Uploads) agree(c *rest.Call, s *session, what span) error {
	end := max(what.total, what.to+1)
	switch {
	case end > u.Max:
		return u.tooLarge()
	case s.total != nil && (what.total >= 0 && what.total != *s.total || end > *s.total):
		return fault.New(fault.InvalidHeader, "The file was announced with %d bytes.", *s.total).On("Content-Range")
	case what.total >= 0 && what.total < s.progress.Size:
		return fault.New(fault.InvalidHeader, "There are %d bytes here already.", s.progress.Size).On("Content-Range")
	}
	said := c.Request.Header.Get("Content-Type")
	if what.asks() || said == "" || s.mediaType == nil {
		return nil
	}
	if mediaType, ok := cleanType(said); !ok || mediaType != *s.mediaType {
		return fault.New(fault.UnsupportedMediaType, "The file was announced as %s.", *s.mediaType).On("Content-Type")
	}
	return nil
}

// receive appends the body. What has come is kept, however it ends.
func (u *Uploads) receive(ctx context.Context, c *rest.Call, s *session, what span, stop context.CancelCauseFunc) error {
	body := &limited{c.Stream(), u.Max - what.from, u.tooLarge()}
	if s.total != nil {
		body.left = *s.total - what.from
	}
	if length := what.length(); length >= 0 {
		body.left = length
	}
	if body.left < u.Max-what.from {
		body.over = fault.New(fault.InvalidHeader, "The body goes on behind the range. What is in the range is kept.").On("Content-Range")
	}
	expected := body.left
	interrupted := context.AfterFunc(ctx, func() { interrupt(c) })
	defer interrupted()
	go u.watch(ctx, s, stop)
	u.counts.receiving.Add(1)
	defer u.counts.receiving.Add(-1)
	have, err := blob.Append(ctx, u.Files, s.file, s.progress, what.from, blob.Overlap, body, u.keep(c.Ctx, s))
	u.counts.bytes.Add(int(have.Size - s.progress.Size))
	s.progress = have
	switch {
	case err == nil && what.length() >= 0 && body.left > 0:
		return fault.New(fault.UploadIncomplete, "%d bytes came, but the range holds %d. What came is kept.", expected-body.left, expected).On("Content-Range")
	case err != nil && !errors.As(err, new(*fault.Fault)) && stopped(ctx):
		return context.Cause(ctx)
	}
	return err
}

// stopped tells whether somebody ended the request on purpose. A client that is late or gone ends its context, too.
func stopped(ctx context.Context) bool {
	return slices.Contains([]error{errOvertaken, errStopping, errEnded}, context.Cause(ctx))
}

// heldFault says why an upload did not go on, and how far it is.
func (u *Uploads) heldFault(c *rest.Call, s *session, err error) error {
	f := fault.As(u.receiveFault(err))
	if f.Code == fault.UploadGap {
		drain(c)
	} else {
		f.With(rest.HeaderDetail+"Connection", "close") // what is left of the body is not read
	}
	if text := heldRange(s); text != "" {
		f.With(rest.HeaderDetail+"Range", text)
	}
	return f
}

// receiveFault translates what ended a body early. Errors that are not faults are the client's.
func (u *Uploads) receiveFault(err error) error {
	var offset *blob.OffsetError
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		return err
	case errors.As(err, &offset):
		return fault.New(fault.UploadGap, "These bytes begin at %d, but only %d are here: send those between first.", offset.From, offset.Have)
	case errors.Is(err, errOvertaken):
		return fault.New(fault.UploadOvertaken, "A newer request goes on with this upload. What had arrived is kept.")
	case errors.Is(err, errStopping):
		return fault.New(fault.Unavailable, "The service stops. What had arrived is kept; go on in a moment.").After(time.Second)
	case errors.Is(err, errEnded):
		return endedFault()
	}
	return rest.BodyFault(err)
}

// drained is how much of a body that is not needed is read, so that its sender reads the answer.
const drained = 64 << 20

func drain(c *rest.Call) { io.CopyN(io.Discard, c.Stream(), drained) } // a sender that breaks off gets no answer anyway

// heldRange is what is here, inclusive as RFC 9110 has ranges; nothing when nothing is.
func heldRange(s *session) string {
	if s.progress.Size == 0 {
		return ""
	}
	return "bytes=0-" + strconv.FormatInt(s.progress.Size-1, 10)
}

// held is the answer while bytes are missing. It never has a Location: clients would follow it.
func held(c *rest.Call, s *session) *rest.Answer {
	answer := &rest.Answer{Status: http.StatusPermanentRedirect, NoStore: true}
	if c.Request.Header.Get("X-GUploader-No-308") == "yes" { // for those whose HTTP library stumbles over a 308
		answer.Status = http.StatusOK
		answer.Set("X-Http-Status-Code-Override", "308")
	}
	if text := heldRange(s); text != "" {
		answer.Set("Range", text)
	}
	return answer
}

// last is the answer that was given when the file was whole.
func last(s *session) (*rest.Answer, error) {
	if s.answer == nil {
		return nil, endedFault()
	}
	answer := &rest.Answer{}
	return answer, json.Unmarshal([]byte(*s.answer), answer)
}
