package jsondoc

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAppendString(t *testing.T) {
	cases := []struct{ in, want string }{
		{``, `""`},
		{`plain`, `"plain"`},
		{`é😀`, `"é😀"`},
		{"\u2028\u2029<>&/\x7f", "\"\u2028\u2029<>&/\x7f\""},
		{"\"\\", `"\"\\"`},
		{"\b\t\n\f\r", `"\b\t\n\f\r"`},
		{"\x00\x01\x1f", `"\u0000\u0001\u001f"`},
		{"a\xffb", "\"a\ufffdb\""},
		{"\xe2\x82", "\"\ufffd\ufffd\""},
		{"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
		{"é\n\xffé", "\"é\\n\ufffdé\""},
		{"\ufffd", "\"\ufffd\""},
	}
	for _, c := range cases {
		if got := string(AppendString([]byte("x"), c.in)); got != "x"+c.want {
			t.Errorf("%q gives %s, want %s", c.in, got, c.want)
		}
	}
}

func TestAppendStringIsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		out := AppendString(nil, in)
		var got string
		if err := json.Unmarshal(out, &got); err != nil || !utf8.Valid(out) {
			t.Fatalf("%q gives %s: %v", in, out, err)
		}
		if want := string([]rune(in)); got != want {
			t.Fatalf("%q came back as %q", in, got)
		}
	})
}

func TestAppendRefusesOtherTypes(t *testing.T) {
	defer func() {
		if r := recover(); r != "jsondoc: a int is not a JSON value" {
			t.Errorf("recovered %v", r)
		}
	}()
	Append(nil, []any{1})
}

func BenchmarkAppendString(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":   strings.Repeat("The quick brown fox jumps over it. ", 30),
		"unicode": strings.Repeat("Der schnelle Füchs läuft über Zäune. ", 30),
		"escapes": strings.Repeat("A \"quoted\" line.\n", 60),
		"short":   "published",
	} {
		b.Run(name, func(b *testing.B) {
			buf := make([]byte, 0, 4096)
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				buf = AppendString(buf[:0], s)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	v := must(b, benchArticle())
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buf = Append(buf[:0], v)
	}
	b.SetBytes(int64(len(buf)))
}
