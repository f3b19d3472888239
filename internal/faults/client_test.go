//go:build linux

package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// answer is a complete answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// text is a member of the body that is a string.
func (a answer) text(name string) string {
	var doc map[string]any
	json.Unmarshal(a.body, &doc)
	text, _ := doc[name].(string)
	return text
}

func (a answer) String() string {
	return fmt.Sprintf("%d %s", a.status, strings.TrimSpace(string(a.body)))
}

// newClient makes a client with connections of its own.
func newClient() *http.Client {
	return &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
}

// send makes one request, once: what is retried in silence cannot be accounted for. Headers are "Name: value".
func send(client *http.Client, url, token, call, body string, headers ...string) (answer, error) {
	method, path, _ := strings.Cut(call, " ")
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r, err := http.NewRequest(method, url+path, content)
	if err != nil {
		return answer{}, err
	}
	r.GetBody = nil // else a lost request with an Idempotency-Key is sent again by the transport
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	response, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, got}, err
}

// call is send for tests that expect an answer.
func (s *server) call(t testing.TB, token, call, body string, headers ...string) answer {
	t.Helper()
	a, err := send(newClient(), s.url, token, call, body, append(headers, "Connection: close")...)
	if err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	return a
}

// want is call that insists on a status.
func (s *server) want(t testing.TB, status int, call, body string, headers ...string) answer {
	t.Helper()
	a := s.call(t, s.token, call, body, headers...)
	if a.status != status {
		t.Fatalf("%s: %s, want %d", call, a, status)
	}
	return a
}

// problem reads an error answer, and fails unless it is as documented. It gives the code.
func problem(a answer) (string, error) {
	var doc struct {
		Type, Title, Code, Message string
		Status                     int
		RequestID                  string `json:"request_id"`
	}
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		return "", fmt.Errorf("the type of a %d is %q", a.status, kind)
	}
	if err := json.Unmarshal(a.body, &doc); err != nil {
		return "", fmt.Errorf("the body of a %d: %w: %s", a.status, err, a.body)
	}
	if doc.Status != a.status || doc.Type == "" || doc.Title == "" || doc.Code == "" || doc.Message == "" || doc.RequestID == "" {
		return "", fmt.Errorf("the body of a %d is no whole problem: %s", a.status, a.body)
	}
	if a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") == "" {
		return "", fmt.Errorf("a 503 without Retry-After: %s", a.body)
	}
	return doc.Code, nil
}

// outcome is what a client may conclude from an answer, or from none.
type outcome int

const (
	acked   outcome = iota // it is kept
	refused                // it is not kept: 503 and a code that says so
	unknown                // nobody can tell
	unsent                 // there was not even a connection
	wrong                  // an answer that may not be
)

// judge says what an answer means. ok lists the statuses that acknowledge.
func judge(a answer, err error, ok ...int) (outcome, string) {
	var dial *net.OpError
	switch {
	case errors.Is(err, errAway), errors.As(err, &dial) && dial.Op == "dial":
		return unsent, ""
	case err != nil:
		return unknown, ""
	case slices.Contains(ok, a.status):
		return acked, ""
	case a.status != http.StatusServiceUnavailable:
		return wrong, a.String()
	}
	code, err := problem(a)
	switch {
	case err != nil:
		return wrong, err.Error()
	case code == "outcome_unknown":
		return unknown, code
	case code == "unavailable" || code == "storage_full":
		return refused, code
	}
	return wrong, a.String()
}

// pause is how long a client waits before it asks a server again that is not there.
const pause = 30 * time.Millisecond
