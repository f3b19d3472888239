package rest

import (
	"net/http"
	"strings"

	"verbless/internal/coding"
	"verbless/internal/fault"
)

// negotiateCoding reads Accept-Encoding. Who takes nothing that we have, not even the answer as it is, is told before anything is done.
func (c *Call) negotiateCoding() error {
	var ok bool
	if c.coding, ok = coding.Pick(c.Request.Header["Accept-Encoding"]); !ok {
		return fault.New(fault.NotAcceptable, "This can be had as it is, or coded as: %s.", strings.Join(coding.Names, ", ")).On("Accept-Encoding")
	}
	return nil
}

// codes gives the coding that the answer goes out with, if any, and says so in its headers. What must not be kept is left alone:
// it may hold a secret, and the length of compressed bytes tells of what stands beside each other in them.
func (c *Call) codes(answer *Answer, h http.Header) string {
	if c.coding == (coding.Choice{}) || answer.NoStore || len(answer.Body) == 0 || h["Content-Encoding"] != nil {
		return ""
	}
	name := c.coding.For(h["Content-Type"][0], len(answer.Body))
	if name == "" {
		return ""
	}
	h["Content-Encoding"] = []string{name}
	if tag := h["Etag"]; tag != nil {
		h["Etag"] = []string{coding.Tag(tag[0], name)}
	}
	return name
}
