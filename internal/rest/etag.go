package rest

import (
	"encoding/base64"
	"hash"
	"net/http"
	"strings"

	"verbless/internal/fault"
)

// keyed makes a short tag of the parts that nobody without the secret can make or read.
func (a *API) keyed(size int, parts ...string) string { return a.keyedBody(size, nil, parts...) }

// keyedBody makes a tag of a body, too.
func (a *API) keyedBody(size int, body []byte, parts ...string) string {
	mac := a.macs.Get().(hash.Hash)
	defer a.macs.Put(mac)
	mac.Reset()
	mac.Write(body)
	text := make([]byte, 0, 256) // one write instead of many; most fit without growing
	for _, part := range parts {
		text = append(append(text, part...), 0)
	}
	mac.Write(text)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(text[:0])[:size])
}

// An ETag is "state.view". The state stands for what is stored, the view for how it is shown.
func etag(state, view string) string { return `"` + state + "." + view + `"` }

// tagState is the part of a tag before the dot.
func tagState(opaque string) string { state, _, _ := strings.Cut(opaque, "."); return state }

// entityTag is one tag of an If-Match or If-None-Match list.
type entityTag struct {
	opaque string
	weak   bool
}

// parseTags reads a list of entity tags. Tags may hold commas, so a list cannot be split at them.
func parseTags(lines []string) (tags []entityTag, star, ok bool) {
	s := strings.Trim(strings.Join(lines, ","), " \t")
	if s == "*" {
		return nil, true, true
	}
	for {
		s = strings.TrimLeft(s, " \t,")
		if s == "" {
			return tags, false, len(tags) > 0
		}
		var tag entityTag
		if strings.HasPrefix(s, "W/") {
			tag.weak, s = true, s[2:]
		}
		if s == "" || s[0] != '"' {
			return nil, false, false
		}
		end := strings.IndexByte(s[1:], '"') + 1
		if end == 0 || strings.ContainsFunc(s[1:end], func(r rune) bool { return r < 0x21 || r == 0x7f }) {
			return nil, false, false
		}
		tag.opaque = s[1:end]
		tags = append(tags, tag)
		s = strings.TrimLeft(s[end+1:], " \t")
		if s != "" && s[0] != ',' {
			return nil, false, false
		}
	}
}

// unchanged tells whether If-None-Match names the tag, so that a GET may answer 304. What cannot be read is ignored.
func unchanged(h http.Header, tag string) bool {
	lines := h.Values("If-None-Match")
	if len(lines) == 0 {
		return false
	}
	tags, star, ok := parseTags(lines)
	if !ok {
		return false
	}
	if star {
		return true
	}
	for _, t := range tags {
		if `"`+t.opaque+`"` == tag {
			return true
		}
	}
	return false
}

// preconditions are If-Match and If-None-Match of a write, read before the transaction and checked inside it.
type preconditions struct {
	match, noneMatch []entityTag
	matchAny, none   bool
	hasMatch, hasNon bool
}

// readPreconditions refuses what it cannot read: taking it for absent would lose updates.
func readPreconditions(h http.Header) (p preconditions, err error) {
	var bad fault.List
	read := func(name string) ([]entityTag, bool, bool) {
		lines := h.Values(name)
		if len(lines) == 0 {
			return nil, false, false
		}
		tags, star, ok := parseTags(lines)
		if !ok {
			bad.Add(fault.New(fault.InvalidHeader, `This takes * or a list of quoted tags, like "7.9f3c".`).On(name))
		}
		return tags, star, true
	}
	p.match, p.matchAny, p.hasMatch = read("If-Match")
	p.noneMatch, p.none, p.hasNon = read("If-None-Match")
	return p, bad.Err()
}

// check compares with the state of the row just read and locked.
func (p preconditions) check(state string) error {
	if p.hasMatch && !p.matchAny {
		found := false
		for _, t := range p.match {
			found = found || !t.weak && tagState(t.opaque) == state
		}
		if !found {
			return fault.New(fault.PreconditionFailed, "It has changed since you read it.").On("If-Match")
		}
	}
	if p.hasNon {
		hit := p.none
		for _, t := range p.noneMatch {
			hit = hit || tagState(t.opaque) == state
		}
		if hit {
			return fault.New(fault.PreconditionFailed, "It is the one you did not want to change.").On("If-None-Match")
		}
	}
	return nil
}
