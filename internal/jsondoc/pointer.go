package jsondoc

import (
	"errors"
	"fmt"
	"strings"
)

var (
	errPointerStart = errors.New(`a JSON pointer is empty or starts with "/"`)
	errPointerTilde = errors.New(`in a JSON pointer "~" is followed by "0" or "1"`)
	errPointerDeep  = fmt.Errorf("a JSON pointer has at most %d steps", MaxDepth)
)

// ParsePointer splits a JSON pointer into its tokens, none for the whole document. A pointer with more than MaxDepth
// tokens is refused: no document has a place so deep.
func ParsePointer(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	if s[0] != '/' {
		return nil, errPointerStart
	}
	if strings.Count(s, "/") > MaxDepth {
		return nil, errPointerDeep
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return nil, errPointerTilde
		}
	}
	tokens := strings.Split(s[1:], "/")
	for i := range tokens {
		tokens[i] = unescapeToken.Replace(tokens[i])
	}
	return tokens, nil
}

// AppendPointer is base with one more token.
func AppendPointer(base, token string) string {
	return base + "/" + escapeToken.Replace(token)
}

var (
	escapeToken   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapeToken = strings.NewReplacer("~0", "~", "~1", "/")
)
