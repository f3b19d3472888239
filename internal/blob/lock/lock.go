// Package lock keeps processes apart that write into one file.
//
// It promises that of all who ask for the same file by Wait, in this process or in others of this machine, one has it at a
// time: until it closes the file, or ends in whatever way. It does not hinder those who do not ask.
package lock

import (
	"context"
	"os"
	"time"
)

// pause is how often a lock is tried: the system cannot be asked to wait no longer than ctx.
const pause = 10 * time.Millisecond

// Wait waits until the file is this opener's alone, or ctx ends.
func Wait(ctx context.Context, f *os.File) error {
	for {
		locked, err := try(f)
		if locked || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
