package jsondoc

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEqual(t *testing.T) {
	long := strings.Repeat("9", 50)
	cases := []struct {
		a, b string
		want bool
	}{
		{`null`, `null`, true},
		{`null`, `false`, false},
		{`false`, `0`, false},
		{`""`, `null`, false},
		{`"1"`, `1`, false},
		{`1`, `1.0`, true},
		{`1`, `1e0`, true},
		{`100`, `1E+2`, true},
		{`0.001`, `1e-3`, true},
		{`12.50`, `1250e-2`, true},
		{`-1`, `1`, false},
		{`0`, `-0.00e9`, true},
		{`0e999999999999999999999`, `0`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`0.1`, `0.10000000000000001`, false},
		{`1e400`, `10e399`, true},
		{`1e400`, `1e401`, false},
		{`1e999999999`, `10e999999998`, true},
		{`1e-999999999`, `0`, false},
		{`1e999999999`, `1e-999999999`, false},
		{`1e007`, `1e7`, true},
		{`1e` + long, `10e` + long[:49] + `8`, true},
		{`0.1e1` + strings.Repeat("0", 50), `1e` + long, true},
		{`10e-1` + strings.Repeat("0", 50), `1e-` + long, true},
		{`1e` + long, `1e-` + long, false},
		{`1e` + long, `1e` + long[1:], false},
		{`"é"`, `"e\u0301"`, false},
		{`"\u00e9"`, `"é"`, true},
		{`[1,2]`, `[1.0,2.0]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,1]`, false},
		{`[]`, `{}`, false},
		{`{"a":1,"b":[{"c":null}]}`, `{"b":[{"c":null}],"a":1e0}`, true},
		{`{"a":1}`, `{"A":1}`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`{"a":1,"b":2}`, `{"a":1,"c":2}`, false},
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"c":3,"b":4}`, false},
	}
	for _, c := range cases {
		a, b := must(t, c.a), must(t, c.b)
		if Equal(a, b) != c.want || Equal(b, a) != c.want {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.want)
		}
	}
}

// Objects in opposite order and numbers of a megabyte are the worst cases.
func TestEqualIsLinear(t *testing.T) {
	forth, back := NewObject(), NewObject()
	for i := range 200_000 {
		forth.Members = append(forth.Members, Member{fmt.Sprint(i), nil})
		back.Members = append(back.Members, Member{fmt.Sprint(199_999 - i), nil})
	}
	digits := strings.Repeat("7", 1_000_000)
	start := time.Now()
	if !Equal(forth, back) {
		t.Error("the same members in another order are not equal")
	}
	if !Equal(Number("0."+digits+"e1000000"), Number(digits)) || Equal(Number("1e"+digits), Number("1e"+digits[1:]+"8")) {
		t.Error("wrong about large numbers")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestEqualNumbersAgreeWithExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Custom(func(t *rapid.T) Number {
			return Number(rapid.StringMatching(`-?[01]\.?0{0,3}[012]?(e[+-]?0?[0-3])?`).
				Filter(func(s string) bool { _, err := Parse([]byte(s)); return err == nil }).Draw(t, "n"))
		})
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(string(a))
		y, _ := new(big.Rat).SetString(string(b))
		if Equal(a, b) != (x.Cmp(y) == 0) {
			t.Fatalf("%s and %s: Equal says %v", a, b, Equal(a, b))
		}
	})
}

func TestEqualIgnoresTheOrderOfMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := objectOf(2).Draw(t, "object")
		shuffled := NewObject(rapid.Permutation(o.Members).Draw(t, "members")...)
		if !Equal(o, shuffled) || !Equal(shuffled, o) {
			t.Fatalf("%s and %s", show(o), show(shuffled))
		}
	})
}
