package search

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Hello, World!":                {"hello", "world"},
		"Café CAFÉ cafe\u0301":         {"cafe", "cafe", "cafe"},
		"don't e-mail a.b@example.com": {"don", "t", "e", "mail", "a", "b", "example", "com"},
		"東京の珈琲 bar":                    {"東", "京", "の", "珈", "琲", "bar"},
		"ＦＵＬＬ ① ﬁ":                     {"full", "1", "fi"},
		`"; DROP * AND OR NOT (^)`:     {"drop", "and", "or", "not"},
		"😀 \x00 \u200d":                nil,
		"":                             nil,
		strings.Repeat("x", 1000):      {strings.Repeat("x", maxWord)},
		"1.5 2026-01-31":               {"1", "5", "2026", "01", "31"},
	} {
		if got := Words(text); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
	if n := len(strings.Join(Words(strings.Repeat("word ", 200_000)), " ")); n > maxText+maxWord+1 {
		t.Errorf("%d bytes of words were kept", n)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Café, 東京 \"x\" 'y' & | ! :* \x00")
	f.Fuzz(func(t *testing.T, text string) {
		for _, word := range Words(text) {
			if word == "" || strings.ContainsAny(word, "'\"\\ &|!:*()<>\x00") || !slices.Equal(Words(word), []string{word}) {
				t.Errorf("Words(%q) has %q", text, word)
			}
		}
	})
}
