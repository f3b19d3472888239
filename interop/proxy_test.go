package interop

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// The kinds of requests that clients send.
const (
	begins = "begin" // what is said of a file, or all of it
	sends  = "send"  // bytes, to the address that was answered with
	asks   = "ask"   // how many are here, and are those all
	other  = "other"
)

// moment is the nth request of a kind, from 1.
type moment struct {
	kind string
	n    int
}

// plan is what goes wrong, and when.
type plan map[moment]fault

// fault is what happens to a request instead of being passed on.
type fault func(p *proxy, r *http.Request) (*http.Response, error)

// proxy stands between a client and the service. It maps the paths that the clients know to /uploads, and breaks what the plan
// says; nothing else is changed.
type proxy struct {
	*httptest.Server
	to *url.URL

	mu     sync.Mutex
	plan   plan
	count  map[string]int
	trace  []string
	failed []error  // where the proxy could not do what was planned
	given  sync.Map // addresses that were answered with
}

// known are the paths of the services that the clients were made for.
var known = regexp.MustCompile(`^/upload/(youtube/v3/videos|storage/v1/b/[^/]+/o)$`)

func newProxy(t testing.TB, at plan) *proxy {
	p := &proxy{plan: plan{}, count: map[string]int{}}
	for when, what := range at {
		p.plan[when] = what
	}
	p.Server = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(p.to)
			if known.MatchString(r.Out.URL.Path) {
				r.Out.URL.Path = "/uploads"
			}
		},
		Transport:    p,
		ErrorHandler: broken,
		ErrorLog:     log.New(io.Discard, "", 0),
	})
	t.Cleanup(func() {
		p.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		for when := range p.plan {
			t.Errorf("nothing went wrong at %s %d: there was no such request", when.kind, when.n)
		}
		if err := errors.Join(p.failed...); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("what the proxy saw:\n%s", strings.Join(p.trace, "\n"))
		}
	})
	return p
}

func (p *proxy) target(address string) {
	to, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	p.to = to
}

// RoundTrip passes a request on, unless the plan has something for it.
func (p *proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	now := moment{kind: kindOf(r)}
	p.mu.Lock()
	p.count[now.kind]++
	now.n = p.count[now.kind]
	what, planned := p.plan[now]
	delete(p.plan, now)
	p.mu.Unlock()
	if !planned {
		what = pass
	}
	answer, err := what(p, r)
	told := fmt.Sprint(err)
	if err == nil {
		told = answer.Status + " " + answer.Header.Get("X-Http-Status-Code-Override") + " " + answer.Header.Get("Range")
		if location := answer.Header.Get("Location"); location != "" && now.kind == begins {
			p.given.Store(location, true)
		}
	}
	p.mu.Lock()
	if planned && err != nil && err != errReset && err != errHungUp {
		p.failed = append(p.failed, fmt.Errorf("%s %d: %w", now.kind, now.n, err))
	}
	p.trace = append(p.trace, fmt.Sprintf("%s %d: %s %q length %d: %s", now.kind, now.n, r.Method, r.Header.Get("Content-Range"), r.ContentLength, told))
	p.mu.Unlock()
	return answer, err
}

// addresses are those that files can be sent to.
func (p *proxy) addresses() (all []string) {
	p.given.Range(func(address, _ any) bool {
		all = append(all, address.(string))
		return true
	})
	return all
}

// counted is how many requests of a kind there were.
func (p *proxy) counted(kind string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[kind]
}

func kindOf(r *http.Request) string {
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/uploads":
		return begins
	case r.Method != http.MethodPut && r.Method != http.MethodPost:
		return other
	case strings.HasPrefix(r.Header.Get("Content-Range"), "bytes */"):
		return asks
	}
	return sends
}

var onward = &http.Transport{}

func pass(_ *proxy, r *http.Request) (*http.Response, error) { return onward.RoundTrip(r) }

// Two ways for a connection to break.
var (
	errReset  = errors.New("reset")   // what the client has not read is lost, and it is told so
	errHungUp = errors.New("hung up") // it ends as if all had been said
)

// broken ends the connection with the client.
func broken(w http.ResponseWriter, _ *http.Request, err error) {
	conn, _, hijackError := http.NewResponseController(w).Hijack()
	if hijackError != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && !errors.Is(err, errHungUp) {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// refused answers in place of the service, which never hears of the request.
func refused(status int) fault {
	return func(_ *proxy, r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			io.Copy(io.Discard, r.Body)
		}
		return instead(r, status), nil
	}
}

// masked passes the request on, and answers something else: a gateway that did not wait.
func masked(status int) fault {
	return func(_ *proxy, r *http.Request) (*http.Response, error) {
		if err := passAll(r); err != nil {
			return nil, err
		}
		return instead(r, status), nil
	}
}

// lost passes the request on, and resets the connection when the answer is there.
func lost(_ *proxy, r *http.Request) (*http.Response, error) {
	if err := passAll(r); err != nil {
		return nil, err
	}
	return nil, errReset
}

// hungUp passes the request on, and closes the connection when the answer is there.
func hungUp(_ *proxy, r *http.Request) (*http.Response, error) {
	if err := passAll(r); err != nil {
		return nil, err
	}
	return nil, errHungUp
}

func passAll(r *http.Request) error {
	answer, err := onward.RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// cut passes so many bytes of the body on, and then breaks both connections. The client learns of it when the service has.
func cut(after int64) fault { return breakOff(after, true) }

// torn is cut, but the client learns of it at once: it may be back before the service has read what was sent.
func torn(after int64) fault { return breakOff(after, false) }

func breakOff(after int64, wait bool) fault {
	return func(p *proxy, r *http.Request) (*http.Response, error) {
		conn, err := net.Dial("tcp", p.to.Host)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(patience))
		part, end := *r, &failing{}
		part.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, after), end))
		out := bufio.NewWriter(struct{ io.Writer }{conn})
		if err := part.Write(out); !end.reached {
			return nil, fmt.Errorf("a body was to be cut: %w", err)
		}
		if err := out.Flush(); err != nil {
			return nil, err
		}
		if wait {
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn)
		}
		return nil, errReset
	}
}

// failing is where a body breaks off.
type failing struct{ reached bool }

func (f *failing) Read([]byte) (int, error) {
	f.reached = true
	return 0, errReset
}

// elsewhere passes the request on to an address that was never given out.
func elsewhere(_ *proxy, r *http.Request) (*http.Response, error) {
	query := r.URL.Query()
	query.Set("upload_id", "AAAAAAAAAAAAAAAAAAAAAAAAAA")
	r.URL.RawQuery = query.Encode()
	return onward.RoundTrip(r)
}

// after does something else before the request is passed on.
func after(do func()) fault {
	return func(p *proxy, r *http.Request) (*http.Response, error) {
		do()
		return pass(p, r)
	}
}

func instead(r *http.Request, status int) *http.Response {
	return &http.Response{Status: fmt.Sprint(status, " in place of the service"), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r}
}
