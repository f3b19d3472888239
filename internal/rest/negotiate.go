package rest

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"verbless/internal/fault"
)

const (
	jsonType       = "application/json"
	mergePatchType = "application/merge-patch+json"
	jsonPatchType  = "application/json-patch+json"
)

// versionType is the media type that picks a version of a resource.
func versionType(version int) string {
	return "application/vnd.verbless+v" + strconv.Itoa(version) + "+json"
}

// negotiate picks the media type of the answer and checks that of the body.
func (c *Call) negotiate() error {
	if err := c.negotiateAnswer(); err != nil || len(c.op.Takes) == 0 {
		return err
	}
	if enc := c.Request.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return fault.New(fault.UnsupportedMediaType, "Bodies are taken as they are, without Content-Encoding.").On("Content-Encoding").
			With(headerPrefix+"Accept-Encoding", "identity")
	}
	if c.BodyType() == "" {
		return fault.New(fault.UnsupportedMediaType, "The body must be one of: %s.", strings.Join(c.op.Takes, ", ")).On("Content-Type")
	}
	return nil
}

func (c *Call) negotiateAnswer() error {
	accept := c.Request.Header["Accept"]
	if c.op.Offers == nil && (len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == jsonType)) {
		c.mediaType = jsonType // nearly everybody
		return nil
	}
	offers := c.op.Offers
	if offers == nil {
		offers = []string{jsonType, versionType(max(c.route.version, 1))}
	}
	picked, ok := pick(accept, offers)
	if !ok {
		return fault.New(fault.NotAcceptable, "This can be had as: %s.", strings.Join(offers, ", ")).With("available", offers)
	}
	c.mediaType = picked
	return nil
}

// BodyType is which of the types that the operation takes the body has; a versioned type counts as plain JSON.
func (c *Call) BodyType() string {
	mediaType, params, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	if mediaType == versionType(max(c.route.version, 1)) {
		mediaType = jsonType
	}
	if !slices.Contains(c.op.Takes, mediaType) {
		return ""
	}
	return mediaType
}

// pick chooses among offers, the first being the one we like best (RFC 9110, 12.5.1).
func pick(lines []string, offers []string) (string, bool) {
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

// preferences are the parts of Prefer (RFC 7240) that we honour.
type preferences struct {
	minimal bool
	count   bool
}

// readPrefer takes the first mention of each preference and ignores those it does not know.
func readPrefer(h http.Header) preferences {
	var p preferences
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
		p.minimal = p.minimal || name == "return" && value == "minimal"
		p.count = p.count || name == "count" && value == "exact"
	}
	return p
}
