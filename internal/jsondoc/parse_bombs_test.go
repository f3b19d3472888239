package jsondoc

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// Every bomb is refused, or read, in memory that is a small multiple of its size.
func TestBombs(t *testing.T) {
	var keys, twins strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&keys, `"%d":0,`, i)
	}
	for i := range 30_000 {
		fmt.Fprintf(&twins, `"%d":0,`, i)
	}
	utf16le := make([]byte, 0, 64)
	for _, u := range utf16.Encode([]rune(`{"a":1}`)) {
		utf16le = append(utf16le, byte(u), byte(u>>8))
	}
	const mib = 1 << 20
	cases := []struct {
		name, text string
		ok         bool
		limit      uint64
	}{
		{"depth 10000", strings.Repeat("[", 10_000), false, mib},
		{"depth 1e6", strings.Repeat("[", 1_000_000), false, mib},
		{"depth 1e6 of objects", strings.Repeat(`{"a":`, 1_000_000), false, mib},
		{"1e6 keys", "{" + strings.TrimSuffix(keys.String(), ",") + "}", true, 400 * mib},
		{"a twin at the end", "{" + twins.String() + `"0":1}`, false, 16 * mib},
		{"2 MiB of empty arrays", "[" + strings.Repeat("[],", 2*mib/3) + "[]]", true, 120 * mib},
		{"2 MiB of empty objects", "[" + strings.Repeat("{},", 2*mib/3) + "{}]", true, 140 * mib},
		{"2 MiB of numbers", "[" + strings.Repeat("1,", mib) + "1]", true, 180 * mib},
		{"10 MiB string", `"` + strings.Repeat("x", 10*mib) + `"`, true, 11 * mib},
		{"10 MiB open string", `"` + strings.Repeat("x", 10*mib), false, mib},
		{"1 MB number", strings.Repeat("9", 1_000_000), true, 2 * mib},
		{"10 MiB of spaces", strings.Repeat(" ", 10*mib), false, mib},
		{"trailing data", "{}" + strings.Repeat("[", mib), false, mib},
		{"UTF-16", string(utf16le), false, mib},
	}
	for _, c := range cases {
		var before, after runtime.MemStats
		data := []byte(c.text)
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := Parse(data)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%-24s %8v, %5.1f MiB in all for %5.1f MiB", c.name, took.Round(10*time.Microsecond),
			float64(allocated)/mib, float64(len(data))/mib)
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
		if allocated > c.limit {
			t.Errorf("%s: %d MiB allocated", c.name, allocated/mib)
		}
		if took > 5*time.Second {
			t.Errorf("%s: took %v", c.name, took)
		}
	}
}
