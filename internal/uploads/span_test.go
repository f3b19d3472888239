package uploads

import (
	"testing"

	"verbless/internal/fault"
)

func TestReadSpan(t *testing.T) {
	for _, c := range []struct {
		text   string
		length int64
		want   span
	}{
		{"", 10, span{from: 0, to: -1, total: 10}},
		{"", -1, span{from: 0, to: -1, total: -1}},
		{"", 0, span{from: 0, to: -1, total: 0}},
		{"bytes 0-9/10", 10, span{from: 0, to: 9, total: 10}},
		{"bytes 0-9/*", 10, span{from: 0, to: 9, total: -1}},
		{"bytes 5-9/10", -1, span{from: 5, to: 9, total: 10}},
		{"bytes 0-*/*", -1, span{from: 0, to: -1, total: -1}},
		{"bytes 3-*/10", -1, span{from: 3, to: -1, total: 10}},
		{"bytes 3-*/10", 7, span{from: 3, to: -1, total: 10}},
		{"bytes */10", 0, span{from: -1, to: -1, total: 10}},
		{"bytes */0", 0, span{from: -1, to: -1, total: 0}},
		{"bytes */*", 0, span{from: -1, to: -1, total: -1}},
	} {
		if got, err := readSpan(c.text, c.length); err != nil || got != c.want {
			t.Errorf("%q of %d: %+v, %v; want %+v", c.text, c.length, got, err, c.want)
		}
	}
	for _, c := range []struct {
		text   string
		length int64
	}{
		{"bytes", 0}, {"bytes 0-9", 10}, {"bytes=0-9/10", 10}, {"items 0-9/10", 10}, {"bytes -1-9/10", 10}, {"bytes 0-/10", 10}, {"bytes *-9/10", 10},
		{"bytes 9-0/10", 10}, {"bytes 0-10/10", 11}, {"bytes 0-9/9", 10}, {"bytes 0-9/10", 9}, {"bytes 0-9/10", 11}, {"bytes */10", 1}, {"bytes */*", 5},
		{"bytes 11-*/10", -1}, {"bytes 0-9999999999999999999/*", 1}, {"bytes 0-9/10, bytes 0-9/10", 10}, {"bytes 0-9/10 ", 10}, {"bytes 00x1-9/10", 1},
	} {
		if got, err := readSpan(c.text, c.length); !fault.Is(err, fault.InvalidHeader) {
			t.Errorf("%q of %d: %+v, %v", c.text, c.length, got, err)
		}
	}
}
