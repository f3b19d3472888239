package apptest

import (
	"sync"
	"time"

	"verbless/internal/stamp"
)

// Clock is the service's clock, which a test can move.
type Clock struct {
	mu    sync.Mutex
	moved time.Duration
}

// Now is the machine's time and what it was moved by.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return stamp.Now().Add(c.moved)
}

// Move lets time pass, or run backwards.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved += d
}
