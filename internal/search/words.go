package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is where longer words are cut, in a text and in a search alike.
const maxWord = 64

// maxText bounds what is read of one text, in bytes of words: more would not fit an index entry of PostgreSQL.
const maxText = 250_000

// Words takes a text apart into words as people type them: runs of letters and digits without case and accents. Scripts
// written without spaces give a word for each character. Both the texts and the searches go through here, so both
// engines find the same.
func Words(text string) []string { return strings.Fields(spaced(text)) }

// spaced writes the words with single spaces between, as both engines take them.
func spaced(text string) string {
	out := make([]byte, 0, min(len(text)+len(text)/8, maxText)+maxWord)
	start := 0 // of the word being written
	flush := func() {
		if len(out) > start {
			out = append(out, ' ')
			start = len(out)
		}
	}
	for _, r := range norm.NFKD.String(text) {
		if len(out) > maxText {
			break
		}
		switch {
		case r < utf8.RuneSelf: // most of most texts, and cheap to tell
			if !letterOrDigit(byte(r)) {
				flush()
			} else if len(out)-start < maxWord {
				out = append(out, lower(byte(r)))
			}
		case unicode.Is(unicode.Mn, r): // accents
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush()
			out = utf8.AppendRune(out, r)
			flush()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if len(out)-start < maxWord {
				out = utf8.AppendRune(out, unicode.ToLower(r))
			}
		default:
			flush()
		}
	}
	return strings.TrimSuffix(string(out), " ")
}

func letterOrDigit(c byte) bool { return '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'z' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
