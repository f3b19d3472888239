package blob

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"verbless/internal/fault"
)

// slowStore makes four bytes durable at a time, and writes down what happens in which order.
type slowStore struct {
	Area
	events []string
	filled int64
	bytes  string
	fails  int // which job fails
	jobs   int
}

func (s *slowStore) grow(context.Context, string, Progress, func(Progress) error) (grower, error) {
	return s, nil
}
func (s *slowStore) room() int64 { return 4 - s.filled }
func (s *slowStore) kept()       {}
func (s *slowStore) close()      { s.events = append(s.events, "close") }

func (s *slowStore) write(p []byte) (int, error) {
	s.bytes += string(p)
	s.filled += int64(len(p))
	return len(p), nil
}

func (s *slowStore) seal(bool) func() (json.RawMessage, error) {
	s.filled = 0
	s.jobs++
	number, bytes := s.jobs, s.bytes
	return func() (json.RawMessage, error) {
		if number == s.fails {
			return nil, unavailable(errors.New("input/output error"))
		}
		s.events = append(s.events, "durable "+bytes)
		return nil, nil
	}
}

// Nothing is kept before it is durable, and nothing at all after a sync that failed, however the next would end.
func TestKeptOnlyWhenDurable(t *testing.T) {
	for fails, want := range map[int]struct {
		events []string
		size   int64
	}{
		0: {[]string{"durable 0123", "keep 0123", "durable 01234567", "keep 01234567", "durable 0123456789", "keep 0123456789", "close"}, 10},
		1: {[]string{"close"}, 0},
		2: {[]string{"durable 0123", "keep 0123", "close"}, 4},
		3: {[]string{"durable 0123", "keep 0123", "durable 01234567", "keep 01234567", "close"}, 8},
	} {
		const text = "0123456789"
		s := &slowStore{fails: fails}
		p, err := Append(context.Background(), s, "", Progress{}, 0, Exact, io.Reader(strings.NewReader(text)), func(p Progress) error {
			s.events = append(s.events, "keep "+text[:p.Size])
			return nil
		})
		if (err == nil) != (fails == 0) || err != nil && !fault.Is(err, fault.Unavailable) {
			t.Errorf("%d: %v", fails, err)
		}
		if p.Size != want.size || !slices.Equal(s.events, want.events) {
			t.Errorf("%d: %d are kept: %q", fails, p.Size, s.events)
		}
	}
}

// 10,000 parts, none over 5 GiB, hold the 5 TiB that an object may have.
func TestPartSizes(t *testing.T) {
	var total int64
	for i := range 10_000 {
		size := partSize(i)
		if size < 5<<20 || size > 5<<30 {
			t.Fatalf("part %d has %d bytes", i, size)
		}
		total += size
	}
	if total < mostBytes {
		t.Errorf("they hold %d bytes", total)
	}
}
