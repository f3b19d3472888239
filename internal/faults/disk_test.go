//go:build linux

package faults

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestDiskFull fills the disk of the data folder under load, and frees it again. The service must not be started anew.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	s := start(t, launch{dir: dir})
	l := newLoad(s)
	stop := l.background(t, 4)
	eventually(t, "the load gets through", func() bool { return l.ledger.tally(acked) > 100 })

	ballast := filepath.Join(dir, "ballast")
	eventually(t, "the disk is full and writes fail", func() bool { // the log takes some more before it needs new space
		fill(t, ballast)
		s.want(t, http.StatusOK, "GET /articles?limit=5", "")
		return l.ledger.tally(refused)+l.ledger.tally(unknown) >= 50
	})
	s.want(t, http.StatusOK, "GET /articles?limit=100", "")
	s.want(t, http.StatusOK, "GET /healthz", "")
	before := l.ledger.tally(acked)
	failed := l.ledger.tally(refused) + l.ledger.tally(unknown)

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	eventually(t, "writes work again", func() bool { return l.ledger.tally(acked) > before+100 })
	stop()
	s.want(t, http.StatusOK, "GET /readyz", "")
	t.Logf("%d acknowledged until it was full, %d failed, %d acknowledged in all: %v", before, failed, l.ledger.tally(acked), l.ledger.codes)
	if n := l.ledger.codes["outcome_unknown"]; n > 0 || l.ledger.codes["storage_full"] == 0 {
		t.Errorf("a full disk leaves nobody in doubt: %v", l.ledger.codes)
	}
	settle(t, l, s)
}

// smallDisk is a folder with little space.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skip("NOT TESTED ON A FULL DISK: mounting a tmpfs needs root: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill takes all the space that is left.
func fill(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 64<<10); ; {
		n, err := f.Write(block)
		switch {
		case errors.Is(err, syscall.ENOSPC) && n == 0 && len(block) == 1:
			return
		case errors.Is(err, syscall.ENOSPC):
			block = block[:max(1, len(block)/16)]
		case err != nil:
			t.Fatal(err)
		}
	}
}
