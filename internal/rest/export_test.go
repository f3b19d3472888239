package rest

import (
	"net/http"
	"strings"

	"verbless/internal/cursor"
	"verbless/internal/header"
	"verbless/internal/onetime"
)

// VaryList is what every answer names in Vary.
const VaryList = varyList

// ParseTags reads a list of entity tags, each given back as it is written.
func ParseTags(lines ...string) (tags []string, star, ok bool) {
	parsed, star, ok := header.ParseTags(lines)
	for _, tag := range parsed {
		text := `"` + tag.Opaque + `"`
		if tag.Weak {
			text = "W/" + text
		}
		tags = append(tags, text)
	}
	return tags, star, ok
}

// Unchanged tells whether a GET with these headers may answer 304 for the tag.
func Unchanged(h http.Header, tag string) bool { return header.Unchanged(h, tag) }

// MayWrite tells whether the preconditions of a write hold for the tag.
func MayWrite(h http.Header, tag string) error {
	p, err := header.ReadPreconditions(h)
	if err != nil {
		return err
	}
	return p.Check(header.State(strings.Trim(tag, `"`)))
}

// Pick chooses among media types.
func Pick(lines, offers []string) (string, bool) { return header.Pick(lines, offers) }

// Prefers reads Prefer.
func Prefers(lines ...string) (minimal, count bool) {
	p := header.ReadPrefer(http.Header{"Prefer": lines})
	return p.Minimal, p.Count
}

// ReadIdempotencyKey reads the header's one line.
func ReadIdempotencyKey(line string) (string, bool) {
	key, err := onetime.ReadKey([]string{line})
	return key, err == nil
}

// CheckCursor tells whether the cursor belongs to the list.
func (a *API) CheckCursor(text, fingerprint string) error {
	_, err := cursor.Read(a.keyed, text, fingerprint)
	return err
}

// Served lists the methods of every path served, by its pattern.
func (a *API) Served() map[string][]string {
	found := map[string][]string{}
	for _, rt := range a.routes {
		found[rt.pattern] = sortedKeys(rt.operations)
	}
	return found
}
