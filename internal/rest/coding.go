package rest

import (
	"net/http"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/header"
)

// smallest is the least body that is compressed: a shorter one fits into one packet anyway.
const smallest = 1400

// negotiateCoding reads Accept-Encoding. Who takes nothing that we have, not even the answer as it is, is told before anything is done.
func (c *Call) negotiateCoding() error {
	lines := c.Request.Header["Accept-Encoding"]
	if len(lines) == 0 {
		return nil
	}
	coding, must, ok := header.PickCoding(lines)
	if !ok {
		return fault.New(fault.NotAcceptable, "This can be had as it is, or coded as: %s.", strings.Join(header.Codings, ", ")).On("Accept-Encoding")
	}
	c.coding, c.mustCode = coding, must
	return nil
}

// codes tells whether the answer goes out compressed, and says so in its headers. What must not be kept is left alone: it may
// hold a secret, and the length of compressed bytes tells of what stands beside each other in them.
func (c *Call) codes(answer *Answer, h http.Header) bool {
	if c.coding == "" || c.coding == header.Identity || answer.NoStore || len(answer.Body) == 0 || len(answer.Body) < smallest && !c.mustCode || h["Content-Encoding"] != nil || !isText(h["Content-Type"][0]) {
		return false
	}
	h["Content-Encoding"] = []string{c.coding}
	if tag := h["Etag"]; tag != nil {
		h["Etag"] = []string{header.CodedTag(tag[0], c.coding)}
	}
	return true
}

func isText(mediaType string) bool {
	return strings.HasSuffix(mediaType, "json") || strings.HasPrefix(mediaType, "text/")
}
