// Package metric counts what happens and writes it down in Prometheus' text format.
//
// Whatever is counted is made once, at start-up; counting then is a few atomic additions that allocate nothing and take no
// lock. A label has few values, which the program knows, never ones that a caller sends: that is for whoever makes a metric
// to see to. Without a registry everything still works and counts nothing, so nobody has to ask whether there is one.
package metric

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Registry is everything that is counted. A nil one gives metrics that count nothing.
type Registry struct {
	mu       sync.Mutex
	families map[string]*family
	hooks    []func()
	writing  sync.Mutex // one answer at a time: hooks may ask a database
}

// New makes an empty registry.
func New() *Registry { return &Registry{families: map[string]*family{}} }

// family is all metrics of one name.
type family struct {
	name, help, kind string
	members          []member
}

// member is one metric of a family, told from the others by its labels.
type member struct {
	labels string // as they are written, without braces
	value  func() float64
	bars   *Histogram
}

// Labels are names and values in turn: "method", "GET".
type Labels []string

// add puts a metric into its family. A name that is used twice in different ways, or twice with the same labels, panics at start-up.
func (r *Registry) add(name, help, kind string, labels Labels, m member) {
	m.labels = labels.text()
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.families[name]
	if f == nil {
		f = &family{name: name, help: help, kind: kind}
		r.families[name] = f
	}
	if f.kind != kind || f.help != help || slices.ContainsFunc(f.members, func(other member) bool { return other.labels == m.labels }) {
		panic(fmt.Sprintf("metric %s{%s} is there already, or is something else", name, m.labels))
	}
	f.members = append(f.members, m)
}

// Before runs fn before each time the metrics are written, for what is cheaper to look up than to follow.
func (r *Registry) Before(fn func()) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hooks = append(r.hooks, fn)
}

// Counter only grows.
type Counter struct{ n atomic.Uint64 }

// Counter makes one. Its name ends in _total.
func (r *Registry) Counter(name, help string, labels ...string) *Counter {
	if r == nil {
		return nil
	}
	c := &Counter{}
	r.add(name, help, "counter", labels, member{value: func() float64 { return float64(c.n.Load()) }})
	return c
}

// Add counts n more.
func (c *Counter) Add(n int) {
	if c != nil && n > 0 {
		c.n.Add(uint64(n))
	}
}

// CounterFunc is a counter that somebody else keeps.
func (r *Registry) CounterFunc(name, help string, value func() float64, labels ...string) {
	if r != nil {
		r.add(name, help, "counter", labels, member{value: value})
	}
}

// Gauge goes up and down.
type Gauge struct{ bits atomic.Uint64 }

// Gauge makes one.
func (r *Registry) Gauge(name, help string, labels ...string) *Gauge {
	if r == nil {
		return nil
	}
	g := &Gauge{}
	r.add(name, help, "gauge", labels, member{value: func() float64 { return math.Float64frombits(g.bits.Load()) }})
	return g
}

// Set says what it is now; not a number is unknown.
func (g *Gauge) Set(v float64) {
	if g != nil {
		g.bits.Store(math.Float64bits(v))
	}
}

// GaugeFunc is a gauge that is looked up.
func (r *Registry) GaugeFunc(name, help string, value func() float64, labels ...string) {
	if r != nil {
		r.add(name, help, "gauge", labels, member{value: value})
	}
}

// Level is a gauge of whole things that come and go.
type Level struct{ n atomic.Int64 }

// Level makes one.
func (r *Registry) Level(name, help string, labels ...string) *Level {
	if r == nil {
		return nil
	}
	l := &Level{}
	r.add(name, help, "gauge", labels, member{value: func() float64 { return float64(l.n.Load()) }})
	return l
}

// Add lets n come, or go when it is negative.
func (l *Level) Add(n int64) {
	if l != nil {
		l.n.Add(n)
	}
}

// Histogram sorts values by size.
type Histogram struct {
	bounds []int64 // upper bounds, in whole units
	unit   float64 // how many of them are one in the answer
	counts []atomic.Uint64
	sum    atomic.Int64
}

// moments are the bounds of durations: from a tenth of a millisecond, which is a quick read, to the time limits of slow neighbours.
func moments() []time.Duration {
	const us, ms, s = time.Microsecond, time.Millisecond, time.Second
	return []time.Duration{100 * us, 250 * us, 500 * us, ms, 2500 * us, 5 * ms, 10 * ms, 25 * ms, 50 * ms, 100 * ms, 250 * ms, 500 * ms, s, 2500 * ms, 5 * s, 10 * s, 30 * s}
}

// Durations makes a histogram of how long things take. Its name ends in _seconds.
func (r *Registry) Durations(name, help string, labels ...string) *Histogram {
	bounds := moments()
	whole := make([]int64, len(bounds))
	for i, b := range bounds {
		whole[i] = int64(b)
	}
	return r.histogram(name, help, whole, float64(time.Second), labels)
}

// Sizes makes a histogram of whole numbers, by their upper bounds.
func (r *Registry) Sizes(name, help string, bounds []int64, labels ...string) *Histogram {
	return r.histogram(name, help, bounds, 1, labels)
}

func (r *Registry) histogram(name, help string, bounds []int64, unit float64, labels Labels) *Histogram {
	if r == nil {
		return nil
	}
	h := &Histogram{bounds: bounds, unit: unit, counts: make([]atomic.Uint64, len(bounds)+1)}
	r.add(name, help, "histogram", labels, member{bars: h})
	return h
}

// Observe counts one value.
func (h *Histogram) Observe(v int64) {
	if h == nil {
		return
	}
	i := 0
	for i < len(h.bounds) && v > h.bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(v)
}

// Took counts how long something took.
func (h *Histogram) Took(d time.Duration) { h.Observe(int64(d)) }
