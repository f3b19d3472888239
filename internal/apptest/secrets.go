package apptest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"verbless/internal/trace/tracetest"
)

// eavesdropper keeps what the service tells of itself, in its log and in traces, and knows what neither may hold. So every test that
// talks to a service also looks for secrets in both.
type eavesdropper struct {
	t      testing.TB
	traces *tracetest.Collector

	mu      sync.Mutex
	log     bytes.Buffer
	secrets map[string]string // to what they are
}

func eavesdrop(t testing.TB) *eavesdropper {
	e := &eavesdropper{t: t, traces: tracetest.Start(t), secrets: map[string]string{}}
	t.Cleanup(e.judge) // after the service has ended: it was opened later
	return e
}

// Write takes a line of the log. It shows errors in the test's own output; other lines would drown it.
func (e *eavesdropper) Write(line []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if bytes.Contains(line, []byte("level=ERROR")) {
		e.t.Logf("%s", bytes.TrimSpace(line))
	}
	return e.log.Write(line)
}

// inAnswers are secrets that the service makes: tokens, and the addresses that stand for a right.
var inAnswers = regexp.MustCompile(`vbl_[A-Za-z0-9_-]{8,}|upload_id=[A-Za-z0-9._~%-]{8,}|cursor=[A-Za-z0-9._~%-]{8,}`)

// ourWords are names of members and relations, ids, and what is too short to be anything else; our paths hold those, too.
var ourWords = regexp.MustCompile(`^([a-z_.,]*|[0-9a-f-]{36}|.{1,10})$`)

// learn takes in what a request and its answer hold that is nobody else's business.
func (e *eavesdropper) learn(r *http.Request, body []byte, response *http.Response, answer []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.add(r.Header.Get("Authorization"), "an Authorization header")
	if _, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok {
		e.add(token, "a token")
	}
	e.add(r.Header.Get("Idempotency-Key"), "an Idempotency-Key")
	for _, values := range r.URL.Query() {
		for _, value := range values {
			if !ourWords.MatchString(value) {
				e.add(value, "a value of a query")
			}
		}
	}
	const most = 64 << 10
	var doc any
	if len(body) < most && json.Unmarshal(body, &doc) == nil {
		e.addText("", doc)
	}
	for _, text := range []string{response.Header.Get("Location"), response.Header.Get("Link"), string(answer[:min(len(answer), most)])} {
		for _, found := range inAnswers.FindAllString(text, -1) {
			_, value, ok := strings.Cut(found, "=")
			if !ok {
				value = found
			}
			e.add(value, "a secret of an answer")
		}
	}
}

// addText takes in what people wrote into a body: what has spaces, addresses of mail, and whatever is called a token.
func (e *eavesdropper) addText(name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			e.addText(name, inner)
		}
	case []any:
		for _, inner := range v {
			e.addText(name, inner)
		}
	case string:
		if strings.Contains(v, " ") || strings.Contains(v, "@") || strings.Contains(name, "token") {
			e.add(v, "the member "+name+" of a body")
		}
	}
}

func (e *eavesdropper) add(secret, what string) {
	if len(secret) >= 6 {
		e.secrets[secret] = what
	}
}

// judge fails the test when something was told that should not have been.
func (e *eavesdropper) judge() {
	e.mu.Lock()
	defer e.mu.Unlock()
	log, traces := e.log.String(), string(e.traces.Bytes())
	for secret, what := range e.secrets {
		if at := strings.Index(log, secret); at >= 0 {
			e.t.Errorf("%s is in the log: %s", what, log[max(0, at-300):min(len(log), at+len(secret)+20)])
		}
		if strings.Contains(traces, secret) {
			e.t.Errorf("%s is in a trace: %q", what, secret)
		}
	}
	for _, word := range []string{"Bearer ", "Authorization:", "upload_id="} {
		if strings.Contains(log, word) || strings.Contains(traces, word) {
			e.t.Errorf("%q was told", word)
		}
	}
}
