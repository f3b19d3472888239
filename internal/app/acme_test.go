package app_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"

	"verbless/internal/config"
)

// authority is a real ACME server, which looks at every name on this machine.
type authority struct {
	url   string
	roots string         // file by which to know it
	trust *x509.CertPool // what it signs
}

func startAuthority(t *testing.T, httpAddress, tlsAddress string) authority {
	t.Helper()
	// It should neither sleep for chance nor refuse for chance.
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	t.Setenv("PEBBLE_AUTHZREUSE", "0")
	names, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	resolver := &dns.Server{Listener: names, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		answer := new(dns.Msg).SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			answer.Answer = append(answer.Answer, &dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)})
		}
		w.WriteMsg(answer)
	})}
	go resolver.ActivateAndServe()
	t.Cleanup(func() { resolver.Shutdown() })
	port := func(address string) int {
		_, text, _ := net.SplitHostPort(address)
		n, _ := strconv.Atoi(text)
		return n
	}
	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	signer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "the only one"}})
	looks := va.New(quiet, port(httpAddress), port(tlsAddress), false, names.Addr().String(), store)
	front := wfe.New(quiet, store, looks, signer, []string{"pebble.test"}, false, false, 1, 1)
	handler := front.Handler()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// What autocert needs and the authorities of the world send, but this one leaves out: where the order is.
		if order, ok := strings.CutPrefix(r.URL.Path, "/finalize-order/"); ok {
			w.Header().Set("Location", "https://"+r.Host+"/my-order/"+order)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	write(t, roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	trust := x509.NewCertPool()
	trust.AddCert(signer.GetRootCert(0).Cert)
	return authority{server.URL + wfe.DirectoryPath, roots, trust}
}

// TestACME gets certificates from a real authority, which finds the proof on the TLS port alone, or on the plain one alone.
func TestACME(t *testing.T) {
	for _, plain := range []bool{false, true} {
		name := map[bool]string{false: "tls-alpn", true: "http"}[plain]
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			redirect, looksAt := "", l.Addr().String()
			if plain {
				redirect, looksAt = freeAddress(t), freeAddress(t) // where nobody speaks TLS
			}
			authority := startAuthority(t, redirect, looksAt)
			var data string
			s := serveAt(t, l, func(c *config.Settings) {
				c.ACMEDomains, c.ACMEURL, c.ACMERoots, c.RedirectAddr = "api.example.com", authority.url, authority.roots, redirect
				data = c.Data
			})
			leaf := s.certified(t, "api.example.com", authority.trust)
			var kept []byte
			for range 300 { // it is used before it is kept
				if kept, err = os.ReadFile(filepath.Join(data, "acme", "api.example.com")); err == nil {
					break
				}
				time.Sleep(100 * time.Millisecond)
			}
			if err != nil || !strings.Contains(string(kept), "PRIVATE KEY") {
				t.Errorf("the certificate was not kept: %v", err)
			}
			if again := s.certified(t, "api.example.com", authority.trust); again.SerialNumber.Cmp(leaf.SerialNumber) != 0 {
				t.Error("another certificate was fetched")
			}
			if conn, err := tls.Dial("tcp", s.address, &tls.Config{ServerName: "other.example.com", RootCAs: authority.trust}); err == nil {
				conn.Close()
				t.Error("a name that nobody set was served")
			}
			s.client.TLSClientConfig = &tls.Config{ServerName: "api.example.com", RootCAs: authority.trust}
			s.client.Protocols.SetHTTP2(true)
			if me, body, _ := s.ask(t, "GET", "https://"+s.address+"/users/me", nil); me.StatusCode != 200 || me.ProtoMajor != 2 {
				t.Errorf("%s %s %s", me.Proto, me.Status, body)
			}
		})
	}
}

// certified connects until the certificate is there, and gives it.
func (s *served) certified(t *testing.T, name string, trust *x509.CertPool) *x509.Certificate {
	t.Helper()
	var conn *tls.Conn
	var err error
	for range 300 {
		if conn, err = tls.Dial("tcp", s.address, &tls.Config{ServerName: name, RootCAs: trust}); err == nil {
			defer conn.Close()
			return conn.ConnectionState().PeerCertificates[0]
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("no certificate for %s: %v", name, err)
	return nil
}
