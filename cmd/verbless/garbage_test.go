package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestPercentFor(t *testing.T) {
	for alive, want := range map[uint64]int{0: 400, 1 << 20: 400, 4 << 20: 400, 12 << 20: 200, 24 << 20: 100, 48 << 20: 50, 1 << 40: 50} {
		if got := percentFor(alive); got != want {
			t.Errorf("%d bytes alive: %d %%, want %d %%", alive, got, want)
		}
	}
}

// TestCollectByHeadroom shows that the share follows what is alive.
func TestCollectByHeadroom(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	collectByHeadroom()
	large := make([]byte, 256<<20)
	settles := func(want int) {
		t.Helper()
		got := 0
		for range 200 {
			runtime.GC()
			time.Sleep(5 * time.Millisecond) // finalizers run by themselves
			got = debug.SetGCPercent(want)
			if debug.SetGCPercent(got); got == want {
				return
			}
		}
		t.Errorf("the share is %d %%, want %d %%", got, want)
	}
	settles(least)
	runtime.KeepAlive(large)
	large = nil
	settles(most)
}
