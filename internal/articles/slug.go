package articles

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// maxSlug leaves room for the number that makes a slug unique.
const maxSlug = 80

// slugOf makes an address out of a title: ASCII letters and digits with hyphens between, accents dropped.
// A title without any gives "article".
func slugOf(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(title)) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r):
			gap = true
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	if slug := b.String(); slug != "" && !reservedSlug(slug) {
		return slug
	}
	return "article"
}
