package lock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// try takes a file for this opener alone, without waiting. Locks hinder reading here, so the byte that is locked is one
// that no file has.
func try(f *os.File) (bool, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var locking error
	err = raw.Control(func(fd uintptr) {
		behind := windows.Overlapped{OffsetHigh: 1 << 30}
		locking = windows.LockFileEx(windows.Handle(fd), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &behind)
	})
	if errors.Is(locking, windows.ERROR_LOCK_VIOLATION) || errors.Is(locking, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil && locking == nil, errors.Join(err, locking)
}
