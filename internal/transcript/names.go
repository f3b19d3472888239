package transcript

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rule says which part of a text differs from run to run: the whole match, or its last group where it has groups.
type rule struct {
	kind    string
	find    *regexp.Regexp
	counted bool // numbered by value, so that equal values are seen to be equal
}

// The order matters: what can hold an id or a time comes before ids and times.
var rules = []rule{
	{"request", regexp.MustCompile(`("request_id": ?")([^"]+)`), false},
	{"upload", regexp.MustCompile(`(\bupload_id=)([A-Za-z0-9._~%-]+)`), true},
	{"cursor", regexp.MustCompile(`(\bcursor=)([A-Za-z0-9._~%-]+)`), true},
	{"file", regexp.MustCompile(`\b[0-9a-f]{64}-[0-9a-f]{8}\b`), true},
	{"token", regexp.MustCompile(`\bvbl_[A-Za-z0-9_-]+`), true},
	{"id", regexp.MustCompile(`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), true},
	{"time", regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`), false},
}

// numbered are the placeholders that a request may use only after an answer has shown their value.
var numbered = regexp.MustCompile(`<(?:id|tag|cursor|upload|file|token)-\d+>`)

// tooShort is the length below which a variable is not looked for in answers.
const tooShort = 6

// literal is a known value and the placeholder that stands for it in answers.
type literal struct{ value, placeholder string }

// names knows which placeholder stands for which value in one conversation.
type names struct {
	vars     map[string]string // placeholder to value, as the test gave them
	seen     map[string]string // placeholder to value, as answers showed them
	given    map[string]string // kind and value to placeholder
	count    map[string]int    // kinds to how many were given
	literals []literal
}

func newNames(server Server) *names {
	n := &names{vars: map[string]string{}, seen: map[string]string{}, given: map[string]string{}, count: map[string]int{}}
	base := strings.TrimSuffix(cmp.Or(server.Base, server.URL), "/")
	n.vars["<base>"] = base
	for _, address := range []string{base, strings.TrimSuffix(server.URL, "/")} {
		if address != "" {
			n.literals = append(n.literals, literal{address, "<base>"})
		}
	}
	for name, value := range server.Vars {
		n.vars["<"+name+">"] = value
		if len(value) >= tooShort {
			n.literals = append(n.literals, literal{value, "<" + name + ">"})
		}
	}
	// The longest first, because one value may begin with another; then by name, so that runs are alike.
	slices.SortFunc(n.literals, func(a, b literal) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.placeholder, b.placeholder))
	})
	return n
}

// fill puts real values where a request has placeholders.
func (n *names) fill(text string) (string, error) {
	for placeholder, value := range n.vars {
		text = strings.ReplaceAll(text, placeholder, value)
	}
	var unknown string
	text = numbered.ReplaceAllStringFunc(text, func(placeholder string) string {
		value, ok := n.seen[placeholder]
		if !ok {
			unknown = placeholder
		}
		return value
	})
	if unknown != "" {
		return "", fmt.Errorf("no answer before this one has shown %s", unknown)
	}
	return text, nil
}

// strip puts placeholders where an answer has values that differ from run to run.
func (n *names) strip(text string) string {
	for _, l := range n.literals {
		text = replaceWhole(text, l.value, l.placeholder)
	}
	for _, r := range rules {
		text = r.find.ReplaceAllStringFunc(text, func(match string) string {
			prefix, value := "", match
			if groups := r.find.FindStringSubmatch(match); len(groups) == 3 {
				prefix, value = groups[1], groups[2]
			}
			if !r.counted {
				return prefix + "<" + r.kind + ">"
			}
			return prefix + n.name(r.kind, value)
		})
	}
	return text
}

// name gives the placeholder of a value, a new one if it was not seen before.
func (n *names) name(kind, value string) string {
	key := kind + " " + value
	if placeholder, ok := n.given[key]; ok {
		return placeholder
	}
	n.count[kind]++
	placeholder := "<" + kind + "-" + strconv.Itoa(n.count[kind]) + ">"
	n.given[key], n.seen[placeholder] = placeholder, value
	return placeholder
}

// replaceWhole replaces value where no letter or digit touches it: port 80 is not the start of port 8080.
func replaceWhole(text, value, placeholder string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, value)
		if i < 0 {
			return b.String() + text
		}
		end := i + len(value)
		b.WriteString(text[:i])
		if (i > 0 && isWord(text[i-1]) && isWord(value[0])) || (end < len(text) && isWord(text[end]) && isWord(value[len(value)-1])) {
			b.WriteString(value)
		} else {
			b.WriteString(placeholder)
		}
		text = text[end:]
	}
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
