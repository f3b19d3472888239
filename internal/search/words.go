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
func Words(text string) []string {
	var words []string
	var word strings.Builder
	size := 0
	flush := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			size += word.Len() + 1
			word.Reset()
		}
	}
	for _, r := range norm.NFKD.String(text) {
		if size > maxText {
			break
		}
		switch {
		case r < utf8.RuneSelf: // most of most texts, and cheap to tell
			if !letterOrDigit(byte(r)) {
				flush()
			} else if word.Len() < maxWord {
				word.WriteByte(lower(byte(r)))
			}
		case unicode.Is(unicode.Mn, r): // accents
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			flush()
			word.WriteRune(r)
			flush()
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if word.Len() < maxWord {
				word.WriteRune(unicode.ToLower(r))
			}
		default:
			flush()
		}
	}
	flush()
	return words
}

func letterOrDigit(c byte) bool { return '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'z' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
