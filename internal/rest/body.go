package rest

import (
	"bytes"
	"errors"
	"net/http"
	"os"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// readBody reads the whole body before anything is begun, so that a slow client never holds a transaction.
func (c *Call) readBody(w http.ResponseWriter) error {
	if len(c.op.Takes) == 0 {
		return nil
	}
	limit := c.op.MaxBody
	if limit == 0 {
		limit = c.api.MaxBody
	}
	tooLarge := fault.New(fault.BodyTooLarge, "The body may have %d bytes at most.", limit).With(headerPrefix+"Connection", "close")
	if c.Request.ContentLength > limit {
		return tooLarge
	}
	// A length that is only announced reserves no more than this.
	buffer := bytes.NewBuffer(make([]byte, 0, min(max(c.Request.ContentLength, 512), 64<<10)+bytes.MinRead))
	_, err := buffer.ReadFrom(http.MaxBytesReader(w, c.Request.Body, limit))
	c.Body = buffer.Bytes()
	var over *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &over):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(fault.BodyTooSlow, "The body came too slowly.").With(headerPrefix+"Connection", "close")
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
