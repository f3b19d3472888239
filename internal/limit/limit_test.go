package limit

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(1_700_000_000, c.at.Load()) }
func (c *clock) move(d time.Duration) { c.at.Add(int64(d)) }

func TestWindow(t *testing.T) {
	t.Parallel()
	c := &clock{}
	table := New(3, time.Minute, c.now)
	for want := int64(2); want >= 0; want-- {
		left, ok := table.Take(7, Unit)
		if !ok || left.Uses != want || left.Reset != time.Minute-time.Duration(2-want)*time.Second {
			t.Fatalf("%+v %v, want %d left", left, ok, want)
		}
		c.move(time.Second)
	}
	if left, ok := table.Take(7, Unit); ok || left != (Left{0, 57 * time.Second}) {
		t.Fatalf("a fourth use: %+v %v", left, ok)
	}
	if wait, yes := table.Spent(7); !yes || wait != 57*time.Second || table.Quiet() {
		t.Errorf("spent: %v %s, quiet %v", yes, wait, table.Quiet())
	}
	if _, yes := table.Spent(8); yes {
		t.Error("another key is spent")
	}
	if _, ok := table.Take(8, Unit); !ok {
		t.Error("another key has no quota")
	}
	c.move(57 * time.Second)
	if _, yes := table.Spent(7); yes || !table.Quiet() {
		t.Error("the quota is not there again")
	}
	if left, ok := table.Take(7, Unit); !ok || left != (Left{2, time.Minute}) {
		t.Errorf("in the next window: %+v %v", left, ok)
	}
	if !table.Known(7, time.Hour) || table.Known(9, time.Hour) {
		t.Error("a key that is used must be known, and no other")
	}
	c.move(time.Hour)
	if table.Known(7, time.Hour) {
		t.Error("a key is known that nobody used lately")
	}
}

// TestTenths: what is given back counts a tenth.
func TestTenths(t *testing.T) {
	t.Parallel()
	table := New(2, time.Minute, (&clock{}).now)
	uses := 0
	for ; uses < 100; uses++ {
		if _, ok := table.Take(1, Unit); !ok {
			break
		}
		table.Give(1, Unit-1)
	}
	if uses != 11 { // a whole one must be left to begin with
		t.Errorf("%d uses of a tenth out of 2", uses)
	}
	if left := table.Give(5, 9); left != (Left{2, time.Minute}) {
		t.Errorf("an unknown key: %+v", left)
	}
}

func TestClockSetBack(t *testing.T) {
	t.Parallel()
	c := &clock{}
	table := New(1, time.Minute, c.now)
	table.Take(1, Unit)
	c.move(-time.Hour)
	if left, ok := table.Take(1, Unit); ok || left.Reset > time.Minute {
		t.Errorf("%+v %v", left, ok)
	}
	if wait, yes := table.Spent(1); !yes || wait > time.Minute {
		t.Errorf("%s %v", wait, yes)
	}
}

// TestFlood: more keys than there is room for neither grow the table nor drive out the one that is used most.
func TestFlood(t *testing.T) {
	t.Parallel()
	table := New(100, time.Minute, (&clock{}).now)
	for range 100 {
		table.Take(12345, Unit)
	}
	for key := uint64(1); key < 4*Capacity; key++ {
		table.Take(key*0x9e3779b97f4a7c15, Unit)
	}
	if _, yes := table.Spent(12345); !yes {
		t.Error("a flood of keys freed the one that was spent")
	}
	total := 0
	for i := range table.parts {
		total += len(table.parts[i].entries)
	}
	if total != Capacity {
		t.Errorf("room for %d keys, want %d", total, Capacity)
	}
}

func TestTogether(t *testing.T) {
	t.Parallel()
	table := New(1000, time.Minute, (&clock{}).now)
	var group sync.WaitGroup
	var passed atomic.Int64
	for range 8 {
		group.Go(func() {
			for range 500 {
				if _, ok := table.Take(42, Unit); ok {
					passed.Add(1)
				}
			}
		})
	}
	group.Wait()
	if passed.Load() != 1000 {
		t.Errorf("%d passed of 1000", passed.Load())
	}
}

func TestNothingIsAllocated(t *testing.T) {
	c := &clock{}
	table := New(1000, time.Minute, c.now)
	table.Take(1, Unit)
	if n := testing.AllocsPerRun(100, func() { table.Take(1, Unit); table.Give(1, 9); table.Spent(1); table.Known(1, time.Minute) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTake(b *testing.B) {
	table := New(1<<40, time.Minute, time.Now)
	b.RunParallel(func(p *testing.PB) {
		for key := uint64(1); p.Next(); key++ {
			table.Take(key%512*0x9e3779b97f4a7c15, Unit)
		}
	})
}
