package transcript

import (
	"fmt"
	"net/http"
	"net/textproto"
	"os"
	"strconv"
	"strings"
)

// Exchange is one request and its answer, as they stand in a transcript.
type Exchange struct {
	Title          string
	Method, Target string
	Header         http.Header
	Body           string
	Status         int
	AnswerHeader   http.Header
	Answer         string // body
}

// Read gives the exchanges of a transcript, placeholders and all.
func Read(file string) ([]Exchange, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parsed, err := parse(file, string(text))
	if err != nil {
		return nil, err
	}
	all := make([]Exchange, len(parsed))
	for i, e := range parsed {
		x := Exchange{Title: e.title}
		x.Method, x.Target, _ = strings.Cut(e.requestLine(), " ")
		var headers []string
		headers, x.Body = e.parts()
		x.Header = headerOf(headers)
		head, body, _ := strings.Cut(e.answer, "\n\n")
		status, rest, _ := strings.Cut(head, "\n")
		words := strings.Fields(status)
		if len(words) < 2 {
			return nil, fmt.Errorf("%s:%d: there is no answer", file, e.line)
		}
		if x.Status, err = strconv.Atoi(words[1]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, e.line, err)
		}
		x.AnswerHeader, x.Answer = headerOf(lines(rest)), body
		all[i] = x
	}
	return all, nil
}

func headerOf(lines []string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		h.Add(textproto.TrimString(name), textproto.TrimString(value))
	}
	return h
}
