package transcript

import (
	"fmt"
	"strings"
)

const separator = "###"

// exchange is one request and its answer, as they stand in the file.
type exchange struct {
	line    int    // of the request line, counted from 1
	title   string // the comments before the request, joined
	lead    []string
	request []string // request line, headers, and after a blank line the body
	answer  string   // status line, headers, and after a blank line the body; no newline at the end
}

func (e *exchange) requestLine() string { return e.request[0] }

// parts gives the header lines and the body of the request.
func (e *exchange) parts() (headers []string, body string) {
	for i, line := range e.request {
		if line == "" {
			return e.request[1:i], strings.Join(e.request[i+1:], "\n")
		}
	}
	return e.request[1:], ""
}

// parse reads a transcript. file is for messages only.
func parse(file, text string) ([]*exchange, error) {
	var all []*exchange
	block, first := []string{}, 1
	add := func(next int) error {
		e, err := parseExchange(block, first)
		if err != nil {
			return fmt.Errorf("%s:%w", file, err)
		}
		all = append(all, e)
		block, first = []string{}, next
		return nil
	}
	for i, line := range lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		line = strings.TrimRight(line, " \t")
		if line != separator {
			block = append(block, line)
			continue
		}
		if err := add(i + 2); err != nil {
			return nil, err
		}
	}
	if len(all) > 0 && strings.Join(block, "") == "" {
		return all, nil // a separator after the last exchange
	}
	err := add(0)
	return all, err
}

func parseExchange(block []string, first int) (*exchange, error) {
	e := &exchange{}
	start := 0
	var title []string
	for start < len(block) && (block[start] == "" || strings.HasPrefix(block[start], "#")) {
		if words := strings.TrimSpace(strings.TrimLeft(block[start], "#")); words != "" {
			title = append(title, words)
		}
		start++
	}
	e.title, e.lead, e.line = strings.Join(title, " "), block[:start], first+start
	if start == len(block) {
		return nil, fmt.Errorf("%d: there is no request here", first)
	}
	if method, target, ok := strings.Cut(block[start], " "); !ok || method != strings.ToUpper(method) || !validTarget(target) {
		return nil, fmt.Errorf("%d: a request starts with a line like \"GET /path\", not %q", e.line, block[start])
	}
	end := start
	for end < len(block) && !strings.HasPrefix(block[end], "HTTP/1.1 ") {
		end++
	}
	e.request = lines(strings.Join(block[start:end], "\n"))
	e.answer = strings.TrimRight(strings.Join(block[end:], "\n"), "\n")
	return e, nil
}

func validTarget(target string) bool {
	return (strings.HasPrefix(target, "/") || strings.HasPrefix(target, "<base>")) && !strings.ContainsAny(target, " \t")
}

// format writes exchanges the way parse reads them.
func format(all []*exchange) string {
	var b strings.Builder
	for i, e := range all {
		if i > 0 {
			b.WriteString("\n" + separator + "\n")
		}
		for _, line := range e.lead {
			b.WriteString(line + "\n")
		}
		b.WriteString(strings.Join(e.request, "\n") + "\n")
		if e.answer != "" {
			b.WriteString("\n" + e.answer + "\n")
		}
	}
	return b.String()
}
