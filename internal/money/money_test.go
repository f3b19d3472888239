package money

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

func TestLiterals(t *testing.T) {
	for literal, want := range map[string]string{
		"0": "0", "-0": "0", "0.000000": "0", "0e999999999999": "0", "1": "1", "12.50": "12.5", "12.5": "12.5", "1e2": "100", "1.5E+1": "15", "150e-1": "15",
		"0.01": "0.01", "1e-2": "0.01", "0.0001": "0.0001", "-3.20": "-3.2", "999999999999": "999999999999", "999999999999.0000": "999999999999",
		"999999999998.9999": "999999999998.9999", "0.00000000000000000001e20": "1", "100000000000000000000e-20": "1",
	} {
		a, err := Parse(literal)
		if err != nil || a.String() != want {
			t.Errorf("%s: got %s, %v; want %s", literal, a, err, want)
		}
	}
	for literal, want := range map[string]error{
		"999999999999.01": errLarge, "1000000000000": errLarge, "1e12": errLarge, "1e400": errLarge, "1E99999999999999999999": errLarge, "9223372036854775808": errLarge,
		"-1000000000000": errLarge, "0.00001": errFine, "1e-7": errFine, "1e-400": errFine, "1e-99999999999999999999": errFine, "12.34567": errFine,
	} {
		if a, err := Parse(literal); err != want {
			t.Errorf("%s: got %s, %v; want %v", literal, a, err, want)
		}
	}
}

// TestExact compares with fractions of whole numbers, which know no rounding.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,8})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "literal")
		exact, ok := new(big.Rat).SetString(literal)
		if !ok {
			t.Fatal(literal)
		}
		size := new(big.Rat).Abs(exact)
		fine := new(big.Rat).Mul(exact, big.NewRat(10000, 1)).IsInt()
		a, err := Parse(literal)
		switch {
		case size.Cmp(big.NewRat(Max, 1)) > 0:
			if err == nil {
				t.Fatalf("%s passed as %s", literal, a)
			}
		case !fine:
			if err == nil {
				t.Fatalf("%s passed as %s", literal, a)
			}
		case err != nil:
			t.Fatalf("%s: %v", literal, err)
		default:
			if back, _ := new(big.Rat).SetString(a.String()); back.Cmp(exact) != 0 {
				t.Fatalf("%s became %s", literal, a)
			}
		}
	})
}

func TestDecimalsOfCurrencies(t *testing.T) {
	for code, n := range map[string]int{"EUR": 2, "USD": 2, "JPY": 0, "KWD": 3, "CLF": 4, "ISK": 0, "MGA": 2, "UYW": 4} {
		if got, ok := Decimals(code); !ok || got != n {
			t.Errorf("%s: got %d, %t", code, got, ok)
		}
	}
	for _, code := range []string{"", "eur", "EURO", "XAU", "XXX", "XTS", "HRK", "DEM"} {
		if _, ok := Decimals(code); ok {
			t.Errorf("%q is a currency", code)
		}
	}
	all := 0
	for _, list := range codes {
		all += len(strings.Fields(list))
	}
	if all != len(decimals) {
		t.Errorf("%d codes, but only %d different ones", all, len(decimals))
	}
}

func TestIn(t *testing.T) {
	for _, c := range []struct {
		literal, currency string
		minor             int64
		text              string
	}{
		{"12.5", "EUR", 1250, "12.50"}, {"12", "JPY", 12, "12"}, {"12.000", "JPY", 12, "12"}, {"0.001", "KWD", 1, "0.001"}, {"1", "CLF", 10000, "1.0000"},
		{"-0.05", "EUR", -5, "-0.05"}, {"999999999999", "CLF", 9999999999990000, "999999999999.0000"},
	} {
		a, err := Parse(c.literal)
		if err != nil {
			t.Fatal(err)
		}
		in, ok := a.In(c.currency)
		if !ok || in.Minor() != c.minor || in.String() != c.text {
			t.Errorf("%s %s: got %d %s %t", c.literal, c.currency, in.Minor(), in, ok)
		}
		if again := Of(c.minor, c.currency); again.String() != c.text {
			t.Errorf("from the store: %s", again)
		}
	}
	for literal, currency := range map[string]string{"12.5": "JPY", "0.001": "EUR", "0.0001": "KWD", "1": "XXX"} {
		a, _ := Parse(literal)
		if in, ok := a.In(currency); ok {
			t.Errorf("%s became %s %s", literal, in, currency)
		}
	}
}

func TestPrices(t *testing.T) {
	for doc, code := range map[any]fault.Code{
		jsondoc.Number("0"): fault.OutOfRange, jsondoc.Number("-1"): fault.OutOfRange, jsondoc.Number("1e400"): fault.OutOfRange, jsondoc.Number("0.00001"): fault.BadFormat,
		"10": fault.WrongType, nil: fault.WrongType, true: fault.WrongType,
	} {
		var bad fault.List
		var p Price
		p.SetTree(doc, "/amount", &bad)
		if f := fault.As(bad.Err()); bad.Len() != 1 || f.Parts[0].Code != code || f.Parts[0].Pointer != "/amount" {
			t.Errorf("%v: %v", doc, f)
		}
	}
}
