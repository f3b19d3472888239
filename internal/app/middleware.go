package app

import (
	"io"
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"

	"verbless/internal/rest"
	"verbless/internal/trip"
)

// Handler is the API with what surrounds every request, outermost first: its name and client and what is told of it, what browsers
// want to know, its pace.
func (a *App) Handler() http.Handler {
	return a.observed(a.secured(a.cors().Wrap(a.paced(a.API))))
}

// headers are what these add to every answer.
func headers() []rest.Header {
	return []rest.Header{
		{Name: "X-Request-Id", Doc: "Names the request in the log. The caller may choose it.", Always: true},
		{Name: "RateLimit", Doc: "What is left of the quota of the token, where tokens have one."},
		{Name: "RateLimit-Policy", Doc: "The quota of the token, where tokens have one."},
		{Name: "Access-Control-Allow-Origin", Doc: "The origin of the page that asks, where it is one of those that may."},
		{Name: "Access-Control-Expose-Headers", Doc: "What a page of another origin may read of this answer."},
		{Name: "Content-Encoding", Doc: "gzip or zstd, where the client takes it and it is worth it."},
	}
}

// requestID is what we take over from a caller or a proxy; anything else gets a name of ours.
var requestID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// nameOf is what the request is called in its answer, its problem and the log.
func (a *App) nameOf(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" || !requestID.MatchString(id) {
		return a.newRequestID()
	}
	return id
}

// newRequestID is unique to the process by its beginning, and within it by its end. Nothing rests on it, so it is cheap.
func (a *App) newRequestID() string {
	return a.process + "-" + strconv.FormatUint(a.requests.Add(1), 36)
}

// recorder remembers what was asked and answered.
type recorder struct {
	http.ResponseWriter
	trip    trip.Trip
	control *http.ResponseController
	limit   time.Duration
	status  int
	bytes   int
	shared  bool // the connection has other requests: HTTP/2
}

// answerTime is how long a client may take to fetch an answer. It is longer than a connection may stay unused, so that what is
// left of it never cuts off the next request.
func (a *App) answerTime() time.Duration { return a.settings.IdleTimeout + time.Minute }

func (r *recorder) WriteHeader(status int) {
	if status >= 200 && r.status == 0 {
		r.status = status
		if r.shared { // one answer does not end a connection on which others are under way
			r.Header().Del("Connection")
		}
		r.control.SetWriteDeadline(time.Now().Add(r.limit))
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.bytes += n
	return n, err
}

// sendAtOnce is how much of a file goes out under one deadline.
const sendAtOnce = 256 << 10

// ReadFrom lets the system send a file by itself, part by part, so that a slow client that goes on is not given up.
func (r *recorder) ReadFrom(src io.Reader) (int64, error) {
	whole, ok := src.(*io.LimitedReader)
	if !ok {
		whole = &io.LimitedReader{R: src, N: math.MaxInt64}
	}
	var total int64
	for {
		r.control.SetWriteDeadline(time.Now().Add(r.limit))
		part := min(whole.N, sendAtOnce)
		n, err := io.Copy(r.ResponseWriter, &io.LimitedReader{R: whole.R, N: part})
		total, r.bytes, whole.N = total+n, r.bytes+int(n), whole.N-n
		if err != nil || n < part || whole.N == 0 {
			return total, err
		}
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// paced gives up on bodies that come too slowly, however long they may be.
func (a *App) paced(next http.Handler) http.Handler {
	rate := int64(a.settings.MinBodyRate)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			body := &pacedBody{ReadCloser: r.Body, control: http.NewResponseController(w), rate: rate, start: time.Now()}
			body.await() // also for a body that nobody reads: the server drains it
			r.Body = body
		}
		if len(r.TransferEncoding) > 0 {
			// A length beside it was hidden from us, and what follows may be meant for somebody else (RFC 9112, 6.1).
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// grace is how long a body may take to begin, and stall how long it may rest.
const (
	grace = 10 * time.Second
	stall = 30 * time.Second
)

type pacedBody struct {
	io.ReadCloser
	control *http.ResponseController
	rate    int64 // 0: however slow
	start   time.Time
	got     int64

	mu      sync.Mutex
	stopped bool
	whole   bool
}

// await sets the deadline by what has come so far: the mean rate counts, but no rest may be longer than stall.
func (b *pacedBody) await() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return false
	}
	if b.rate == 0 {
		return true
	}
	deadline := b.start.Add(grace + time.Duration(b.got/b.rate)*time.Second)
	if latest := time.Now().Add(stall); deadline.After(latest) {
		deadline = latest
	}
	b.control.SetReadDeadline(deadline)
	return true
}

// Interrupt ends the reading, now and for good.
func (b *pacedBody) Interrupt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.whole {
		return // the connection may be with its next request
	}
	b.stopped = true
	b.control.SetReadDeadline(time.Unix(1, 0))
}

func (b *pacedBody) Read(p []byte) (int, error) {
	if !b.await() {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := b.ReadCloser.Read(p)
	b.got += int64(n)
	if err == io.EOF { // the connection goes on to the next request without our deadline; after a failure it ends
		b.mu.Lock()
		defer b.mu.Unlock()
		b.whole = true
		b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
