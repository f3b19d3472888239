package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// headroom is how much garbage may gather beside what is alive. A share of what is alive, as Go has it, is too little for a service
// at rest, which would collect all the time, and too much for one that holds a large batch.
const (
	headroom = 24 << 20
	least    = 50  // percent of what is alive, so that a large heap is not collected all the time
	most     = 400 // percent
)

// percentFor is the share that gives this headroom.
func percentFor(alive uint64) int {
	return int(min(max(headroom*100/max(alive, 1), least), most))
}

// collectByHeadroom sets the share anew after every collection. Whoever sets GOGC decides instead.
func collectByHeadroom() {
	if os.Getenv("GOGC") != "" {
		return
	}
	alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	set := 0
	type seen struct{ _ *byte } // something that every collection finds to be garbage
	var again func(*seen)
	again = func(*seen) {
		metrics.Read(alive)
		if percent := percentFor(alive[0].Value.Uint64()); percent != set {
			debug.SetGCPercent(percent)
			set = percent
		}
		runtime.SetFinalizer(&seen{}, again)
	}
	again(nil)
}
