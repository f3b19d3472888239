// Package lend is memory for bodies: no more of it than has come, and the same again for the next.
package lend

import (
	"io"
	"sync"
)

// Bodies of answers are most of what a read would leave to the garbage collector.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// mostLent keeps a rare long body from being held for ever.
const mostLent = 256 << 10

// Lend gives an empty body to append to.
func Lend() []byte { return (*bodies.Get().(*[]byte))[:0] }

// TakeBack keeps the memory of a body that nobody looks at any more.
func TakeBack(body []byte) {
	if cap(body) > 0 && cap(body) <= mostLent {
		bodies.Put(&body)
	}
}

// ReadAll reads to the end. A length that is only announced reserves little: memory at most doubles what has come, and in
// the end is no more than was announced.
func ReadAll(r io.Reader, announced int64) ([]byte, error) {
	body := make([]byte, 0, min(max(announced, 512), 64<<10)+1) // one more, to see the end without growing
	for {
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, err
		case len(body) == cap(body):
			size := 2 * int64(cap(body))
			if announced >= int64(cap(body)) {
				size = min(size, announced+1)
			}
			body = append(make([]byte, 0, size), body...)
		}
	}
}
