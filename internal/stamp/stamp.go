// Package stamp is time as verbless tells it: one shape in every body, microseconds in every store.
package stamp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Layout is the one shape of a timestamp in a body.
const Layout = "2006-01-02 15:04:05Z"

// Clock tells the time. The service has one, so that tests can have another.
type Clock func() time.Time

// Now is the clock of the machine, in UTC and in the precision that is stored.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Append writes t in the one shape. Every answer has several times, so it is done without the general formatter.
func Append(dst []byte, t time.Time) []byte {
	year, month, day := t.UTC().Date()
	hour, minute, second := t.UTC().Clock()
	dst = append(dst, byte('0'+year/1000%10), byte('0'+year/100%10))
	dst = append(two(dst, year%100), '-')
	dst = append(two(dst, int(month)), '-')
	dst = append(two(dst, day), ' ')
	dst = append(two(dst, hour), ':')
	dst = append(two(dst, minute), ':')
	return append(two(dst, second), 'Z')
}

func two(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// Format gives t in the one shape.
func Format(t time.Time) string { return string(Append(nil, t)) }

// Pattern is what Parse takes: the one shape, and RFC 3339.
const Pattern = `^\d{4}-\d{2}-\d{2}[ Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$`

var pattern = regexp.MustCompile(Pattern)

// Parse takes the one shape, or RFC 3339.
func Parse(s string) (time.Time, error) {
	var t time.Time
	err := errors.New("not of the shape")
	if pattern.MatchString(s) {
		t, err = time.Parse(time.RFC3339Nano, strings.ToUpper(strings.Replace(s, " ", "T", 1)))
	}
	t = t.UTC()
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, fmt.Errorf("%q is not a time like 2026-01-31 09:30:00Z or RFC 3339", s)
	}
	return t.Truncate(time.Microsecond), nil
}

// Micros is how a time is stored.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// FromMicros reads a stored time.
func FromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }
