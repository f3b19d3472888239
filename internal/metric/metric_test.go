package metric_test

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"verbless/internal/metric"
	"verbless/internal/metric/metrictest"
)

func TestText(t *testing.T) {
	r := metric.New()
	hard := "a \"quoted\" \\ two\nlines ü"
	requests := r.Counter("test_requests_total", hard, "route", hard, "method", "GET")
	r.Counter("test_requests_total", hard, "route", "other", "method", "GET")
	took := r.Durations("test_request_duration_seconds", "How long.")
	sizes := r.Sizes("test_group_members", "How many.", []int64{1, 2, 4})
	level := r.Level("test_things", "How many there are.")
	known, unknown := r.Gauge("test_age_seconds", "How old."), r.Gauge("test_unknown_bytes", "Nobody knows.")
	looked := 0
	r.Before(func() { looked++ })
	r.CounterFunc("test_looks_total", "How often somebody looked.", func() float64 { return float64(looked) })

	requests.Add(3)
	requests.Add(-7) // never shrinks
	for _, d := range []time.Duration{0, 100 * time.Microsecond, 101 * time.Microsecond, time.Hour} {
		took.Took(d)
	}
	for _, n := range []int64{1, 2, 3, 4, 5} {
		sizes.Observe(n)
	}
	level.Add(5)
	level.Add(-2)
	known.Set(1.5)
	unknown.Set(math.NaN())

	families := metrictest.Read(t, r.Text())
	first := families["test_requests_total"].Metric[0]
	if first.Counter.GetValue() != 3 || first.Label[0].GetValue() != hard || families["test_requests_total"].GetHelp() != hard || len(families["test_requests_total"].Metric) != 2 {
		t.Errorf("got %v", families["test_requests_total"])
	}
	bars := families["test_request_duration_seconds"].Metric[0].Histogram
	if bars.GetSampleCount() != 4 || math.Abs(bars.GetSampleSum()-3600.000201) > 1e-9 || bars.Bucket[0].GetUpperBound() != 0.0001 || bars.Bucket[0].GetCumulativeCount() != 2 || bars.Bucket[1].GetCumulativeCount() != 3 {
		t.Errorf("got %v", bars)
	}
	last := bars.Bucket[len(bars.Bucket)-1]
	if !math.IsInf(last.GetUpperBound(), 1) || last.GetCumulativeCount() != 4 {
		t.Errorf("got %v", last)
	}
	counts := families["test_group_members"].Metric[0].Histogram
	for i, want := range []uint64{1, 2, 4, 5} {
		if counts.Bucket[i].GetCumulativeCount() != want {
			t.Errorf("bar %d: got %v", i, counts.Bucket[i])
		}
	}
	if families["test_things"].Metric[0].Gauge.GetValue() != 3 || families["test_age_seconds"].Metric[0].Gauge.GetValue() != 1.5 || families["test_looks_total"].Metric[0].Counter.GetValue() != 1 {
		t.Errorf("got %v", families)
	}
	if families["test_unknown_bytes"] != nil {
		t.Error("what is not known was written")
	}
}

func TestProcess(t *testing.T) {
	r := metric.New()
	r.Process()
	families := metrictest.Read(t, r.Text())
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"} {
		if f := families[name]; f == nil || f.Metric[0].Gauge.GetValue() <= 0 {
			t.Errorf("%s: got %v", name, f)
		}
	}
	if families["process_cpu_seconds_total"] == nil || families["go_memstats_mallocs_total"].Metric[0].Counter.GetValue() <= 0 {
		t.Errorf("got %v", families)
	}
}

// TestNobodyCounts: without a registry everything works, and counts nothing.
func TestNobodyCounts(t *testing.T) {
	var r *metric.Registry
	r.Counter("a_total", "A.").Add(1)
	r.Gauge("b", "B.").Set(1)
	r.Level("c", "C.").Add(1)
	r.Durations("d_seconds", "D.").Took(1)
	r.Sizes("e", "E.", []int64{1}).Observe(1)
	r.GaugeFunc("f", "F.", nil)
	r.CounterFunc("g_total", "G.", nil)
	r.Before(func() { t.Error("somebody looked") })
}

func TestTwice(t *testing.T) {
	for name, again := range map[string]func(r *metric.Registry){
		"labels": func(r *metric.Registry) { r.Counter("a_total", "A.", "x", "1") },
		"kind":   func(r *metric.Registry) { r.Gauge("a_total", "A.", "x", "2") },
		"help":   func(r *metric.Registry) { r.Counter("a_total", "B.", "x", "2") },
	} {
		t.Run(name, func(t *testing.T) {
			r := metric.New()
			r.Counter("a_total", "A.", "x", "1")
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			again(r)
		})
	}
}

// TestManyCount counts and writes at once; the race detector watches.
func TestManyCount(t *testing.T) {
	r := metric.New()
	c, h := r.Counter("a_total", "A."), r.Durations("b_seconds", "B.")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				c.Add(1)
				h.Took(time.Millisecond)
			}
			metrictest.Read(t, r.Text())
		})
	}
	all.Wait()
	if text := string(r.Text()); !strings.Contains(text, "a_total 8000\n") || !strings.Contains(text, "b_seconds_count 8000\n") || !strings.Contains(text, "b_seconds_sum 8\n") {
		t.Errorf("got %s", text)
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	r := metric.New()
	c, h, l := r.Counter("a_total", "A."), r.Durations("b_seconds", "B."), r.Level("c", "C.")
	if n := testing.AllocsPerRun(1000, func() { c.Add(1); h.Took(time.Millisecond); l.Add(1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCount(b *testing.B) {
	r := metric.New()
	c, h := r.Counter("a_total", "A."), r.Durations("b_seconds", "B.")
	b.ReportAllocs()
	for b.Loop() {
		c.Add(1)
		h.Took(time.Millisecond)
	}
}
