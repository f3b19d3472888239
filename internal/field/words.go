package field

import (
	"math"
	"net/mail"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"verbless/internal/fault"
)

// words are the tags of one field: JSON Schema's own words, and api for what it has no word for.
type words struct {
	field reflect.StructField
}

// known is every word a field may use. Go cannot list a tag's keys, so they are read from its text.
var known = []string{"json", "also", "partial", "db", "api", "link", "doc", "required", "readOnly", "default", "examples",
	"minLength", "maxLength", "pattern", "enum", "format", "minimum", "maximum", "maxItems", "uniqueItems", "maxBytes"}

var tagKey = regexp.MustCompile(`(?:^|\s)([A-Za-z]+):"`)

func newWords(f reflect.StructField) words {
	for _, match := range tagKey.FindAllStringSubmatch(string(f.Tag), -1) {
		if !slices.Contains(known, match[1]) {
			panic("field: unknown word " + match[1] + " on field " + f.Name)
		}
	}
	return words{f}
}

func (w words) text(name string) string { return w.field.Tag.Get(name) }

func (w words) flag(name string) bool {
	text, given := w.field.Tag.Lookup(name)
	if given && text != "true" {
		panic("field: " + name + " of field " + w.field.Name + " can only be true, or left out")
	}
	return given
}

func (w words) integer(name string, without int64) int64 {
	text := w.text(name)
	if text == "" {
		return without
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic("field: " + name + " of field " + w.field.Name + " is not a whole number")
	}
	return n
}

// api lists the words that JSON Schema has none for.
func (w words) api() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Split(w.text("api"), ",") {
		switch word {
		case "":
		case "sort", "filter", "private", "owner", "parent", "id":
			set[word] = true
		default:
			panic("field: unknown api word " + word + " on field " + w.field.Name)
		}
	}
	return set
}

// stringRules is what a string may be. The schema and the check come from the same values.
type stringRules struct {
	low, high int64
	pattern   *regexp.Regexp
	enum      []string
	format    string
}

func newStringRules(tag words) stringRules {
	r := stringRules{low: tag.integer("minLength", 0), high: tag.integer("maxLength", math.MaxInt64), format: tag.text("format")}
	if p := tag.text("pattern"); p != "" {
		r.pattern = regexp.MustCompile(p)
	}
	if e := tag.text("enum"); e != "" {
		r.enum = strings.Split(e, ",")
	}
	if !slices.Contains([]string{"", "email", "uri", "date"}, r.format) {
		panic("field: unknown format " + r.format)
	}
	return r
}

func (r stringRules) check(s string) *fault.Fault {
	n := runes(s)
	switch {
	case len(r.enum) > 0 && !slices.Contains(r.enum, s):
		return fault.New(fault.NotAllowedValue, "This must be one of: %s.", strings.Join(r.enum, ", "))
	case n < r.low || n > r.high:
		if r.high == math.MaxInt64 {
			return fault.New(fault.OutOfRange, "This must have at least %d characters; it has %d.", r.low, n)
		}
		return fault.New(fault.OutOfRange, "This must have %d to %d characters; it has %d.", r.low, r.high, n)
	case strings.ContainsRune(s, 0):
		return fault.New(fault.BadFormat, "This may not hold a NUL character.")
	case r.pattern != nil && !r.pattern.MatchString(s):
		return fault.New(fault.BadFormat, "This must match %s.", r.pattern)
	case r.format == "email" && !isEmail(s):
		return fault.New(fault.BadFormat, "This must be an email address.")
	case r.format == "date" && !isDate(s):
		return fault.New(fault.BadFormat, "This must be a date like 2026-01-31.")
	case r.format == "uri" && !isURI(s):
		return fault.New(fault.BadFormat, "This must be an absolute address, like https://example.com/a.")
	}
	return nil
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}

func isDate(s string) bool {
	t, err := time.Parse(time.DateOnly, s)
	return err == nil && t.Year() > 0
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs()
}

func (r stringRules) schema() map[string]any {
	m := map[string]any{"type": "string"}
	if r.low > 0 {
		m["minLength"] = r.low
	}
	if r.high != math.MaxInt64 {
		m["maxLength"] = r.high
	}
	if r.pattern != nil {
		m["pattern"] = r.pattern.String()
	}
	if len(r.enum) > 0 {
		m["enum"] = r.enum
	}
	if r.format != "" {
		m["format"] = r.format
	}
	return m
}

func cloneMap(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}
