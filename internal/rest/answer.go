package rest

import (
	"cmp"
	"net/http"
	"strconv"

	"verbless/internal/coding"
	"verbless/internal/header"
	"verbless/internal/lend"
)

// varyList is what every answer may depend on; it is the same for all answers, so that caches never mix them up.
const varyList = "Authorization, Accept, Accept-Encoding, Prefer"

var (
	nosniffValue = []string{"nosniff"}
	noStoreValue = []string{"no-store"}
	privateValue = []string{"private, no-cache"}
	jsonValue    = []string{jsonType}
)

// send writes an answer with the headers that all answers share.
func (a *API) send(w http.ResponseWriter, c *Call, answer *Answer) {
	h := w.Header()
	for name, values := range answer.Header {
		h[name] = values
	}
	c.warn(h)
	// Names in their canonical form and values that are never changed: nothing is made anew for every answer.
	h["Vary"], h["X-Content-Type-Options"] = a.vary, nosniffValue
	switch {
	case answer.NoStore || c.Request.Method == http.MethodOptions:
		h["Cache-Control"] = noStoreValue
	case answer.Public != "":
		h.Set("Cache-Control", answer.Public)
	default:
		h["Cache-Control"] = privateValue
	}
	if answer.ETag != "" {
		h["Etag"] = []string{answer.ETag}
		if answer.Status == http.StatusNotModified {
			h["Etag"][0] = cmp.Or(header.Matched(c.Request.Header, answer.ETag), answer.ETag)
		}
	}
	if answer.Location != "" {
		h.Set("Location", answer.Location)
	}
	if answer.Content != nil {
		h.Set("Content-Type", answer.Type)
		a.stream(w, c, answer)
		return
	}
	if answer.Status == http.StatusNotModified || answer.Status == http.StatusNoContent {
		w.WriteHeader(answer.Status)
		return
	}
	if len(answer.Body) > 0 {
		mediaType := answer.Type
		if mediaType == "" {
			mediaType = c.mediaType
		}
		if mediaType == jsonType {
			h["Content-Type"] = jsonValue
		} else {
			h.Set("Content-Type", mediaType)
		}
	}
	switch name := c.codes(answer, h); {
	case name != "" && len(answer.Body) > coding.Large:
		w.WriteHeader(answer.Status)
		if c.Request.Method != http.MethodHead {
			a.coder.Stream(name, answer.Body, w) // an error here is a client that went away
		}
	case name != "":
		a.coder.Encode(name, answer.Body, func(coded []byte) { sendBody(w, c, answer.Status, coded) })
	default:
		sendBody(w, c, answer.Status, answer.Body)
	}
	if answer.lent {
		lend.TakeBack(answer.Body)
	}
}

func sendBody(w http.ResponseWriter, c *Call, status int, body []byte) {
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if c.Request.Method != http.MethodHead {
		w.Write(body) // an error here is a client that went away
	}
}
