package stamp

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	for text, fraction := range map[string]time.Duration{
		"2026-01-31 09:30:00Z": 0, "2026-01-31T09:30:00Z": 0, "2026-01-31T10:30:00+01:00": 0, "2026-01-31T00:00:00-09:30": 0, "2026-01-31T09:30:00.5Z": 500 * time.Millisecond,
		"2026-01-31 09:30:00.25Z": 250 * time.Millisecond, "2026-01-31T09:30:00.1234567Z": 123456 * time.Microsecond, "2026-01-31T09:30:00.999999999Z": 999999 * time.Microsecond,
	} {
		if got, err := Parse(text); err != nil || !got.Equal(want.Add(fraction)) || got.Location() != time.UTC {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "now", "2026-01-31", "2026-01-31 09:30:00", "2026-01-31T09:30:00", "2026-01-31 09:30Z", "2026-02-30 00:00:00Z", "2026-13-01 00:00:00Z", "2026-01-31 24:00:00Z", "2026-01-31 09:60:00Z",
		"0000-01-01 00:00:00Z", "10000-01-01 00:00:00Z", "-2026-01-31T09:30:00Z", "2026-1-31 09:30:00Z", " 2026-01-31 09:30:00Z", "2026-01-31 09:30:00Z ", "1769851800", "2026-01-31T09:30:00 UTC",
		"Sat, 31 Jan 2026 09:30:00 GMT", "2026-01-31T09:30:00+0100", "2026-01-31 09:30:00.Z"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestRoundTrip: what is shown is read as the same second, and what is stored is kept to the microsecond.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62_135_596_800, 253_402_300_799).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nano")).
			In(time.FixedZone("", rapid.IntRange(-50_000, 50_000).Draw(t, "zone")))
		text := Format(at)
		if string(Append(nil, at)) != text || len(text) != len(Layout) {
			t.Fatalf("%v is shown as %s and %s", at, text, Append(nil, at))
		}
		read, err := Parse(text)
		if err != nil || !read.Equal(at.Truncate(time.Second)) {
			t.Fatalf("%s is read as %v %v", text, read, err)
		}
		if again := FromMicros(Micros(at)); !again.Equal(at.Truncate(time.Microsecond)) || again.Location() != time.UTC {
			t.Fatalf("%v is stored as %v", at, again)
		}
	})
}

func TestNow(t *testing.T) {
	t.Parallel()
	var clock Clock = Now
	before := time.Now()
	now := clock()
	if now.Location() != time.UTC || now.Nanosecond()%1000 != 0 || now.Before(before.Truncate(time.Microsecond)) || now.After(time.Now()) {
		t.Errorf("now is %v", now)
	}
}
