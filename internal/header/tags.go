package header

import (
	"net/http"
	"slices"
	"strings"

	"verbless/internal/coding"
	"verbless/internal/fault"
)

// State is the part of a tag before the dot.
func State(opaque string) string { state, _, _ := strings.Cut(opaque, "."); return state }

// Tag is one tag of an If-Match or If-None-Match list.
type Tag struct {
	Opaque string
	Weak   bool
}

// ParseTags reads a list of entity tags. Tags may hold commas, so a list cannot be split at them.
func ParseTags(lines []string) (tags []Tag, star, ok bool) {
	s := strings.Trim(strings.Join(lines, ","), " \t")
	if s == "*" {
		return nil, true, true
	}
	for {
		s = strings.TrimLeft(s, " \t,")
		if s == "" {
			return tags, false, len(tags) > 0
		}
		var tag Tag
		if strings.HasPrefix(s, "W/") {
			tag.Weak, s = true, s[2:]
		}
		if s == "" || s[0] != '"' {
			return nil, false, false
		}
		end := strings.IndexByte(s[1:], '"') + 1
		if end == 0 || strings.ContainsFunc(s[1:end], func(r rune) bool { return r < 0x21 || r == 0x7f }) {
			return nil, false, false
		}
		tag.Opaque = s[1:end]
		tags = append(tags, tag)
		s = strings.TrimLeft(s[end+1:], " \t")
		if s != "" && s[0] != ',' {
			return nil, false, false
		}
	}
}

// Unchanged tells whether If-None-Match names the tag, so that a GET may answer 304. What cannot be read is ignored.
func Unchanged(h http.Header, tag string) bool { return Matched(h, tag) != "" }

// Matched is the form of the tag that If-None-Match names: the tag itself, or that of the same view in a content coding which the
// caller still takes. A 304 has to repeat it, because it says which of the stored answers is good. Empty: none is.
func Matched(h http.Header, tag string) string {
	lines, takes := h["If-None-Match"], h["Accept-Encoding"]
	switch {
	case len(lines) == 0:
		return ""
	case len(lines) == 1 && len(takes) == 0 && lines[0] == tag: // nearly everybody else
		return tag
	}
	tags, star, ok := ParseTags(lines)
	if !ok {
		return ""
	}
	if star {
		return tag
	}
	for _, t := range tags {
		end, same := strings.CutPrefix(t.Opaque, tag[1:len(tag)-1])
		if same && takesForm(takes, end) {
			return `"` + t.Opaque + `"`
		}
	}
	return ""
}

// takesForm tells whether the caller takes the form of a view whose tag ends so: with nothing, or with a dot and a coding.
func takesForm(takes []string, end string) bool {
	if end == "" {
		return coding.Takes(takes, coding.Identity)
	}
	return end[0] == '.' && slices.Contains(coding.Names, end[1:]) && coding.Takes(takes, end[1:])
}

// Preconditions are If-Match and If-None-Match of a write, read before the transaction and checked inside it.
type Preconditions struct {
	match, noneMatch []Tag
	matchAny, none   bool
	hasMatch, hasNon bool
}

// ReadPreconditions refuses what it cannot read: taking it for absent would lose updates.
func ReadPreconditions(h http.Header) (p Preconditions, err error) {
	var bad fault.List
	read := func(name string) ([]Tag, bool, bool) {
		lines := h.Values(name)
		if len(lines) == 0 {
			return nil, false, false
		}
		tags, star, ok := ParseTags(lines)
		if !ok {
			bad.Add(fault.New(fault.InvalidHeader, `This takes * or a list of quoted tags, like "7.9f3c".`).On(name))
		}
		return tags, star, true
	}
	p.match, p.matchAny, p.hasMatch = read("If-Match")
	p.noneMatch, p.none, p.hasNon = read("If-None-Match")
	return p, bad.Err()
}

// Check compares with the state of the row just read and locked.
func (p Preconditions) Check(state string) error {
	if p.hasMatch && !p.matchAny {
		found := false
		for _, t := range p.match {
			found = found || !t.Weak && State(t.Opaque) == state
		}
		if !found {
			return fault.New(fault.PreconditionFailed, "It has changed since you read it.").On("If-Match")
		}
	}
	if p.hasNon {
		hit := p.none
		for _, t := range p.noneMatch {
			hit = hit || State(t.Opaque) == state
		}
		if hit {
			return fault.New(fault.PreconditionFailed, "It is the one you did not want to change.").On("If-None-Match")
		}
	}
	return nil
}
