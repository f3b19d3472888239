package app_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/certs/certstest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

// served is a service that listens by itself, as the binary does.
type served struct {
	*apptest.Server
	address string
	client  *http.Transport
}

// serveReally runs App.Serve at a port of its own until the test ends.
func serveReally(t *testing.T, adjust ...func(*config.Settings)) *served {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveAt(t, l, adjust...)
}

func serveAt(t *testing.T, l net.Listener, adjust ...func(*config.Settings)) *served {
	t.Helper()
	s := &served{apptest.Start(t, dbtest.SQLite(t), adjust...), l.Addr().String(), &http.Transport{DisableCompression: true, Protocols: new(http.Protocols)}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.App.Serve(ctx, l) }()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s
}

// ask sends a request as alice, and gives the whole answer and whether it came on a connection used before.
func (s *served) ask(t *testing.T, method, url string, body io.Reader, headers ...string) (*http.Response, []byte, bool) {
	t.Helper()
	reused := false
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }})
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Alice)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	response, err := s.client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, content, reused
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// certFiles are a certificate with the number 1, and its key.
func certFiles(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	dir := t.TempDir()
	cert, key := certstest.Pair(t, 1)
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, certFile, cert)
	write(t, keyFile, key)
	return certFile, keyFile
}

// serial is the number of the certificate that a new connection is shown.
func (s *served) serial(t *testing.T) int64 {
	t.Helper()
	conn, err := tls.Dial("tcp", s.address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// TestTLS: encrypted by certificate files, with HTTP/2, and certificates that change under the connections.
func TestTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile := certFiles(t)
	s := serveReally(t, func(c *config.Settings) { c.TLSCert, c.TLSKey = certFile, keyFile })
	roots := x509.NewCertPool()
	if text, err := os.ReadFile(certFile); err != nil || !roots.AppendCertsFromPEM(text) {
		t.Fatal("no certificate", err)
	}
	s.client.TLSClientConfig = &tls.Config{RootCAs: roots}
	s.client.Protocols.SetHTTP1(true)
	s.client.Protocols.SetHTTP2(true)
	base := "https://" + s.address
	first, body, _ := s.ask(t, "GET", base+"/users/me", nil)
	if first.StatusCode != 200 || first.ProtoMajor != 2 || first.Header.Get("Strict-Transport-Security") != "max-age=15552000" {
		t.Fatalf("%s %s %v %s", first.Proto, first.Status, first.Header, body)
	}
	listed, body, _ := s.ask(t, "GET", base+"/articles", nil)
	if listed.StatusCode != 200 || !strings.Contains(string(body), `"self":"https://`) {
		t.Errorf("links are not encrypted: %s", body)
	}
	if _, err := tls.Dial("tcp", s.address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 was spoken")
	}

	next, nextKey := certstest.Pair(t, 2)
	write(t, certFile, next) // the key follows later, as it may in earnest
	s.App.Reload()
	expect(t, "while the pair does not fit", s.serial(t), int64(1))
	write(t, keyFile, nextKey)
	for range 1000 { // files are looked at once a second
		if s.serial(t) == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	expect(t, "after the files have changed", s.serial(t), int64(2))
	if again, _, reused := s.ask(t, "GET", base+"/users/me", nil); again.StatusCode != 200 || !reused {
		t.Error("the connection from before was dropped")
	}
	write(t, certFile, []byte("nothing"))
	s.App.Reload()
	expect(t, "with a broken file", s.serial(t), int64(2))
	last, lastKey := certstest.Pair(t, 3)
	write(t, certFile, last)
	write(t, keyFile, lastKey)
	s.App.Reload()
	expect(t, "after a reload", s.serial(t), int64(3))
}

// TestBadCertificate: a server without a certificate does not start.
func TestBadCertificate(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, dbtest.SQLite(t), func(c *config.Settings) { c.TLSCert, c.TLSKey = "/nowhere/cert.pem", "/nowhere/key.pem" })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := s.App.Serve(t.Context(), l); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it started: %v", err)
	}
}

// TestRedirect: the plain port leads readers to HTTPS, and tells writers.
func TestRedirect(t *testing.T) {
	t.Parallel()
	certFile, keyFile := certFiles(t)
	plain := freeAddress(t)
	s := serveReally(t, func(c *config.Settings) {
		c.TLSCert, c.TLSKey, c.RedirectAddr, c.BaseURL = certFile, keyFile, plain, "https://api.example.com"
	})
	s.client.Protocols.SetHTTP1(true)
	s.serial(t) // which shows that it listens
	moved, _, _ := s.ask(t, "GET", "http://"+plain+"//evil.test/a?b=c", nil)
	if moved.StatusCode != 308 || moved.Header.Get("Location") != "https://api.example.com//evil.test/a?b=c" {
		t.Errorf("%s %s", moved.Status, moved.Header.Get("Location"))
	}
	if told, _, _ := s.ask(t, "POST", "http://"+plain+"/articles", strings.NewReader("{}")); told.StatusCode != 400 {
		t.Errorf("%s", told.Status)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestH2C: HTTP/2 in the clear, with several requests on one connection.
func TestH2C(t *testing.T) {
	t.Parallel()
	s := serveReally(t)
	s.client.Protocols.SetUnencryptedHTTP2(true)
	base := "http://" + s.address
	me, body, _ := s.ask(t, "GET", base+"/users/me", nil)
	if me.StatusCode != 200 || me.ProtoMajor != 2 || me.Header.Get("Strict-Transport-Security") != "" {
		t.Fatalf("%s %s %s", me.Proto, me.Status, body)
	}
	made, _, _ := s.ask(t, "POST", base+"/articles", strings.NewReader(`{"title":"By HTTP/2"}`))
	if made.StatusCode != 201 {
		t.Fatal(made.Status)
	}
	// A refusal before the body is read would end an HTTP/1.1 connection. Here others use it.
	large, _, _ := s.ask(t, "POST", base+"/articles", strings.NewReader(strings.Repeat("x", 3<<20)))
	if large.StatusCode != 413 || large.Header.Get("Connection") != "" {
		t.Errorf("%s %v", large.Status, large.Header)
	}
	unknown, _, _ := s.ask(t, "POST", base+"/articles", io.MultiReader(strings.NewReader(`{"title":`), strings.NewReader(`"Without a length"}`)))
	if unknown.StatusCode != 201 {
		t.Errorf("a body without a length: %s", unknown.Status)
	}
	var picture bytes.Buffer
	noise := image.NewNRGBA(image.Rect(0, 0, 600, 600))
	rand.Read(noise.Pix)
	if err := png.Encode(&picture, noise); err != nil {
		t.Fatal(err)
	}
	sent, body, _ := s.ask(t, "POST", base+"/avatars", bytes.NewReader(picture.Bytes()), "Content-Type: image/png")
	if sent.StatusCode != 201 {
		t.Fatalf("%s %s", sent.Status, body)
	}
	_, at, _ := strings.Cut(string(body), "/media/")
	at, _, _ = strings.Cut(at, `"`)
	whole, content, _ := s.ask(t, "GET", base+"/media/"+at, nil)
	part, some, reused := s.ask(t, "GET", base+"/media/"+at, nil, fmt.Sprintf("Range: bytes=%d-", len(content)-1000))
	if whole.StatusCode != 200 || len(content) < 1<<20 || part.StatusCode != 206 || !bytes.Equal(some, content[len(content)-1000:]) {
		t.Errorf("%s %d bytes, %s %d bytes", whole.Status, len(content), part.Status, len(some))
	}
	if !reused {
		t.Error("some answer ended the connection")
	}
}

// TestSlowStream: a body that stops coming is given up on HTTP/2 as well, and only that: its connection goes on for others.
func TestSlowStream(t *testing.T) {
	t.Parallel()
	s := serveReally(t)
	s.client.Protocols.SetUnencryptedHTTP2(true)
	base := "http://" + s.address
	s.ask(t, "GET", base+"/users/me", nil)
	stuck, end := io.Pipe()
	defer end.Close()
	go end.Write([]byte(`{"title":"Never `))
	slow, body, reused := s.ask(t, "POST", base+"/articles", stuck)
	if slow.StatusCode != 408 || !strings.Contains(string(body), "body_too_slow") || !reused {
		t.Errorf("%s %s, reused %v", slow.Status, body, reused)
	}
	if other, _, reused := s.ask(t, "GET", base+"/users/me", nil); other.StatusCode != 200 || !reused {
		t.Errorf("%s, reused %v", other.Status, reused)
	}
	expect(t, "stored", s.Count(t, `SELECT COUNT(*) FROM articles`), 0)
}

// TestIdleStreams: a connection without requests ends, also one that has begun to say something.
func TestIdleStreams(t *testing.T) {
	t.Parallel()
	s := serveReally(t, func(c *config.Settings) { c.IdleTimeout, c.HeaderTimeout = 300*time.Millisecond, 300*time.Millisecond })
	const greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\x00\x00\x00\x04\x00\x00\x00\x00\x00" // and empty settings
	for name, said := range map[string]string{"nothing": "", "half a greeting": greeting[:10], "a greeting": greeting, "the beginning of a request": greeting + "\x00\x00\x40\x01\x04\x00\x00\x00\x01half"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", s.address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, said); err != nil {
				t.Fatal(err)
			}
			conn.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection stays open")
			}
		})
	}
}
