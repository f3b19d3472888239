package lite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is the answer of a pool that was closed.
var ErrClosed = errors.New("lite: the pool is closed")

// Pool lends connections for reading. Each is opened when it is first needed; the one used last is taken first, because
// its caches are warm. Whoever finds none waits. It is safe for concurrent use.
type Pool struct {
	open  func() (*Conn, error)
	slots chan struct{} // one for each connection in use

	mu     sync.Mutex
	idle   []*Conn
	closed bool

	waits, waited atomic.Int64 // how often somebody waited, and for how many nanoseconds
}

// NewPool makes a pool of at most size connections.
func NewPool(size int, open func() (*Conn, error)) *Pool {
	return &Pool{open: open, slots: make(chan struct{}, size)}
}

// Query runs a statement on a connection of the pool, until its rows have ended or are closed. The end of ctx also ends
// the waiting for a connection.
func (p *Pool) Query(ctx context.Context, text string, args []any) (*Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := c.Query(ctx, text, args)
	if err != nil {
		p.put(c)
		return nil, err
	}
	if rows.Over() {
		p.put(c)
	} else {
		rows.pool = p
	}
	return rows, nil
}

func (p *Pool) take(ctx context.Context) (*Conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
	c, err := p.warmest()
	if err == nil && c == nil {
		c, err = p.open()
	}
	if err != nil {
		<-p.slots
		return nil, err
	}
	return c, nil
}

// wait takes a slot that somebody gives back.
func (p *Pool) wait(ctx context.Context) error {
	began := time.Now()
	defer func() { p.waits.Add(1); p.waited.Add(int64(time.Since(began))) }()
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// State tells how many connections are in use, idle and allowed, how often somebody waited for one, and for how long.
func (p *Pool) State() (used, idle, most int, waits int64, waited time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.slots), len(p.idle), cap(p.slots), p.waits.Load(), time.Duration(p.waited.Load())
}

// warmest gives the connection used last, nil when there is none to spare.
func (p *Pool) warmest() (*Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	last := len(p.idle) - 1
	if last < 0 {
		return nil, nil
	}
	c := p.idle[last]
	p.idle = p.idle[:last]
	return c, nil
}

func (p *Pool) put(c *Conn) {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if closed {
		c.Close()
	}
	<-p.slots
}

// Close ends the idle connections; those in use end when they are given back.
func (p *Pool) Close() error {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	var err error
	for _, c := range idle {
		err = errors.Join(err, c.Close())
	}
	return err
}
