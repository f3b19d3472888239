package jsondoc

import (
	"testing"

	"pgregory.net/rapid"
)

// must parses text that has to be right.
func must(t testing.TB, text string) any {
	t.Helper()
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%.200s): %v", text, err)
	}
	return v
}

func show(v any) string { return string(Append(nil, v)) }

// anyValue draws values up to five levels deep.
func anyValue() *rapid.Generator[any] { return valueOf(5) }

func valueOf(levels int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		rapid.String().AsAny(),
		anyNumber().AsAny(),
	}
	if levels == 0 {
		return rapid.OneOf(scalars...)
	}
	array := rapid.Custom(func(t *rapid.T) any {
		return append([]any{}, rapid.SliceOfN(valueOf(levels-1), 0, 4).Draw(t, "elements")...)
	})
	object := rapid.Custom(func(t *rapid.T) any { return objectOf(levels-1).Draw(t, "object") })
	return rapid.OneOf(append(scalars, array, object, array, object)...)
}

func anyNumber() *rapid.Generator[Number] {
	return rapid.Custom(func(t *rapid.T) Number {
		return Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,5})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number"))
	})
}

// objectOf draws few names, so that two objects often share some.
func objectOf(levels int) *rapid.Generator[*Object] {
	name := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", "c", "/", "~", "é"}), rapid.String())
	return rapid.Custom(func(t *rapid.T) *Object {
		out := &Object{Members: []Member{}}
		for _, n := range rapid.SliceOfNDistinct(name, 0, 6, rapid.ID).Draw(t, "names") {
			out.Set(n, valueOf(levels).Draw(t, "value"))
		}
		return out
	})
}
