package jsondoc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxError tells where and why a text is not the JSON that Parse takes.
type SyntaxError struct {
	Pointer string // the innermost value that could be told, as a JSON pointer
	Offset  int64  // in bytes from the start of the text
	Reason  string // a sentence for people
}

// Error gives the reason and the place.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s (at %q, byte %d)", e.Reason, e.Pointer, e.Offset)
}

// explain turns an error of the decoder into one for people.
func explain(data []byte, err error) error {
	var own *SyntaxError
	if errors.As(err, &own) {
		return own
	}
	var found *jsontext.SyntacticError
	if !errors.As(err, &found) {
		// With the whole text in memory the only other error is the end of a text in which nothing was found.
		return &SyntaxError{Offset: int64(len(data)), Reason: "The text is empty."}
	}
	e := &SyntaxError{Pointer: string(found.JSONPointer), Offset: found.ByteOffset}
	switch {
	case errors.Is(found.Err, jsontext.ErrNonStringName):
		e.Reason = "The name of a member has to be a string."
	case errors.Is(found.Err, io.ErrUnexpectedEOF) || found.ByteOffset >= int64(len(data)):
		e.Reason = "The text ends before the JSON value does."
	default:
		e.Reason = outOfPlace(data[found.ByteOffset:])
	}
	return e
}

// outOfPlace says what is wrong with the start of text, judging by its bytes alone.
func outOfPlace(text []byte) string {
	r, size := utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && size <= 1:
		return "The text is not valid UTF-8."
	case r == '\\' && isSurrogate(text):
		return "A string holds half of a surrogate pair."
	case r == '\\':
		return "A string holds an escape that JSON does not have."
	case r < ' ':
		return fmt.Sprintf("The control character U+%04X is out of place; inside a string it has to be escaped.", r)
	case !unicode.IsPrint(r):
		return fmt.Sprintf("The character U+%04X is out of place.", r)
	default:
		return "The character " + quote(string(r)) + " is out of place."
	}
}

// isSurrogate tells whether text starts with an escape from \ud800 to \udfff.
func isSurrogate(text []byte) bool {
	const hex = "0123456789abcdefABCDEF"
	return len(text) >= 6 && text[1] == 'u' && (text[2] == 'd' || text[2] == 'D') &&
		strings.IndexByte("89abcdefABCDEF", text[3]) >= 0 &&
		strings.IndexByte(hex, text[4]) >= 0 && strings.IndexByte(hex, text[5]) >= 0
}

// quote shows a name or token in a sentence, and only its start when it is long.
func quote(s string) string {
	const enough = 60
	if len(s) > enough {
		cut := enough
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return string(AppendString(nil, s))
}
