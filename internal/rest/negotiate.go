package rest

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/header"
)

const (
	jsonType       = "application/json"
	mergePatchType = "application/merge-patch+json"
	jsonPatchType  = "application/json-patch+json"
)

// Any stands for whatever media type there is.
const Any = "*/*"

// VersionType is the media type that picks a version of a resource.
func VersionType(version int) string {
	return "application/vnd.verbless+v" + strconv.Itoa(version) + "+json"
}

// negotiate picks the media type of the answer and checks that of the body.
func (c *Call) negotiate() error {
	if err := c.negotiateCoding(); err != nil {
		return err
	}
	if err := c.negotiateAnswer(); err != nil || len(c.op.Takes) == 0 {
		return err
	}
	if enc := c.Request.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return fault.New(fault.UnsupportedMediaType, "Bodies are taken as they are, without Content-Encoding.").On("Content-Encoding").
			With(HeaderDetail+"Accept-Encoding", "identity")
	}
	if c.BodyType() == "" && !slices.Contains(c.op.Takes, Any) {
		return fault.New(fault.UnsupportedMediaType, "The body must be one of: %s.", strings.Join(c.op.Takes, ", ")).On("Content-Type")
	}
	return nil
}

func (c *Call) negotiateAnswer() error {
	accept := c.Request.Header["Accept"]
	if c.op.Offers == nil && (len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == jsonType)) {
		c.mediaType = jsonType // nearly everybody
		return nil
	}
	offers := c.op.Offers
	if slices.Contains(offers, Any) {
		return nil
	}
	if offers == nil {
		offers = []string{jsonType, VersionType(max(c.route.version, 1))}
	}
	picked, ok := header.Pick(accept, offers)
	if !ok {
		return fault.New(fault.NotAcceptable, "This can be had as: %s.", strings.Join(offers, ", ")).With("available", offers)
	}
	c.mediaType = picked
	return nil
}

// BodyType is which of the types that the operation takes the body has; a versioned type counts as plain JSON.
func (c *Call) BodyType() string {
	mediaType, params, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	if mediaType == VersionType(max(c.route.version, 1)) {
		mediaType = jsonType
	}
	if !slices.Contains(c.op.Takes, mediaType) {
		return ""
	}
	return mediaType
}
