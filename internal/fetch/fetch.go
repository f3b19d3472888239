// Package fetch gets things from addresses that strangers name, in a way that cannot be turned inward.
//
// It promises: no connection is made to a private, loopback, link-local or otherwise special address, nor to a port other
// than 80 and 443, unless Allow names the address; this is judged on the very address that is being connected to, after DNS and
// for each redirect, so a name that changes its mind gains nothing. There are limits for time, size, headers, redirects and
// for how many fetches run at once. No proxy, cookie, token or referrer is used, and nothing is decompressed.
//
// Its errors are for the log. A caller that shows them apart to a stranger makes a port scanner of us.
package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
	"golang.org/x/sync/semaphore"
)

// Options bounds what may be fetched.
type Options struct {
	Allow    []netip.Prefix // addresses that may be connected to although they are special, at any port
	Time     time.Duration  // for all of a fetch; 0 is 10 seconds
	AtOnce   int64          // fetches that run at the same time; 0 is 16
	Resolver *net.Resolver  // nil is the system's
	TLS      *tls.Config    // nil trusts what the system trusts
}

// Client fetches. It is safe for concurrent use.
type Client struct {
	http  *http.Client
	limit time.Duration
	room  *semaphore.Weighted
}

const (
	maxRedirects = 3
	maxHeader    = 64 << 10
	agent        = "verbless"
)

// New makes a client.
func New(o Options) *Client {
	if o.Time == 0 {
		o.Time = 10 * time.Second
	}
	if o.AtOnce == 0 {
		o.AtOnce = 16
	}
	dialer := &net.Dialer{Timeout: o.Time, Resolver: o.Resolver, Control: guard(o.Allow), KeepAlive: -1}
	return &Client{
		limit: o.Time,
		room:  semaphore.NewWeighted(o.AtOnce),
		http: &http.Client{
			Transport: &http.Transport{
				Proxy: nil, DialContext: dialer.DialContext, TLSClientConfig: o.TLS, TLSHandshakeTimeout: o.Time, ResponseHeaderTimeout: o.Time,
				DisableKeepAlives: true, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
			},
			CheckRedirect: checkRedirect,
		},
	}
}

// guard judges the address that is about to be connected to.
func guard(allow []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	guardian := ssrf.New()
	return func(network, address string, c syscall.RawConn) error {
		if to, err := netip.ParseAddrPort(address); err == nil {
			for _, prefix := range allow {
				if prefix.Contains(to.Addr().Unmap().WithZone("")) {
					return nil
				}
			}
		}
		return guardian.Safe(network, address, c)
	}
}

// ErrAddress is for addresses that could not be fetched whatever they lead to. It tells nothing of the network.
var ErrAddress = errors.New("an http or https address without user and password is needed")

// Check judges an address by its text alone.
func Check(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return ErrAddress
	}
	return check(u)
}

func check(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.User != nil || u.Hostname() == "" || strings.Contains(u.Hostname(), "%") {
		return ErrAddress
	}
	return nil
}

// checkRedirect judges where a redirect leads, and what would be told there.
func checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		return errors.New("too many redirects")
	}
	next.Header.Del("Referer")
	return check(next.URL)
}

// Found is what an address led to.
type Found struct {
	Type string // as the other side says
	Body []byte
}

// Get fetches at most limit bytes. Anything but a whole 200 is an error.
func (c *Client) Get(ctx context.Context, address string, limit int64) (*Found, error) {
	if err := Check(address); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	if err := c.room.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.room.Release(1)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", agent)
	request.Header.Set("Accept-Encoding", "identity")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch encoding := response.Header.Get("Content-Encoding"); {
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("answered %d", response.StatusCode)
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		return nil, errors.New("answered in an encoding that was not asked for")
	case response.ContentLength > limit:
		return nil, errors.New("too large")
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = errors.New("too large")
	}
	if err != nil {
		return nil, err
	}
	return &Found{Type: response.Header.Get("Content-Type"), Body: body}, nil
}
