// Package money is exact amounts: from the literal in a body to minor units in the store and back, and never a float
// on the way.
//
// An amount does not carry its currency; the row that holds both says how many decimals there are. The package knows no
// exchange rates and does not round: what a currency cannot express is refused.
package money

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

const (
	// Max is the largest amount, in whole units of the currency.
	Max = 999_999_999_999
	// finest is the most decimals that any currency has.
	finest = 4
)

var (
	errLarge = errors.New("too large")
	errFine  = errors.New("too many decimals")
)

// Amount is a number of minor units. One that was just read from a body has the decimals of its literal, one from the
// store has those of its currency, once it has been told which that is.
type Amount struct {
	units int64
	scale int // units are powers of ten below the major unit
	known bool
}

// Of is an amount of so many minor units of a currency.
func Of(minor int64, currency string) Amount {
	a := Amount{units: minor}
	a.Assume(currency)
	return a
}

// Parse reads a JSON number exactly. It gives errors for what is too large or too fine for any currency.
func Parse(literal string) (Amount, error) {
	text, negative := strings.CutPrefix(literal, "-")
	text, power, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return Amount{known: true}, nil
	}
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || exponent > 1<<20 || exponent < -1<<20 { // beyond what any fraction makes up for
			if strings.HasPrefix(power, "-") {
				return Amount{}, errFine
			}
			return Amount{}, errLarge
		}
	}
	short := strings.TrimRight(digits, "0")
	scale := len(fraction) - exponent - (len(digits) - len(short))
	if len(short)-scale > len("999999999999") {
		return Amount{}, errLarge
	}
	if scale > finest {
		return Amount{}, errFine
	}
	if scale < 0 {
		short, scale = short+strings.Repeat("0", -scale), 0
	}
	units, err := strconv.ParseInt(short, 10, 64)
	if err != nil {
		return Amount{}, err
	}
	if units > Max*tens(scale) {
		return Amount{}, errLarge
	}
	if negative {
		units = -units
	}
	return Amount{units: units, scale: scale, known: true}, nil
}

func tens(n int) int64 {
	power := int64(1)
	for range n {
		power *= 10
	}
	return power
}

// Minor is the number of minor units. It means something only after In or Assume.
func (a Amount) Minor() int64 { return a.units }

// Assume gives an amount that came from the store the decimals of its currency.
func (a *Amount) Assume(currency string) {
	if !a.known {
		a.scale, a.known = decimals[currency], true
	}
}

// See lets the row that holds the amount say what its currency is.
func (a *Amount) See(row any) {
	if holder, ok := row.(interface{ MoneyIn() string }); ok {
		a.Assume(holder.MoneyIn())
	}
}

// In is the same amount in the minor units of a currency; false when the currency has too few decimals for it.
func (a Amount) In(currency string) (Amount, bool) {
	want, ok := decimals[currency]
	if !ok {
		return a, false
	}
	units := a.units
	for scale := a.scale; scale > want; scale-- {
		if units%10 != 0 {
			return a, false
		}
		units /= 10
	}
	if want > a.scale {
		units *= tens(want - a.scale)
	}
	return Amount{units: units, scale: want, known: true}, true
}

// String is the amount as people and JSON write it, with all decimals of its currency.
func (a Amount) String() string {
	sign, units := "", a.units
	if units < 0 {
		sign, units = "-", -units
	}
	text := strconv.FormatInt(units, 10)
	if a.scale == 0 {
		return sign + text
	}
	if short := a.scale + 1 - len(text); short > 0 {
		text = strings.Repeat("0", short) + text
	}
	return sign + text[:len(text)-a.scale] + "." + text[len(text)-a.scale:]
}

// Tree is the amount as JSON.
func (a *Amount) Tree() any { return jsondoc.Number(a.String()) }

// SetTree reads the amount from JSON.
func (a *Amount) SetTree(in any, at string, bad *fault.List) {
	literal, ok := in.(jsondoc.Number)
	if !ok {
		bad.Add(fault.New(fault.WrongType, "This must be a number.").At(at))
		return
	}
	read, err := Parse(string(literal))
	switch {
	case errors.Is(err, errFine):
		bad.Add(fault.New(fault.BadFormat, "This has more decimals than any currency.").At(at))
	case err != nil:
		bad.Add(fault.New(fault.OutOfRange, "This must be from -%d to %d.", int64(Max), int64(Max)).At(at))
	default:
		*a = read
	}
}

// Schema is what SetTree takes.
func (*Amount) Schema() map[string]any {
	return map[string]any{"type": "number", "minimum": int64(-Max), "maximum": int64(Max)}
}

// Value is how the store keeps it.
func (a Amount) Value() (driver.Value, error) { return a.units, nil }

// Scan reads it from the store.
func (a *Amount) Scan(v any) error {
	units, ok := v.(int64)
	if !ok {
		return fmt.Errorf("money: cannot read %T", v)
	}
	*a = Amount{units: units}
	return nil
}

// MarshalJSON is how the store keeps it inside another value: its minor units.
func (a Amount) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, a.units, 10), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (a *Amount) UnmarshalJSON(text []byte) error {
	units, err := strconv.ParseInt(string(text), 10, 64)
	*a = Amount{units: units}
	return err
}

// Price is an amount that somebody has to pay: more than nothing.
type Price struct{ Amount }

// SetTree reads the price from JSON.
func (p *Price) SetTree(in any, at string, bad *fault.List) {
	faults := bad.Len()
	p.Amount.SetTree(in, at, bad)
	if bad.Len() == faults && p.units <= 0 {
		bad.Add(fault.New(fault.OutOfRange, "This must be more than 0, and %d at most.", int64(Max)).At(at))
	}
}

// Schema is what SetTree takes.
func (*Price) Schema() map[string]any {
	return map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": int64(Max)}
}
