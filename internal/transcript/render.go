package transcript

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ignored headers say nothing about the service's behaviour, or differ with the weather.
var ignored = map[string]bool{
	"Connection":     true,
	"Content-Length": true,
	"Date":           true,
	"Keep-Alive":     true,
	"Ratelimit":      true, // counts down with the clock
	"X-Request-Id":   true,
}

// spelling is how the standards write names that Go writes otherwise.
var spelling = map[string]string{
	"Etag":             "ETag",
	"Ratelimit-Policy": "RateLimit-Policy",
	"Www-Authenticate": "WWW-Authenticate",
}

var etag = regexp.MustCompile(`^(W/)?"([^"]*)"$`)

// render writes an answer as a transcript shows it: headers sorted by name, JSON indented in its own order.
func (n *names) render(response *http.Response, body []byte) string {
	out := []string{strings.TrimSpace("HTTP/1.1 " + strconv.Itoa(response.StatusCode) + " " + http.StatusText(response.StatusCode))}
	for _, name := range slices.SortedFunc(maps.Keys(response.Header), compareFold) {
		for _, value := range response.Header[name] {
			if !ignored[name] {
				out = append(out, strings.TrimSpace(cmp.Or(spelling[name], name)+": "+n.header(name, value)))
			}
		}
	}
	if text := n.body(response, body); text != "" {
		out = append(out, "", text)
	}
	return strings.Join(out, "\n")
}

func (n *names) header(name, value string) string {
	switch name {
	case "Etag":
		if parts := etag.FindStringSubmatch(value); parts != nil {
			return parts[1] + `"` + n.name("tag", parts[2]) + `"`
		}
	case "Last-Modified":
		return "<date>"
	}
	return n.strip(value)
}

func (n *names) body(response *http.Response, body []byte) string {
	if isJSON(response.Header.Get("Content-Type")) {
		var b bytes.Buffer
		if json.Indent(&b, body, "", "  ") == nil {
			body = b.Bytes()
		}
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return fmt.Sprintf("<%d bytes, sha256 %x>", len(body), sha256.Sum256(body))
	}
	text := string(body)
	if id := response.Header.Get("X-Request-Id"); id != "" {
		text = replaceWhole(text, id, "<request>")
	}
	// The file is read without trailing blanks and with plain newlines, so that editors cannot break it.
	all := strings.Split(strings.ReplaceAll(n.strip(text), "\r\n", "\n"), "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " \t")
		if all[i] == separator {
			all[i] = `\` + separator
		}
	}
	return strings.TrimRight(strings.Join(all, "\n"), "\n")
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

func compareFold(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) }
