package rest

import (
	"errors"
	"net/http"
	"os"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
	"verbless/internal/lend"
)

// bodyLimit is how long the body may be, and what is said of one that is longer.
func (c *Call) bodyLimit() (limit int64, code fault.Code, err error) {
	switch {
	case c.raw() && (c.Request.ContentLength < 0 || c.Request.ContentLength == 0 && c.Request.Header.Get("Content-Length") == ""):
		return 0, "", fault.New(fault.LengthRequired, "Send Content-Length with the number of bytes.").On("Content-Length")
	case c.raw():
		return c.op.Raw.Max, c.op.Raw.TooLarge, nil
	case c.op.MaxBody != 0:
		return c.op.MaxBody, fault.BodyTooLarge, nil
	}
	return c.api.MaxBody, fault.BodyTooLarge, nil
}

// readBody reads the whole body before anything is begun, so that a slow client never holds a transaction.
func (c *Call) readBody(w http.ResponseWriter) error {
	switch {
	case len(c.op.Takes) == 0:
		return nil
	case c.op.Streams:
		return nil
	case c.op.stage != nil:
		return c.op.stage(c, func() error { return c.readWhole(w) })
	}
	return c.readWhole(w)
}

func (c *Call) readWhole(w http.ResponseWriter) error {
	limit, code, err := c.bodyLimit()
	if err != nil {
		return err
	}
	tooLarge := fault.New(code, "The body may have %d bytes at most.", limit).With(HeaderDetail+"Connection", "close")
	if c.Request.ContentLength > limit {
		return tooLarge
	}
	c.received = true
	c.Body, err = lend.ReadAll(http.MaxBytesReader(w, c.Request.Body, limit), c.Request.ContentLength)
	var over *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &over):
		return tooLarge
	}
	return BodyFault(err)
}

// BodyFault says why a body could not be read to its end.
func BodyFault(err error) *fault.Fault {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fault.New(fault.BodyTooSlow, "The body came too slowly.").With(HeaderDetail+"Connection", "close")
	}
	return fault.New(fault.UploadIncomplete, "The body ended before its Content-Length.").Because(err)
}

// parse reads a body as one strict JSON document.
func parse(body []byte) (any, error) {
	doc, err := jsondoc.Parse(body)
	return doc, syntaxFault(err)
}

// syntaxFault says where a body is not acceptable JSON; other errors stay as they are.
func syntaxFault(err error) error {
	var syntax *jsondoc.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	f := fault.New(fault.InvalidJSON, "%s", syntax.Reason).With("offset", syntax.Offset)
	if syntax.Pointer != "" {
		f.At(syntax.Pointer)
	}
	return f
}
