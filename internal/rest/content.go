package rest

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"verbless/internal/fault"
)

// stream sends content as RFC 9110 has it: whole or in ranges, and not at all when the client has it already.
func (a *API) stream(w http.ResponseWriter, c *Call, answer *Answer) {
	defer answer.Content.Close()
	part := &partWriter{ResponseWriter: w}
	http.ServeContent(part, c.Request, "", time.Time{}, answer.Content)
	if part.refused != 0 { // those are of the content
		for name := range answer.Header {
			w.Header().Del(name)
		}
	}
	switch part.refused {
	case http.StatusRequestedRangeNotSatisfiable:
		a.refuse(w, c.Request, fault.New(fault.RangeNotSatisfiable, "There are no such bytes.").On("Range"))
	case http.StatusPreconditionFailed:
		w.Header().Del("ETag")
		a.refuse(w, c.Request, fault.New(fault.PreconditionFailed, "It is not the one you know.").On("If-Match"))
	case 0:
	default:
		a.refuse(w, c.Request, fmt.Errorf("content could not be sent: %d", part.refused))
	}
}

// partWriter holds refusals back, which are ours to write.
type partWriter struct {
	http.ResponseWriter
	refused int
}

func (p *partWriter) WriteHeader(status int) {
	if status >= 400 {
		p.refused = status
		return
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *partWriter) Write(b []byte) (int, error) {
	if p.refused != 0 {
		return len(b), nil
	}
	return p.ResponseWriter.Write(b)
}

// ReadFrom lets the system send a file by itself.
func (p *partWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(p.ResponseWriter, r) }
