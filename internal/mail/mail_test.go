package mail_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"verbless/internal/mail"
	"verbless/internal/mail/mailtest"
)

func message() mail.Message {
	return mail.Message{ID: "0199-notice", ToName: "Zoë", ToAddress: "zoe@example.com", Subject: "Invoice INV-000001", Text: "Dear Zoë,\n.\nbye\n", HTML: "<p>Dear Zoë</p>", Date: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)}
}

func open(t *testing.T, c mail.Config) mail.Sender {
	t.Helper()
	c.From, c.Host = "Billing <billing@example.com>", "api.example.com"
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	sender, err := mail.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

func TestDelivered(t *testing.T) {
	server := mailtest.Start(t, false)
	if err := open(t, mail.Config{URL: server.URL}).Send(context.Background(), message()); err != nil {
		t.Fatal(err)
	}
	got := server.Messages()
	if len(got) != 1 || got[0].From != "billing@example.com" || got[0].To != "zoe@example.com" {
		t.Fatalf("got %+v", got)
	}
	for name, want := range map[string]string{
		"Message-ID": "<0199-notice@api.example.com>", "From": `"Billing" <billing@example.com>`, "To": "=?utf-8?q?Zo=C3=AB?= <zoe@example.com>",
		"Subject": "Invoice INV-000001", "Date": "Sat, 31 Jan 2026 09:30:00 +0000", "Auto-Submitted": "auto-generated",
	} {
		if value := got[0].Mail.Header.Get(name); value != want {
			t.Errorf("%s: %s", name, value)
		}
	}
	for _, part := range []string{"Content-Type: text/plain", "Content-Type: text/html", "Dear Zo=C3=AB"} {
		if !strings.Contains(got[0].Body, part) {
			t.Errorf("the body has no %s:\n%s", part, got[0].Body)
		}
	}
}

func TestStartTLSAndAuthentication(t *testing.T) {
	server := mailtest.Start(t, true)
	server.Password = "hunter2"
	trust := &tls.Config{RootCAs: server.Roots}
	with := func(user string) string { return strings.Replace(server.URL, "smtp://", "smtp://"+user, 1) }
	if err := open(t, mail.Config{URL: with("app:hunter2@"), TLS: trust}).Send(context.Background(), message()); err != nil {
		t.Fatal(err)
	}
	if len(server.Messages()) != 1 {
		t.Fatal("nothing came")
	}
	for name, c := range map[string]mail.Config{
		"wrong password":       {URL: with("app:wrong@"), TLS: trust},
		"no password":          {URL: with(""), TLS: trust},
		"unknown certificate":  {URL: with("app:hunter2@")},
		"password in the open": {URL: with("app:hunter2@") + "?starttls=never"},
	} {
		err := open(t, c).Send(context.Background(), message())
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain := mailtest.Start(t, false)
	if err := open(t, mail.Config{URL: strings.TrimSuffix(plain.URL, "?starttls=never")}).Send(context.Background(), message()); err == nil {
		t.Error("a server without STARTTLS was trusted")
	}
	if len(server.Messages()) != 1 || len(plain.Messages()) != 0 {
		t.Error("a message went through")
	}
}

// TestTrouble: only what the server will never take is refused; everything else may be tried again. Once the server has taken a
// message, nothing that happens afterwards counts.
func TestTrouble(t *testing.T) {
	fail := func(step string, code int) func(string, int) error {
		return func(at string, _ int) error {
			if at == step {
				return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: "no such user\r\nhere"}
			}
			return nil
		}
	}
	drop := func(step string) func(string, int) error {
		return func(at string, _ int) error {
			if at == step {
				return mailtest.Drop
			}
			return nil
		}
	}
	for name, test := range map[string]struct {
		spoil   func(string, int) error
		refused bool
		taken   int
	}{
		"421 at once":      {fail("connect", 421), false, 0},
		"451 for a while":  {fail("rcpt", 451), false, 0},
		"550 for ever":     {fail("rcpt", 550), true, 0},
		"554 for the data": {fail("data", 554), true, 0},
		"drop at once":     {drop("connect"), false, 0},
		"drop at the data": {drop("data"), false, 0},
		"drop afterwards":  {drop("taken"), false, 1}, // taken, but we could not know
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := mailtest.Start(t, false)
			server.Spoil(test.spoil)
			err := open(t, mail.Config{URL: server.URL}).Send(context.Background(), message())
			var refused *mail.Refused
			if err == nil || errors.As(err, &refused) != test.refused {
				t.Errorf("got %v", err)
			}
			if refused != nil && strings.ContainsAny(refused.Error(), "\r\n") {
				t.Errorf("more than a line: %q", refused)
			}
			if n := len(server.Messages()); n != test.taken {
				t.Errorf("%d messages were taken", n)
			}
		})
	}
}

func TestHangs(t *testing.T) {
	server := mailtest.Start(t, false)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	server.Spoil(func(step string, _ int) error {
		if step == "data" {
			<-release
		}
		return nil
	})
	if err := open(t, mail.Config{URL: server.URL, Timeout: 200 * time.Millisecond}).Send(context.Background(), message()); err == nil {
		t.Error("a server that hangs took the message")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never says a word
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := open(t, mail.Config{URL: "smtp://" + l.Addr().String(), Timeout: 200 * time.Millisecond}).Send(context.Background(), message()); err == nil {
		t.Error("a silent server took the message")
	}
	l.Close()
	if err := open(t, mail.Config{URL: "smtp://" + l.Addr().String()}).Send(context.Background(), message()); err == nil {
		t.Error("nobody took the message")
	}
}

// TestNothingBecomesAHeader: names and subjects are people's words, and stay in their place.
func TestNothingBecomesAHeader(t *testing.T) {
	server := mailtest.Start(t, false)
	sender := open(t, mail.Config{URL: server.URL})
	evil := []string{"A\r\nBcc: eve@example.com", "A\nX: y", "A\rX: y", "A\r\n\r\nbody", "=?utf-8?q?=0D=0ABcc:_eve@example.com?=", "\"<eve@example.com>, \"", "A\u2028Bcc: eve@example.com", "A\u0085Bcc: x", "A\x00B", strings.Repeat("long ", 500)}
	for _, text := range evil {
		m := message()
		m.ToName, m.Subject, m.Text, m.HTML = text, text, text, text
		if err := sender.Send(context.Background(), m); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	got := server.Messages()
	if len(got) != len(evil) {
		t.Fatalf("%d messages", len(got))
	}
	for i, m := range got {
		if m.To != "zoe@example.com" || m.Mail.Header.Get("Bcc") != "" || m.Mail.Header.Get("X") != "" {
			t.Errorf("%q became a header:\n%s", evil[i], m.Raw)
		}
		to, err := m.Mail.Header.AddressList("To")
		if err != nil || len(to) != 1 || to[0].Address != "zoe@example.com" {
			t.Errorf("%q: To is %v, %v", evil[i], to, err)
		}
		for name := range m.Mail.Header {
			if !strings.Contains(" Message-Id Mime-Version Date From To Subject Content-Type User-Agent X-Mailer Auto-Submitted ", " "+name+" ") {
				t.Errorf("%q made the header %s", evil[i], name)
			}
		}
	}
}

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mail")
	sender := open(t, mail.Config{Dir: dir})
	for range 2 { // the second time it is there already
		if err := sender.Send(context.Background(), message()); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "0199-notice.eml" {
		t.Fatalf("got %v, %v", entries, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "0199-notice.eml"))
	if err != nil || !strings.Contains(string(text), "Message-ID: <0199-notice@api.example.com>") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestWrongAddresses(t *testing.T) {
	for _, c := range []mail.Config{{From: "nobody"}, {From: "a@b", URL: "http://host"}, {From: "a@b", URL: "smtp://app:hunter2%zz@host"}, {From: "a@b", URL: "smtp://host?starttls=maybe"}, {From: "a@b", URL: "smtp:hunter2"}} {
		if _, err := mail.Open(c); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
