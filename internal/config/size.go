package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes that can be written with a unit.
type Size int64

// units go from large to small, so that the first that fits is the shortest way to write a size.
var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// UnmarshalText takes 2MiB, 512KiB, 1GiB, 100B, or plain bytes.
func (s *Size) UnmarshalText(text []byte) error {
	number, factor := string(text), int64(1)
	for _, unit := range units {
		if rest, ok := strings.CutSuffix(number, unit.name); ok {
			number, factor = strings.TrimSpace(rest), unit.bytes
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil || int64(n) > math.MaxInt64/factor {
		return fmt.Errorf("%q is not a size like 2MiB, 512KiB or 1048576", text)
	}
	*s = Size(int64(n) * factor)
	return nil
}

// String writes the size in the largest unit that keeps it whole.
func (s Size) String() string {
	for _, unit := range units[:len(units)-1] {
		if s != 0 && int64(s)%unit.bytes == 0 {
			return strconv.FormatInt(int64(s)/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
