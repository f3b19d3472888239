package jsondoc

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// elements gathers what Elements hands out.
func elements(text string) (all []any, err error) {
	all = []any{}
	err = Elements([]byte(text), func(i int, v any) error {
		if i != len(all) {
			return errors.New("out of order")
		}
		all = append(all, v)
		return nil
	})
	return all, err
}

// TestElementsAreThoseOfParse, also in what is wrong with a text.
func TestElementsAreThoseOfParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := show(rapid.SliceOfN(anyValue(), 0, 5).Draw(t, "array"))
		whole, err := Parse([]byte(text))
		got, same := elements(text)
		if err != nil || same != nil || !reflect.DeepEqual(whole, got) {
			t.Fatalf("%s: Parse %v %v, Elements %v %v", text, whole, err, got, same)
		}
	})
	deep := strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1)
	for _, text := range []string{"", " ", "[", "[1", "[1,", "[1,]", "[1 2]", "[]]", "[] x", "[1][2]", `[{"a":1,"a":2}]`, `[0,{"b":{"c":[tru]}}]`, `["\ud800"]`, "[\"\xff\"]", "\ufeff[]", deep} {
		_, want := Parse([]byte(text))
		if _, got := elements(text); want == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: Elements says %v, Parse %v", text, got, want)
		}
	}
}

func TestElementsStop(t *testing.T) {
	for _, text := range []string{"{}", "1", `"x"`, "null", `{"a":1,"a":2}`} {
		if _, err := elements(text); !errors.Is(err, ErrNoArray) {
			t.Errorf("%s: %v", text, err)
		}
	}
	seen := 0
	err := Elements([]byte(`[1,2,3,`), func(i int, _ any) error { // what comes after the stop is not looked at
		if seen++; i == 1 {
			return io.ErrShortBuffer
		}
		return nil
	})
	if err != io.ErrShortBuffer || seen != 2 {
		t.Errorf("got %v after %d elements", err, seen)
	}
	own := &SyntaxError{Reason: "of the caller"}
	if err := Elements([]byte(`[1]`), func(int, any) error { return own }); err != error(own) {
		t.Errorf("the caller's own error became %v", err)
	}
}
