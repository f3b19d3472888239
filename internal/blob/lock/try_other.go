//go:build !windows

package lock

import (
	"errors"
	"os"
	"syscall"
)

// try takes a file for this opener alone, without waiting. Other processes, and other openers in this one, do not get it
// until the file is closed or the process ends.
func try(f *os.File) (bool, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var locking error
	err = raw.Control(func(fd uintptr) {
		for {
			if locking = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB); locking != syscall.EINTR {
				return
			}
		}
	})
	if errors.Is(locking, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil && locking == nil, errors.Join(err, locking)
}
