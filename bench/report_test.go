package main

import (
	"strings"
	"testing"
	"time"
)

func TestTable(t *testing.T) {
	list := scenarios()
	r := &report{
		rows: []row{
			{list[0], []pair{{1000, 4000}, {2000, 4000}, {900, 4500}}, []pair{{90, 30}, {120, 20}, {100, 25}}},
			{list[2], []pair{{1, 1}}, []pair{{1300, 100}}},
			{list[3], []pair{{3, 4}}, []pair{{1, 1}}},
			{list[4], []pair{{12345, 4000}}, []pair{{1, 1}}},
		},
		tails:   []pair{{1.5, 1}, {3, 1.2}, {1, 1}},
		startUp: []pair{{99, 10}, {100, 10}, {500, 10}},
		held:    pair{50, 20}, most: pair{101, 20},
	}
	want := `|  | ours | limit | ours / limit | CPU of ours | CPU of limit | CPU ours / limit | goal |  |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |
| GET one | 1,000/s | 4,000/s | 0.25 (0.20–0.50) | 100 µs | 25 µs | 4.00 (3.00–6.00) | CPU ≤ 4 × | ✓ |
| list of 25, filtered and sorted | 1/s | 1/s | 1.00 | 1,300 µs | 100 µs | 13.00 | CPU ≤ 12 × | ✗ |
| create, 8 writers | 3/s | 4/s | 0.75 | 1 µs | 1 µs | 1.00 |  |  |
| create, 64 writers | 12,345/s | 4,000/s | 3.09 | 1 µs | 1 µs | 1.00 | requests ≥ 1.0 × | ✓ |
| companies: p99 beside slow locations, and without | 1.50 ms | 1.00 ms | 1.50 (1.00–2.50) |  |  |  | p99 ≤ 2 × | ✓ |
| start-up to the first 200 | 100 ms | 10 ms | 10.00 (9.90–50.00) |  |  |  | ≤ 100 ms | ✓ |
| memory after the load, at most | 101 MB | 20 MB | 5.05 |  |  |  | ≤ 100 MB | ✗ |
| memory after the load, then | 50 MB | 20 MB | 2.50 |  |  |  |  |  |
`
	if got := r.table(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if text := r.document(); strings.Contains(text, "%!") || !strings.Contains(text, want) {
		t.Errorf("the document is not well made:\n%s", text)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 999.4: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%v: got %s", n, got)
		}
	}
}

func TestProc(t *testing.T) {
	got, err := parseCPU([]byte("12 (a ) b) S 1 2 3 4 5 6 7 8 9 10 25 5 0 0 20 0"))
	if err != nil || got != 300*time.Millisecond {
		t.Errorf("cpu: got %v, %v", got, err)
	}
	if _, err := parseCPU([]byte("12 (a) S 1")); err == nil {
		t.Error("cpu: a short line was taken")
	}
	if got := kilobytes("Name:\tx\nVmHWM:\t    2048 kB\n", "VmHWM:"); got != 2<<20 {
		t.Errorf("memory: got %d", got)
	}
	mounts := "/dev/a / ext4 rw 0 0\ntmpfs /mnt tmpfs rw 0 0\n/dev/b /mnt/data xfs rw 0 0\n"
	for dir, want := range map[string]string{"/home": "ext4", "/mnt": "tmpfs", "/mnt/x": "tmpfs", "/mnt/data/y": "xfs", "/mnts": "ext4"} {
		if got := fileSystemOf(mounts, dir); got != want {
			t.Errorf("file system of %s: got %s", dir, got)
		}
	}
}

func TestSlowest(t *testing.T) {
	var times []time.Duration
	for n := range 200 {
		times = append(times, time.Duration(200-n))
	}
	for percent, want := range map[int]time.Duration{1: 2, 50: 100, 99: 198, 100: 200} {
		if got := slowest(times, percent); got != want {
			t.Errorf("%d: got %d", percent, got)
		}
	}
	if got := slowest([]time.Duration{7}, 99); got != 7 {
		t.Errorf("of one: got %d", got)
	}
}
