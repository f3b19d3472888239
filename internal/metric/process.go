package metric

import (
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// inRuntime are the figures of Go's runtime that are shown, under the names that Prometheus' own client gives them.
func inRuntime() []struct{ name, kind, help, source string } {
	return []struct{ name, kind, help, source string }{
		{"go_goroutines", "gauge", "Number of goroutines that currently exist.", "/sched/goroutines:goroutines"},
		{"go_sched_gomaxprocs_threads", "gauge", "The current runtime.GOMAXPROCS setting.", "/sched/gomaxprocs:threads"},
		{"go_memstats_heap_alloc_bytes", "gauge", "Number of heap bytes allocated and currently in use.", "/memory/classes/heap/objects:bytes"},
		{"go_memstats_sys_bytes", "gauge", "Number of bytes obtained from system.", "/memory/classes/total:bytes"},
		{"go_memstats_next_gc_bytes", "gauge", "Number of heap bytes when next garbage collection will take place.", "/gc/heap/goal:bytes"},
		{"go_memstats_alloc_bytes_total", "counter", "Total number of bytes allocated in heap until now, even if released already.", "/gc/heap/allocs:bytes"},
		{"go_memstats_mallocs_total", "counter", "Total number of heap objects allocated, both live and gc-ed.", "/gc/heap/allocs:objects"},
		{"go_gc_cycles_total", "counter", "Garbage collections that have ended.", "/gc/cycles/total:gc-cycles"},
		{"go_cpu_gc_seconds_total", "counter", "Estimated processor time spent on collecting garbage.", "/cpu/classes/gc/total:cpu-seconds"},
	}
}

// Process adds figures of the process itself and of Go's runtime.
func (r *Registry) Process() {
	figures := inRuntime()
	samples := make([]metrics.Sample, len(figures))
	for i, figure := range figures {
		samples[i].Name = figure.source
		value := func() float64 {
			switch v := samples[i].Value; v.Kind() {
			case metrics.KindUint64:
				return float64(v.Uint64())
			case metrics.KindFloat64:
				return v.Float64()
			}
			return math.NaN() // a runtime that knows no such figure
		}
		r.add(figure.name, figure.help, figure.kind, nil, member{value: value})
	}
	r.GaugeFunc("go_info", "Information about the Go environment.", func() float64 { return 1 }, "version", runtime.Version())
	started := float64(time.Now().UnixMilli()) / 1000
	r.GaugeFunc("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", func() float64 { return started })
	var now usage
	r.Before(func() {
		metrics.Read(samples)
		now = readUsage()
	})
	r.CounterFunc("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", func() float64 { return now.processor })
	r.GaugeFunc("process_resident_memory_bytes", "Resident memory size in bytes.", func() float64 { return now.memory })
	r.GaugeFunc("process_open_fds", "Number of open file descriptors.", func() float64 { return now.files })
}

// usage is what the system says of the process; not a number where it says nothing.
type usage struct{ processor, memory, files float64 }

// readUsage asks /proc, which only Linux has.
func readUsage() usage {
	u := usage{math.NaN(), math.NaN(), math.NaN()}
	const ticks = 100 // a second, on every platform that Go knows
	if text, err := os.ReadFile("/proc/self/stat"); err == nil {
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // the name before it may hold anything
		if len(fields) > 21 {
			user, _ := strconv.ParseFloat(fields[11], 64)
			system, _ := strconv.ParseFloat(fields[12], 64)
			pages, _ := strconv.ParseFloat(fields[21], 64)
			u.processor, u.memory = (user+system)/ticks, pages*float64(os.Getpagesize())
		}
	}
	if dir, err := os.Open("/proc/self/fd"); err == nil {
		if names, err := dir.Readdirnames(-1); err == nil {
			u.files = float64(len(names) - 1) // less the folder itself
		}
		dir.Close()
	}
	return u
}
