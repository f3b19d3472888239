package rest_test

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// world is everything that is stored. Its one mutex is the transaction, its clock goes one second with each change.
type world struct {
	mu     sync.Mutex
	tables []table
	clock  time.Time
	made   int
	trap   func(where string) error // what happens inside the store, before it does its work
}

// table can be put back to what it was.
type table interface{ keep() (restore func()) }

type insideKey struct{}

// Do runs fn with the whole world to itself; an error or a panic undoes all that fn did.
func (w *world) Do(ctx context.Context, fn func(context.Context) error) error {
	if ctx.Value(insideKey{}) != nil {
		return fn(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var undo []func()
	for _, t := range w.tables {
		undo = append(undo, t.keep())
	}
	done := false
	defer func() {
		for i := 0; !done && i < len(undo); i++ {
			undo[i]()
		}
	}()
	err := fn(context.WithValue(ctx, insideKey{}, true))
	done = err == nil
	return err
}

// setTrap makes the store do f first, from now on.
func (w *world) setTrap(f func(where string) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trap = f
}

// do is Do, past the trap.
func (w *world) do(ctx context.Context, where string, fn func() error) error {
	return w.Do(ctx, func(context.Context) error {
		if w.trap != nil {
			if err := w.trap(where); err != nil {
				return err
			}
		}
		return fn()
	})
}

// id makes identifiers that a test can foresee.
func (w *world) id() string {
	w.made++
	return nth(w.made)
}

// nth is the id of the nth thing made.
func nth(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012d", n) }
