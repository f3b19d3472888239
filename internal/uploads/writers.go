package uploads

import (
	"context"
	"errors"
	"sync"
	"time"

	"verbless/internal/rest"
)

// Why a request ends that was adding to an upload.
var (
	errOvertaken = errors.New("uploads: a newer request goes on with it")
	errStopping  = errors.New("uploads: the service stops")
	errEnded     = errors.New("uploads: the upload has ended")
)

// interrupt ends the reading of a body, from another goroutine: whoever reads gets os.ErrDeadlineExceeded.
func interrupt(c *rest.Call) {
	if body, ok := c.Request.Body.(interface{ Interrupt() }); ok {
		body.Interrupt()
	}
}

// writers knows which request of this process adds to which upload: one at a time, the newest.
type writers struct {
	mu     sync.Mutex
	active map[string]*writer
}

type writer struct {
	stop context.CancelCauseFunc
	done chan struct{}
}

func newWriters() *writers { return &writers{active: map[string]*writer{}} }

// take ends the request that has the upload, waits until what it received is kept, and takes its place. stop is how a later one
// ends this one.
func (w *writers) take(ctx context.Context, id string, stop context.CancelCauseFunc) (release func(), err error) {
	mine := &writer{stop, make(chan struct{})}
	for {
		w.mu.Lock()
		other := w.active[id]
		if other == nil {
			w.active[id] = mine
		}
		w.mu.Unlock()
		if other == nil {
			return func() { w.release(id, mine) }, nil
		}
		other.stop(errOvertaken)
		select {
		case <-other.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (w *writers) release(id string, mine *writer) {
	w.mu.Lock()
	delete(w.active, id)
	w.mu.Unlock()
	close(mine.done)
}

// stop ends the request that adds to an upload, if one does.
func (w *writers) stop(id string, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if other := w.active[id]; other != nil {
		other.stop(why)
	}
}

func (w *writers) stopAll(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, other := range w.active {
		other.stop(why)
	}
}

// pace bounds how often it may be asked how far an upload is: there are clients that ask without a pause.
type pace struct {
	mu   sync.Mutex
	seen map[string]asking
}

type asking struct {
	since time.Time
	times int
}

const (
	askTimes  = 20
	askWithin = 2 * time.Second
	askMost   = 10_000 // uploads that are remembered
)

func newPace() *pace { return &pace{seen: map[string]asking{}} }

// allows counts one question.
func (p *pace) allows(id string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.seen[id]
	if now.Sub(a.since) >= askWithin || now.Before(a.since) {
		a = asking{since: now}
	}
	a.times++
	if len(p.seen) >= askMost {
		for other, old := range p.seen {
			if now.Sub(old.since) >= askWithin || len(p.seen) >= askMost {
				delete(p.seen, other)
			}
		}
	}
	p.seen[id] = a
	return a.times <= askTimes
}
