// Package mailtest is a mail server for tests: it keeps what it takes, and can refuse, hang and drop.
package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Server is a mail server on loopback.
type Server struct {
	URL      string
	Password string // of the user "app"; empty: everybody may send
	Roots    *x509.CertPool

	mu       sync.Mutex
	messages []Message
	spoil    func(step string, n int) error
	seen     map[string]int
}

// Message is a mail that the server took.
type Message struct {
	From, To string
	Mail     *mail.Message
	Body     string
	Raw      string
}

// Drop ends the connection without a word.
var Drop = errors.New("drop")

// Start runs a server until the test ends. With secure it offers STARTTLS, by a certificate that Roots knows.
func Start(t testing.TB, secure bool) *Server {
	s := &Server{seen: map[string]int{}}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		if err := s.step("connect", c); err != nil {
			return nil, err
		}
		return &session{server: s, conn: c}, nil
	}))
	server.Domain, server.ErrorLog = "mail.test", log.New(io.Discard, "", 0)
	server.AllowInsecureAuth = false
	mode := "?starttls=never"
	if secure {
		server.TLSConfig, s.Roots = certificate(t)
		mode = ""
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	s.URL = "smtp://" + l.Addr().String() + mode
	return s
}

// Spoil lets f answer instead, by the step (connect, auth, mail, rcpt, data, taken) and how often it was reached. Drop ends the
// connection; at taken the message has been kept before.
func (s *Server) Spoil(f func(step string, n int) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoil, s.seen = f, map[string]int{}
}

// Messages are those that were taken so far.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Message{}, s.messages...)
}

func (s *Server) step(name string, c *smtp.Conn) error {
	s.mu.Lock()
	s.seen[name]++
	f, n := s.spoil, s.seen[name]
	s.mu.Unlock()
	if f == nil {
		return nil
	}
	err := f(name, n)
	if errors.Is(err, Drop) {
		c.Conn().Close()
	}
	return err
}

type session struct {
	server   *Server
	conn     *smtp.Conn
	from, to string
	known    bool
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != "app" || password != s.server.Password {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return s.server.step("auth", s.conn)
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.Password != "" && !s.known {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return s.server.step("mail", s.conn)
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return s.server.step("rcpt", s.conn)
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.server.step("data", s.conn); err != nil {
		return err
	}
	parsed, err := mail.ReadMessage(strings.NewReader(string(raw)))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(parsed.Body)
	if err != nil {
		return err
	}
	s.server.mu.Lock()
	s.server.messages = append(s.server.messages, Message{s.from, s.to, parsed, string(body), string(raw)})
	s.server.mu.Unlock()
	return s.server.step("taken", s.conn)
}

func (s *session) Reset() {}

func (s *session) Logout() error { return nil }

// certificate is one that nobody else trusts.
func certificate(t testing.TB) (*tls.Config, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, roots
}
