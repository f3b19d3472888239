// Package onetime is what it takes to do a request once: its Idempotency-Key, the store of answers that were given, and who
// works under a key right now.
package onetime

import (
	"context"
	"mime"
	"regexp"
	"sync"
	"time"

	"verbless/internal/fault"
)

// Store keeps the answers to requests that had an Idempotency-Key. Both calls run inside a transaction.
type Store interface {
	// Claim takes a key. It gives what was kept under it, nil when it is new; while another
	// transaction holds it, it answers with the fault IdempotencyInProgress.
	Claim(ctx context.Context, user int64, key, fingerprint string) (*Kept, error)
	// Keep stores the answer under a key just claimed.
	Keep(ctx context.Context, user int64, key string, answer []byte) error
}

// Kept is the answer that was given to the first request with a key.
type Kept struct {
	Fingerprint string
	Answer      []byte
}

// Ring knows the keys whose first request runs in this process right now. The zero Ring is ready.
type Ring struct {
	mu   sync.Mutex
	held map[string]bool
}

// Take holds a key, unless another does.
func (r *Ring) Take(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[key] {
		return false
	}
	if r.held == nil {
		r.held = map[string]bool{}
	}
	r.held[key] = true
	return true
}

// Free lets go of a key.
func (r *Ring) Free(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, key)
}

// keyPattern takes the structured string of the draft, and the bare form that many clients send.
var keyPattern = regexp.MustCompile(`^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([A-Za-z0-9_.:-]{1,255}))$`)

// ReadKey reads the header, of which there is at least one line.
func ReadKey(lines []string) (string, error) {
	match := keyPattern.FindStringSubmatch(lines[0])
	if len(lines) > 1 || match == nil {
		return "", fault.New(fault.InvalidHeader, "This takes one string of 1 to 255 printable characters.").On("Idempotency-Key")
	}
	return match[1] + match[2], nil
}

// InProgress is the fault while the first request with a key still runs.
func InProgress() *fault.Fault {
	return fault.New(fault.IdempotencyInProgress, "The first request with this key still runs.").On("Idempotency-Key").After(time.Second)
}

// Kind is what a Content-Type says of a request: all of it but the boundary of parts, which clients make up anew for each try.
func Kind(contentType string) string {
	mediaType, params, err := mime.ParseMediaType(contentType)
	if _, bounded := params["boundary"]; err != nil || !bounded {
		return contentType
	}
	delete(params, "boundary")
	return mime.FormatMediaType(mediaType, params)
}
