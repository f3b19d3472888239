// Package limit counts per key in windows of time: how much of a quota is used, and when it is there again.
//
// A window begins with the first use of a key, and its quota is whole again when it ends. Memory is bounded: a table holds so many
// keys and no more, and forgets the least used of those that meet in one place. So under a flood of keys it errs towards
// letting somebody pass, never towards growing. Counting allocates nothing. Each process counts for itself.
package limit

import (
	"sync"
	"sync/atomic"
	"time"
)

// Unit is one whole use; what is cheap can be counted by the tenth.
const Unit = 10

const (
	shards = 64
	sets   = 128 // of a shard
	ways   = 8   // keys that meet in one set
)

// Capacity is how many keys a table holds at most, 24 bytes each.
const Capacity = shards * sets * ways

// Table counts uses of keys. It is safe for concurrent use.
type Table struct {
	quota  int64 // in tenths
	window int64 // in nanoseconds
	clock  func() time.Time
	spent  atomic.Int64 // when the last window ends in which a quota was used up
	parts  [shards]part
}

type part struct {
	mu      sync.Mutex
	entries []entry // made when the first key comes
	_       [32]byte
}

type entry struct {
	key   uint64 // 0: empty
	start int64
	used  int64
}

// New makes a table whose keys may be used quota times in a window.
func New(quota int, window time.Duration, clock func() time.Time) *Table {
	return &Table{quota: int64(quota) * Unit, window: int64(window), clock: clock}
}

// Left is what remains of a quota, in whole uses, and how long until it is whole again.
type Left struct {
	Uses  int64
	Reset time.Duration
}

func (t *Table) left(e *entry, now int64) Left {
	return Left{max(0, (t.quota-e.used)/Unit), time.Duration(e.start + t.window - now)}
}

// Take uses so many tenths of the key's quota. When there are not as many left it takes none, and ok is false.
func (t *Table) Take(key uint64, tenths int64) (left Left, ok bool) {
	now := t.clock().UnixNano()
	p, set := t.at(&key)
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.find(set, key, now-t.window)
	switch {
	case e.key != key:
		*e = entry{key: key, start: now}
	case now-e.start >= t.window:
		e.start, e.used = now, 0
	case e.start > now: // the clock was set back
		e.start = now
	}
	if e.used+tenths > t.quota {
		return t.left(e, now), false
	}
	if e.used += tenths; e.used+Unit > t.quota {
		t.note(e.start + t.window)
	}
	return t.left(e, now), true
}

// Give puts tenths back that turned out not to be needed, and tells what is left.
func (t *Table) Give(key uint64, tenths int64) Left {
	now := t.clock().UnixNano()
	p, set := t.at(&key)
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.find(set, key, now-t.window)
	if e.key != key || now-e.start >= t.window {
		return Left{t.quota / Unit, time.Duration(t.window)}
	}
	e.used = max(0, e.used-tenths)
	return t.left(e, now)
}

// Spent tells whether nothing is left of the key's quota, and for how long. It costs next to nothing while no quota is spent.
func (t *Table) Spent(key uint64) (wait time.Duration, yes bool) {
	now := t.clock().UnixNano()
	if now >= t.spent.Load() {
		return 0, false
	}
	p, set := t.at(&key)
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.find(set, key, now-t.window)
	if e.key != key || now-e.start >= t.window || e.used+Unit <= t.quota {
		return 0, false
	}
	return min(time.Duration(e.start+t.window-now), time.Duration(t.window)), true
}

// Quiet tells that no key has spent its quota, so that nobody needs to be looked up.
func (t *Table) Quiet() bool {
	until := t.spent.Load()
	return until == 0 || t.clock().UnixNano() >= until
}

// Known tells whether the key was used lately, and is not forgotten.
func (t *Table) Known(key uint64, lately time.Duration) bool {
	now := t.clock().UnixNano()
	p, set := t.at(&key)
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.find(set, key, now-t.window)
	return e.key == key && now-e.start < int64(lately)
}

// note remembers the latest end of a window whose quota is spent.
func (t *Table) note(end int64) {
	for {
		latest := t.spent.Load()
		if end <= latest || t.spent.CompareAndSwap(latest, end) {
			return
		}
	}
}

// at is where a key is kept. Keys are hashes, so their bits are as good as any.
func (t *Table) at(key *uint64) (*part, int) {
	if *key == 0 {
		*key = 1
	}
	return &t.parts[*key%shards], int(*key / shards % sets * ways)
}

// find gives the entry of the key, else the one to be overwritten: an empty one, one whose window is over, or the least used.
func (p *part) find(set int, key uint64, over int64) *entry {
	if p.entries == nil {
		p.entries = make([]entry, sets*ways)
	}
	least := &p.entries[set]
	for i := range ways {
		e := &p.entries[set+i]
		if e.key == key {
			return e
		}
		if rank(e, over) < rank(least, over) {
			least = e
		}
	}
	return least
}

func rank(e *entry, over int64) int64 {
	switch {
	case e.key == 0:
		return -2
	case e.start <= over:
		return -1
	}
	return e.used
}
