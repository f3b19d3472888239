package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"code.dny.dev/ssrf"

	"verbless/internal/fetch"
)

const limit = 1000

var ctx = context.Background()

// server listens at an address of this machine, and counts who comes.
func server(t *testing.T, address string, handler http.HandlerFunc) (host string, hits *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	hits = &atomic.Int64{}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		handler(w, r)
	})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	return l.Addr().String(), hits
}

func picture(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	w.Write([]byte("picture"))
}

// outside plays the public internet: it is allowed, and everything else of this machine is not.
const outside, inside = "127.0.0.1", "127.0.0.2"

func allowing(prefixes ...string) fetch.Options {
	var o fetch.Options
	for _, p := range prefixes {
		o.Allow = append(o.Allow, netip.MustParsePrefix(p))
	}
	return o
}

func TestGet(t *testing.T) {
	host, _ := server(t, outside, func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if name != "User-Agent" && name != "Accept-Encoding" && name != "Connection" {
				t.Errorf("it was told %s: %s", name, r.Header.Get(name))
			}
		}
		picture(w, r)
	})
	found, err := fetch.New(allowing(outside+"/32")).Get(ctx, "http://"+host+"/a.png?b=c", limit)
	if err != nil || found.Type != "image/png" || string(found.Body) != "picture" {
		t.Errorf("got %+v, %v", found, err)
	}
}

// TestTurnedInward is the list of ways in which an address may lead where it should not. With the options as they are
// delivered none gets through, although a server listens at most of these places.
func TestTurnedInward(t *testing.T) {
	host, hits := server(t, "127.0.0.1", picture)
	_, port, _ := net.SplitHostPort(host)
	addresses := []string{
		"http://127.0.0.1", "http://127.1", "http://2130706433", "http://0x7f.1", "http://0x7f000001", "http://0177.0.0.1", "http://[::1]", "http://[::ffff:127.0.0.1]",
		"http://[::ffff:7f00:1]", "http://0.0.0.0", "http://[::]", "http://localhost", "http://localhost.", "http://LOCALHOST", "http://foo.localhost",
		"http://169.254.169.254", "http://[fd00:ec2::254]", "http://[fe80::1%25lo]", "http://100.64.0.1", "http://[fd00::1]", "http://[64:ff9b::7f00:1]", "http://[64:ff9b:1::7f00:1]", "http://[2002:7f00:1::]",
		"http://10.0.0.1", "http://172.16.0.1", "http://192.168.0.1", "http://198.18.0.1", "http://224.0.0.1", "http://255.255.255.255", "http://[ff02::1]", "http://192.0.0.8", "http://240.0.0.1",
	}
	delivered := fetch.New(fetch.Options{Time: 2 * time.Second})
	for _, address := range addresses {
		for _, whole := range []string{address, address + ":" + port, strings.Replace(address, "http:", "https:", 1)} {
			found, err := delivered.Get(ctx, whole+"/latest/meta-data/", limit)
			if err == nil {
				t.Errorf("%s: got %+v", whole, found)
			}
			// Not by chance, because nobody answers there.
			if u, _ := url.Parse(whole); u != nil && net.ParseIP(u.Hostname()) != nil && !errors.Is(err, ssrf.ErrProhibitedIP) && !errors.Is(err, ssrf.ErrProhibitedPort) {
				t.Errorf("%s was tried: %v", whole, err)
			}
		}
	}
	for _, address := range []string{
		"", "x", "//" + host, "/etc/passwd", "file:///etc/passwd", "file://" + host + "/x", "gopher://" + host, "ftp://" + host, "data:image/png;base64,AAAA", "javascript:alert(1)", "unix:/var/run/docker.sock",
		"http://ok@" + host, "http://ok:word@" + host, "http://" + host + "@example.com", "http:" + host, "http://", "http:///x", "http://\x00", "http://a b/", "HTTP2://" + host,
	} {
		if _, err := fetch.New(allowing("127.0.0.0/8")).Get(ctx, address, limit); !errors.Is(err, fetch.ErrAddress) {
			t.Errorf("%q: %v", address, err)
		}
		if !errors.Is(fetch.Check(address), fetch.ErrAddress) {
			t.Errorf("%q passes for an address", address)
		}
	}
	if hits.Load() != 0 {
		t.Errorf("the server was reached %d times", hits.Load())
	}
	// That the list says something: the same server, once it is allowed.
	if _, err := fetch.New(allowing("127.0.0.1/32")).Get(ctx, "http://"+host, limit); err != nil || hits.Load() != 1 {
		t.Errorf("not even the allowed one was reached: %v", err)
	}
}

// An allowed address may be asked at any port, but only that address.
func TestAllowIsNarrow(t *testing.T) {
	host, hits := server(t, inside, picture)
	if _, err := fetch.New(allowing(outside+"/32", "::1/128")).Get(ctx, "http://"+host, limit); err == nil || hits.Load() != 0 {
		t.Errorf("reached %d times: %v", hits.Load(), err)
	}
	if found, err := fetch.New(allowing("127.0.0.0/30")).Get(ctx, "http://"+host, limit); err != nil {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err := fetch.New(fetch.Options{Time: time.Second}).Get(ctx, "http://93.184.215.14:22/", limit); err == nil || !strings.Contains(err.Error(), "port") {
		t.Errorf("port 22 of a public address: %v", err)
	}
}

func TestRedirects(t *testing.T) {
	private, hits := server(t, inside, picture)
	var seen []string
	public, _ := server(t, outside, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.Path)
		if r.Header.Get("Referer") != "" || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
			t.Errorf("it was told too much: %v", r.Header)
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		to, n := r.URL.Query().Get("to"), len(r.URL.Path)
		switch {
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case to != "" && n > 2:
			http.Redirect(w, r, r.URL.Path[:n-1]+"?"+r.URL.RawQuery, http.StatusFound)
		case to != "":
			http.Redirect(w, r, to, http.StatusFound)
		case n > 1:
			http.Redirect(w, r, r.URL.Path[:n-1], http.StatusTemporaryRedirect)
		default:
			picture(w, r)
		}
	})
	client := fetch.New(allowing(outside + "/32"))
	if found, err := client.Get(ctx, "http://"+public+"/aaa", limit); err != nil || string(found.Body) != "picture" || len(seen) != 4 {
		t.Errorf("three redirects: %v, %v", err, seen)
	}
	if _, err := client.Get(ctx, "http://"+public+"/aaaa", limit); err == nil {
		t.Error("four redirects were followed")
	}
	seen = nil
	if _, err := client.Get(ctx, "http://"+public+"/loop", limit); err == nil || len(seen) != 4 {
		t.Errorf("a loop: %v, %v", err, seen)
	}
	for _, to := range []string{"http://" + private, "http://169.254.169.254/", "file:///etc/passwd", "gopher://" + private, "http://u:p@" + public, "//" + private, "http://[::1]/", "https://" + private} {
		for _, path := range []string{"/a", "/aa"} {
			if found, err := client.Get(ctx, "http://"+public+path+"?to="+to, limit); err == nil {
				t.Errorf("redirected to %s: %+v", to, found)
			}
		}
	}
	if hits.Load() != 0 {
		t.Errorf("the private server was reached %d times", hits.Load())
	}
}

// A name that leads to a good address when it is looked up first, and to a bad one when it is connected to.
func TestRebinding(t *testing.T) {
	private, hits := server(t, inside, picture)
	_, port, _ := net.SplitHostPort(private)
	l, err := net.Listen("tcp", net.JoinHostPort(outside, port)) // the same port, so that one address leads to either
	if err != nil {
		t.Skip("the port is taken: ", err)
	}
	public := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		picture(w, r)
	})}
	go public.Serve(l)
	t.Cleanup(func() { public.Close() })
	names := newNameserver(t, map[string][]string{
		"fickle.test.": {outside, inside}, "turning.test.": {outside, inside}, "inward.test.": {inside}, "metadata.test.": {"169.254.169.254"}, "six.test.": {"::1"},
	})
	options := allowing(outside + "/32")
	options.Resolver, options.Time = names.resolver(), 5*time.Second
	client := fetch.New(options)
	if found, err := client.Get(ctx, "http://fickle.test:"+port, limit); err != nil {
		t.Fatalf("got %v, %v", found, err)
	}
	for _, address := range []string{"http://fickle.test:" + port, "http://turning.test:" + port + "/again", "http://inward.test:" + port, "http://inward.test", "http://metadata.test", "http://six.test:" + port, "http://nowhere.test"} {
		if found, err := client.Get(ctx, address, limit); err == nil {
			t.Errorf("%s: got %+v", address, found)
		}
	}
	if hits.Load() != 0 {
		t.Errorf("the private server was reached %d times", hits.Load())
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	proxy, hits := server(t, outside, picture)
	t.Setenv("HTTP_PROXY", "http://"+proxy)
	t.Setenv("http_proxy", "http://"+proxy)
	options := allowing(outside + "/32")
	options.Time = time.Second
	if _, err := fetch.New(options).Get(ctx, "http://169.254.169.254/", limit); err == nil || hits.Load() != 0 {
		t.Errorf("the proxy was used %d times: %v", hits.Load(), err)
	}
}

func TestAnswersThatAreRefused(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	host, _ := server(t, outside, func(w http.ResponseWriter, r *http.Request) {
		large := bytes.Repeat([]byte("x"), limit+1)
		switch r.URL.Path {
		case "/fits":
			w.Write(large[1:])
		case "/large":
			w.Write(large)
		case "/announced":
			w.Header().Set("Content-Length", "1000000000")
			w.Write(large)
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(large); err != nil {
					return
				}
			}
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			z.Write(make([]byte, 1<<20))
			z.Close()
		case "/short":
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("x"))
		case "/slow":
			w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		case "/silent":
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		case "/headers":
			w.Header().Set("X-Large", strings.Repeat("x", 100_000))
		default:
			var status int
			fmt.Sscanf(r.URL.Path, "/%d", &status)
			w.WriteHeader(status)
			w.Write([]byte("x"))
		}
	})
	options := allowing(outside + "/32")
	options.Time = 500 * time.Millisecond
	client := fetch.New(options)
	for _, path := range []string{"large", "announced", "endless", "gzip", "short", "slow", "silent", "headers", "203", "206", "300", "304", "404", "500", "401"} {
		if found, err := client.Get(ctx, "http://"+host+"/"+path, limit); err == nil {
			t.Errorf("%s: got %d bytes", path, len(found.Body))
		}
	}
	options.Time = 10 * time.Second
	if found, err := fetch.New(options).Get(ctx, "http://"+host+"/fits", limit); err != nil || len(found.Body) != limit {
		t.Errorf("just as large as allowed: %v", err)
	}
}

func TestOnlySoManyAtOnce(t *testing.T) {
	var running, most atomic.Int64
	let := make(chan struct{})
	host, _ := server(t, outside, func(w http.ResponseWriter, r *http.Request) {
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		<-let
		running.Add(-1)
		picture(w, r)
	})
	options := allowing(outside + "/32")
	options.AtOnce, options.Time = 3, 30*time.Second
	client := fetch.New(options)
	done := make(chan error)
	for range 12 {
		go func() {
			_, err := client.Get(ctx, "http://"+host, limit)
			done <- err
		}()
	}
	for range 12 {
		let <- struct{}{}
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > 3 {
		t.Errorf("%d at once", most.Load())
	}
}

// Certificates are checked as everywhere, redirects from http to https included.
func TestCertificates(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(picture))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of clients that do not trust it
	s.StartTLS()
	defer s.Close()
	host, _ := server(t, outside, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, s.URL, http.StatusMovedPermanently) })
	options := allowing(outside + "/32")
	if _, err := fetch.New(options).Get(ctx, "http://"+host, limit); err == nil {
		t.Error("a certificate of nobody was good enough")
	}
	options.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
	options.TLS.RootCAs.AddCert(s.Certificate())
	if found, err := fetch.New(options).Get(ctx, "http://"+host, limit); err != nil || string(found.Body) != "picture" {
		t.Errorf("got %v, %v", found, err)
	}
}
