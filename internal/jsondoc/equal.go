package jsondoc

import "strings"

// Equal tells whether a and b are the same JSON: objects whatever the order of their members, numbers by their exact
// value (1 is 1.0 is 1e0), strings code point by code point.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case string:
		b, ok := b.(string)
		return ok && a == b
	case Number:
		b, ok := b.(Number)
		return ok && equalNumbers(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && equalArrays(a, b)
	case *Object:
		b, ok := b.(*Object)
		return ok && equalObjects(a, b)
	default:
		panic(notAValue(a))
	}
}

func equalArrays(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalObjects(a, b *Object) bool {
	if a == b {
		return true
	}
	if len(a.Members) != len(b.Members) {
		return false
	}
	same := 0 // most pairs have the same order, and then need no finder
	for same < len(a.Members) && a.Members[same].Name == b.Members[same].Name {
		if !Equal(a.Members[same].Value, b.Members[same].Value) {
			return false
		}
		same++
	}
	if same == len(a.Members) {
		return true
	}
	rest := newFinder(NewObject(b.Members[same:]...))
	for _, m := range a.Members[same:] {
		if v, ok := rest.get(m.Name); !ok || !Equal(m.Value, v) {
			return false
		}
	}
	return true
}

// decimal is a number taken apart: 0.digits times ten to the power of shift+exponent. The exponent stays text, because
// it may be far too large for any machine.
type decimal struct {
	negative bool
	digits   string // neither starts nor ends with 0; empty for zero
	shift    int64
	sign     int64 // of the exponent, 1 or -1
	exponent string
}

func takeApart(n Number) decimal {
	d := decimal{sign: 1}
	text, negative := strings.CutPrefix(string(n), "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, minus := strings.CutPrefix(text[i+1:], "-")
		if minus {
			d.sign = -1
		}
		d.exponent = strings.TrimLeft(exponent, "+0")
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	all := whole + fraction
	d.digits = strings.TrimLeft(all, "0")
	d.shift = int64(len(whole) - (len(all) - len(d.digits)))
	d.digits = strings.TrimRight(d.digits, "0")
	d.negative = negative && d.digits != ""
	return d
}

func equalNumbers(a, b Number) bool {
	if a == b {
		return true
	}
	x, y := takeApart(a), takeApart(b)
	if x.negative != y.negative || x.digits != y.digits {
		return false
	}
	if x.digits == "" {
		return true
	}
	gap, ok := exponentGap(x, y)
	return ok && gap == y.shift-x.shift
}

// exponentGap is the exponent of x less that of y, or false when that is more than any shift could make up for.
// It goes digit by digit: once the gap so far is 2 or more it only grows, so it can stop early at any size.
func exponentGap(x, y decimal) (int64, bool) {
	const limit = 1 << 56
	var gap int64
	for n := max(len(x.exponent), len(y.exponent)); n > 0; n-- {
		gap = gap*10 + x.sign*digit(x.exponent, n) - y.sign*digit(y.exponent, n)
		if gap < -limit || gap > limit {
			return 0, false
		}
	}
	return gap, true
}

// digit is the nth digit of s from the right, and 0 beyond its left end.
func digit(s string, n int) int64 {
	if n > len(s) {
		return 0
	}
	return int64(s[len(s)-n] - '0')
}
