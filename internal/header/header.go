// Package header reads the request headers that choose between answers: Accept, Prefer, and entity tags.
//
// It only reads: what an answer depends on, and what a tag stands for, the conventions in package rest say.
package header

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Pick chooses among offers, the first being the one we like best (RFC 9110, 12.5.1).
func Pick(lines []string, offers []string) (string, bool) {
	accept := strings.TrimSpace(strings.Join(lines, ","))
	if accept == "" || accept == "*/*" {
		return offers[0], true
	}
	best, bestQuality := "", 0.0
	for _, offer := range offers {
		if q := quality(accept, offer); q > bestQuality {
			best, bestQuality = offer, q
		}
	}
	return best, best != ""
}

// quality is the weight that the most specific matching range gives an offer.
func quality(accept, offer string) float64 {
	weight, specific := 0.0, -1
	major, _, _ := strings.Cut(offer, "/")
	for _, part := range elements(accept) {
		mediaRange, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		rank := -1
		switch mediaRange {
		case offer:
			rank = 2
		case major + "/*":
			rank = 1
		case "*/*":
			rank = 0
		}
		if rank <= specific {
			continue
		}
		specific, weight = rank, 1
		if q, given := params["q"]; given {
			if weight, err = strconv.ParseFloat(q, 64); err != nil || weight < 0 || weight > 1 {
				weight = 0
			}
		}
	}
	return weight
}

// elements parts a header's list at its commas, but not at those inside quotes.
func elements(list string) []string {
	quoted := false
	return strings.FieldsFunc(list, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ',' && !quoted
	})
}

// Preferences are the parts of Prefer (RFC 7240) that we honour.
type Preferences struct {
	Minimal bool // return=minimal
	Count   bool // count=exact
}

// ReadPrefer takes the first mention of each preference and ignores those it does not know.
func ReadPrefer(h http.Header) Preferences {
	var p Preferences
	if len(h["Prefer"]) == 0 {
		return p
	}
	seen := map[string]bool{}
	for _, part := range elements(strings.Join(h.Values("Prefer"), ",")) {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		name = strings.ToLower(strings.TrimSpace(name))
		value, _, _ = strings.Cut(value, ";")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		if seen[name] {
			continue
		}
		seen[name] = true
		p.Minimal = p.Minimal || name == "return" && value == "minimal"
		p.Count = p.Count || name == "count" && value == "exact"
	}
	return p
}
