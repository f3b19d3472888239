package transcript

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long one answer may take: long enough for a loaded machine, short enough to name the culprit.
const patience = 60 * time.Second

// conversation is one replay: a connection, and what was seen so far.
type conversation struct {
	file      string
	server    Server
	names     *names
	transport http.Transport
}

// exchange sends one request and gives the answer as the file would have it.
func (c *conversation) exchange(t testing.TB, e *exchange) (string, error) {
	at := fmt.Sprintf("%s:%d: %s", c.file, e.line, e.requestLine())
	request, err := c.request(e)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// Neither redirects nor compression: the answer as it comes is what the file shows.
	c.transport.DisableCompression = true
	response, err := c.transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return "", fmt.Errorf("%s: the answer broke off: %w", at, err)
	}
	if c.server.Check != nil {
		if request.GetBody != nil {
			request.Body, _ = request.GetBody() // of a bytes.Reader, which cannot fail
		}
		response.Body = io.NopCloser(bytes.NewReader(body))
		c.server.Check(t, request, response, body)
	}
	return c.names.render(response, body), nil
}

// request builds what the exchange says, with real values for its placeholders.
func (c *conversation) request(e *exchange) (*http.Request, error) {
	method, target, _ := strings.Cut(e.requestLine(), " ")
	// A link is followed at the address that listens, whatever address it was built from.
	target, err := c.names.fill(strings.TrimPrefix(target, "<base>"))
	if err != nil {
		return nil, err
	}
	headers, text := e.parts()
	body, err := c.body(text)
	if err != nil {
		return nil, err
	}
	var reader io.Reader
	if len(body) > 0 {
		reader = bytes.NewReader(body)
	}
	request, err := http.NewRequest(method, strings.TrimSuffix(c.server.URL, "/")+target, reader)
	if err != nil {
		return nil, err
	}
	for _, line := range headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%q is not a header", line)
		}
		if value, err = c.names.fill(strings.TrimSpace(value)); err != nil {
			return nil, err
		}
		if err := setHeader(request, name, value); err != nil {
			return nil, err
		}
	}
	return request, nil
}

func (c *conversation) body(text string) ([]byte, error) {
	if name, ok := strings.CutPrefix(text, "< "); ok && !strings.Contains(text, "\n") {
		return os.ReadFile(filepath.Join(filepath.Dir(c.file), name))
	}
	text, err := c.names.fill(text)
	return []byte(text), err
}

// setHeader knows the headers that the client does not take from its header map.
func setHeader(request *http.Request, name, value string) error {
	switch http.CanonicalHeaderKey(name) {
	case "Host":
		request.Host = value
	case "Content-Length":
		if value != strconv.FormatInt(request.ContentLength, 10) {
			return fmt.Errorf("Content-Length says %s, but the body has %d bytes", value, request.ContentLength)
		}
	case "Transfer-Encoding":
		if value != "chunked" || request.Body == nil {
			return fmt.Errorf("Transfer-Encoding can only be chunked, and needs a body")
		}
		request.ContentLength = -1
	default:
		request.Header.Add(name, value)
	}
	return nil
}
