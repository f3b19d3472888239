package uploads

import (
	"regexp"
	"strconv"

	"verbless/internal/fault"
)

// span is what a Content-Range says of a body. -1 is what it does not say.
type span struct {
	from  int64 // -1: the body holds nothing; the request asks how far the upload is
	to    int64 // the last byte; -1: as far as the body goes
	total int64 // of the whole file
}

// asks tells whether the request only asks.
func (s span) asks() bool { return s.from < 0 }

// length is how long the body must be, -1 when that is open.
func (s span) length() int64 {
	if s.asks() {
		return 0
	}
	if s.to < 0 {
		return -1
	}
	return s.to - s.from + 1
}

// contentRange has the forms of RFC 9110, and those that clients of Google's send beside: bytes 0-*/*.
var contentRange = regexp.MustCompile(`^bytes (?:\*|([0-9]{1,18})-([0-9]{1,18}|\*))/([0-9]{1,18}|\*)$`)

// readSpan reads a Content-Range. Without one the body is the whole file.
func readSpan(text string, length int64) (span, error) {
	if text == "" {
		return span{from: 0, to: -1, total: length}, nil
	}
	match := contentRange.FindStringSubmatch(text)
	if match == nil {
		return span{}, fault.New(fault.InvalidHeader, "This takes bytes A-B/T, where B and T may be *, or bytes */T.").On("Content-Range")
	}
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return -1 // * or nothing
		}
		return n
	}
	s := span{from: number(match[1]), to: number(match[2]), total: number(match[3])}
	switch {
	case s.to >= 0 && s.to < s.from, s.total >= 0 && (s.to >= s.total || s.from > s.total):
		return s, fault.New(fault.InvalidHeader, "The range contradicts itself.").On("Content-Range")
	case length >= 0 && s.length() >= 0 && s.length() != length:
		return s, fault.New(fault.InvalidHeader, "The range holds %d bytes, but Content-Length says %d.", s.length(), length).On("Content-Range")
	}
	return s, nil
}
