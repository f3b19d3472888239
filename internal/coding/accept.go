package coding

import (
	"strconv"
	"strings"
)

// Names are the content codings that answers can have, the one we like best first. Identity is none at all.
var Names = []string{"zstd", "gzip"}

// Identity is an answer as it is.
const Identity = "identity"

// codings is what an Accept-Encoding says of each coding that we know: its weight, negative when it is not mentioned.
type codings struct{ zstd, gzip, identity, other float64 }

func readCodings(lines []string) codings {
	c := codings{-1, -1, -1, -1}
	for _, line := range lines {
		for line != "" {
			var part string
			part, line, _ = strings.Cut(line, ",")
			name, params, _ := strings.Cut(part, ";")
			weight := weightOf(params)
			switch name = strings.Trim(name, " \t"); {
			case strings.EqualFold(name, "zstd"):
				c.zstd = weight
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"): // the same, says RFC 9110, 8.4.1.3
				c.gzip = weight
			case strings.EqualFold(name, Identity):
				c.identity = weight
			case name == "*":
				c.other = weight
			}
		}
	}
	return c
}

// weightOf reads ;q=; what cannot be read is 0, so that nobody gets what they may not understand.
func weightOf(params string) float64 {
	for params != "" {
		var param string
		param, params, _ = strings.Cut(params, ";")
		name, value, _ := strings.Cut(strings.Trim(param, " \t"), "=")
		if !strings.EqualFold(name, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || q < 0 || q > 1 || len(value) > 5 {
			return 0
		}
		return q
	}
	return 1
}

// of is the weight of one coding. What is not mentioned is what * says; without it a coding is refused, and identity is taken
// when nothing better is.
func (c codings) of(name string) float64 {
	own := c.identity
	switch name {
	case "zstd":
		own = c.zstd
	case "gzip":
		own = c.gzip
	}
	switch {
	case own >= 0:
		return own
	case c.other >= 0 && (name != Identity || c.other == 0):
		return c.other
	case name == Identity:
		return least
	}
	return 0
}

// least is the weight of identity when nobody speaks of it (RFC 9110, 12.5.3): taken, but every coding that is named is better.
const least = 0.0001

// Choice is the coding of an answer. The zero Choice is none.
type Choice struct {
	name string
	must bool // identity is refused
}

// Pick chooses by Accept-Encoding; ok is false when nothing that we have is taken. Without the header nothing is coded.
func Pick(lines []string) (choice Choice, ok bool) {
	if len(lines) == 0 {
		return Choice{}, true
	}
	c := readCodings(lines)
	name, best := Identity, c.of(Identity)
	must := best == 0
	for _, offer := range Names {
		if q := c.of(offer); q > best || q == best && name == Identity && q > 0 {
			name, best = offer, q
		}
	}
	return Choice{name, must}, best > 0
}

// smallest is the least body that is compressed: a shorter one fits into one packet anyway.
const smallest = 1400

// For is the coding of a body of that type and length, empty when it goes as it is: short ones, unless that is refused, and what
// is compressed already.
func (c Choice) For(mediaType string, length int) string {
	if c.name == "" || c.name == Identity || length == 0 || length < smallest && !c.must || !strings.HasSuffix(mediaType, "json") && !strings.HasPrefix(mediaType, "text/") {
		return ""
	}
	return c.name
}

// Takes tells whether a stored answer in that coding is still good for who sends this Accept-Encoding. Without the header
// every coding is.
func Takes(lines []string, coding string) bool {
	return len(lines) == 0 || readCodings(lines).of(coding) > 0
}

// Tag is the entity tag of the same view in a coding: its bytes differ, so a strong tag has to.
func Tag(tag, coding string) string {
	if coding == Identity || len(tag) < 2 {
		return tag
	}
	return tag[:len(tag)-1] + "." + coding + `"`
}
