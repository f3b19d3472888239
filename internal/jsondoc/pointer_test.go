package jsondoc

import (
	"slices"
	"strings"
	"testing"
)

func TestParsePointer(t *testing.T) {
	cases := []struct {
		text string
		want []string
	}{
		{"", nil},
		{"/", []string{""}},
		{"//", []string{"", ""}},
		{"/a/0/-", []string{"a", "0", "-"}},
		{"/a~1b/m~0n", []string{"a/b", "m~n"}},
		{"/~01", []string{"~1"}},
		{"/~10", []string{"/0"}},
		{"/c%d/e^f/ ", []string{"c%d", "e^f", " "}},
		{"/__proto__/é", []string{"__proto__", "é"}},
		{strings.Repeat("/a", MaxDepth), slices.Repeat([]string{"a"}, MaxDepth)},
	}
	for _, c := range cases {
		got, err := ParsePointer(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q gives %q and %v, want %q", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"a", " /a", "#/a", "/a~", "/~2", "/~/1", "/a/~a", strings.Repeat("/", MaxDepth+1)} {
		if got, err := ParsePointer(text); err == nil {
			t.Errorf("%q gives %q, want an error", text, got)
		}
	}
}

func FuzzPointer(f *testing.F) {
	for _, seed := range []string{"", "/", "/a~1b/~0", "/~01", "a", "/~", "/a//b", "/\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens, err := ParsePointer(text)
		if err != nil {
			return
		}
		again := ""
		for _, token := range tokens {
			again = AppendPointer(again, token)
		}
		if again != text {
			t.Fatalf("%q came back as %q", text, again)
		}
	})
}
