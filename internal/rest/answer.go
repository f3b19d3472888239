package rest

import (
	"net/http"
	"strconv"
)

// varyList is what every answer may depend on; it is the same for all answers, so that caches never mix them up.
const varyList = "Authorization, Accept, Accept-Encoding, Prefer"

// send writes an answer with the headers that all answers share.
func (a *API) send(w http.ResponseWriter, c *Call, answer *Answer) {
	h := w.Header()
	for name, values := range answer.Header {
		h[name] = values
	}
	c.warn(h)
	h.Set("Vary", varyList)
	h.Set("X-Content-Type-Options", "nosniff")
	switch {
	case answer.NoStore || c.Request.Method == http.MethodOptions:
		h.Set("Cache-Control", "no-store")
	case answer.Public != "":
		h.Set("Cache-Control", answer.Public)
	default:
		h.Set("Cache-Control", "private, no-cache")
	}
	if answer.ETag != "" {
		h.Set("ETag", answer.ETag)
	}
	if answer.Location != "" {
		h.Set("Location", answer.Location)
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
		h.Set("Content-Type", mediaType)
	}
	h.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	w.WriteHeader(answer.Status)
	if c.Request.Method != http.MethodHead {
		w.Write(answer.Body) // an error here is a client that went away
	}
}
