package db

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"verbless/internal/stamp"
)

// placeholders turns ? into $1, $2, …, once per text.
type placeholders struct {
	mu    sync.RWMutex
	known map[string]string
}

const textsKept = 2048

func (p *placeholders) numbered(text string) string {
	p.mu.RLock()
	out, ok := p.known[text]
	p.mu.RUnlock()
	if ok {
		return out
	}
	out = number(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) >= textsKept {
		p.known = map[string]string{}
	}
	p.known[text] = out
	return out
}

// number leaves alone what stands in quotes or in a comment.
func number(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 16)
	n := 0
	for i := 0; i < len(text); {
		end := i + 1
		switch rest := text[i:]; {
		case rest[0] == '?':
			n++
			b.WriteString("$" + strconv.Itoa(n))
			i = end
			continue
		case rest[0] == '\'' || rest[0] == '"': // a doubled quote is two quoted parts side by side
			end = i + through(rest, 1, rest[:1])
		case strings.HasPrefix(rest, "--"):
			end = i + through(rest, 2, "\n")
		case strings.HasPrefix(rest, "/*"):
			end = i + through(rest, 2, "*/")
		}
		b.WriteString(text[i:end])
		i = end
	}
	return b.String()
}

// through is the length of s up to and with the next mark after from.
func through(s string, from int, mark string) int {
	if at := strings.Index(s[from:], mark); at >= 0 {
		return from + at + len(mark)
	}
	return len(s)
}

// Marks writes the placeholders of a list, and repeats its last value up to a power of two, so that few texts have to be
// prepared. An empty list holds NULL, which nothing is equal to.
func Marks(values []any) (string, []any) {
	if len(values) == 0 {
		return "NULL", nil
	}
	n := 1
	for n < len(values) {
		n *= 2
	}
	padded := make([]any, n)
	for i := range padded {
		padded[i] = values[min(i, len(values)-1)]
	}
	return "?" + strings.Repeat(",?", n-1), padded
}

// bind brings arguments into the form in which both engines hold them: times as microseconds, bytes as text.
func bind(args []any) []any {
	for i, arg := range args {
		switch arg.(type) {
		case time.Time, *time.Time, json.RawMessage, []byte:
			bound := slices.Clone(args)
			for j := i; j < len(bound); j++ {
				bound[j] = Plain(bound[j])
			}
			return bound
		}
	}
	return args
}

// text is NULL for nil.
func text(b []byte) any {
	if b == nil {
		return nil
	}
	return string(b)
}

// Plain brings a value into the form in which columns hold it.
func Plain(v any) any {
	switch v := v.(type) {
	case []byte:
		return text(v)
	case json.RawMessage:
		return text(v)
	case time.Time:
		return stamp.Micros(v)
	case *time.Time:
		if v == nil {
			return nil
		}
		return stamp.Micros(*v)
	case int:
		return int64(v)
	}
	return v
}
