package app

import (
	"testing"
	"time"

	"verbless/internal/metric"
)

// TestCountingIsCheap: what every request pays makes no garbage.
func TestCountingIsCheap(t *testing.T) {
	traffic := newTraffic(metric.New())
	count := func() { traffic.count("/articles/{article}", "GET", 200, time.Millisecond) }
	count()
	if n := testing.AllocsPerRun(1000, count); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for range 2 { // none of the methods that strangers think up has a label of its own
		traffic.count("", "A", 405, 0)
		traffic.count("", "B", 405, 0)
	}
	if n := len(*traffic.lanes.Load()); n != 2 {
		t.Errorf("%d lanes", n)
	}
}

func BenchmarkCountRequest(b *testing.B) {
	traffic := newTraffic(metric.New())
	for _, route := range []string{"/articles", "/users", "/invoices/{invoice}", "/articles/{article}"} {
		for _, status := range []int{200, 304, 404} {
			traffic.count(route, "GET", status, 0)
		}
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			traffic.flying.Add(1)
			traffic.count("/articles/{article}", "GET", 200, time.Millisecond)
			traffic.flying.Add(-1)
		}
	})
}
