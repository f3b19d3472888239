package rest

import "sync"

// The bodies of reads are written into memory that is used again as soon as they are sent: they are most of what a read would
// leave to the garbage collector.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// mostLent keeps a rare long body from being held for ever.
const mostLent = 256 << 10

// lend gives an empty body to append to.
func lend() []byte { return (*bodies.Get().(*[]byte))[:0] }

// takeBack keeps the memory of a body that nobody looks at any more.
func takeBack(body []byte) {
	if cap(body) > 0 && cap(body) <= mostLent {
		bodies.Put(&body)
	}
}
