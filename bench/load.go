package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maker gives the bytes of a request. n is different for each request of a run; the bytes are used before the same
// worker asks again.
type maker func(worker, n int) []byte

// crew is a number of clients that work side by side, each with one request at a time.
type crew struct {
	clients []*client
	make    maker
	want    int // status of every answer
	timed   bool
	times   [][]time.Duration // of every request, by client, while it is timed
}

func newCrew(address string, size int, make maker, want int) (*crew, error) {
	c := &crew{make: make, want: want, times: slices.Repeat([][]time.Duration{nil}, size)}
	for range size {
		one, err := dial(address)
		if err != nil {
			c.close()
			return nil, err
		}
		c.clients = append(c.clients, one)
	}
	return c, nil
}

func (c *crew) close() {
	for _, one := range c.clients {
		one.close()
	}
}

// forget gives the times of all requests since the last time.
func (c *crew) forget() []time.Duration {
	all := slices.Concat(c.times...)
	clear(c.times)
	return all
}

// work sends a fixed number of requests, numbered from first, and tells how long all of them took.
func (c *crew) work(first, count int) (time.Duration, error) {
	var next atomic.Int64
	var all sync.WaitGroup
	faults := make([]error, len(c.clients))
	start := time.Now()
	for worker, one := range c.clients {
		one.conn.SetDeadline(start.Add(10 * patience)) // one deadline for all: setting it each time would cost more
		all.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= count {
					return
				}
				var began time.Time
				if c.timed {
					began = time.Now()
				}
				status, err := one.status(c.make(worker, first+n))
				if c.timed {
					c.times[worker] = append(c.times[worker], time.Since(began))
				}
				if err == nil && status != c.want {
					err = fmt.Errorf("got status %d, not %d", status, c.want)
				}
				if err != nil {
					faults[worker] = err
					next.Store(int64(count)) // the others need not go on
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(start), errors.Join(faults...)
}
