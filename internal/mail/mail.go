// Package mail hands messages to a mail server, or to files where there is none.
//
// It promises that a message was taken when Send returns nil, that the same message always has the same Message-ID, and
// that nothing in a name or a subject can become a header of its own. It does not try again: that is for the queue.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
)

// Message is one mail to one person.
type Message struct {
	ID        string // left part of the Message-ID
	ToName    string
	ToAddress string
	Subject   string
	Text      string
	HTML      string
	Date      time.Time
}

// Sender takes messages.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// Refused is the error of a message that the server will not take, now or later.
type Refused struct{ Reply string }

func (r *Refused) Error() string { return "the mail server refused the message: " + r.Reply }

// Config says where messages go.
type Config struct {
	URL     string // smtp://user:password@host:587 or smtps://…; empty: files
	From    string // "Name <address>" or an address
	Host    string // right part of the Message-ID
	Dir     string // of the files
	Timeout time.Duration
	TLS     *tls.Config // nil: the system's certificates
}

// Open makes the sender. It does not connect.
func Open(c Config) (Sender, error) {
	from, err := mail.ParseAddress(c.From)
	if err != nil {
		return nil, fmt.Errorf("mail-from: %w", err)
	}
	writer := writer{from: from, host: c.Host}
	if c.URL == "" {
		return &files{writer, c.Dir}, nil
	}
	client, err := newClient(c)
	if err != nil {
		return nil, err
	}
	return &server{writer, client}, nil
}

// newClient reads the address. STARTTLS is required unless it says otherwise; smtps is encrypted from the first byte.
func newClient(c Config) (*gomail.Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errors.New("smtp: must be an address like smtp://user:password@host:587 or smtps://host") // not the value: it holds a password
	}
	options := []gomail.Option{gomail.WithTimeout(c.Timeout), gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithPort(587)}
	switch mode := u.Query().Get("starttls"); {
	case u.Scheme == "smtps":
		options = append(options, gomail.WithSSL(), gomail.WithPort(465))
	case mode == "optional":
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	case mode == "never":
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case mode != "" && mode != "required":
		return nil, errors.New("smtp: starttls is required, optional or never")
	}
	if c.TLS != nil {
		trust := c.TLS.Clone()
		trust.ServerName = u.Hostname()
		options = append(options, gomail.WithTLSConfig(trust))
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		options = append(options, gomail.WithPort(port))
	}
	if u.User != nil {
		password, _ := u.User.Password()
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	return gomail.NewClient(u.Hostname(), options...)
}

// writer composes messages.
type writer struct {
	from *mail.Address
	host string
}

func (w writer) compose(m Message) *gomail.Msg {
	msg := gomail.NewMsg()
	msg.FromMailAddress(w.from)
	msg.AddToMailAddress(&mail.Address{Name: oneLine(m.ToName), Address: m.ToAddress})
	msg.Subject(oneLine(m.Subject))
	msg.SetMessageIDWithValue(m.ID + "@" + w.host)
	msg.SetDateWithValue(m.Date)
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg
}

// oneLine leaves nothing in a text that could end a header.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
}

// server sends over SMTP.
type server struct {
	writer
	client *gomail.Client
}

// Send counts a message as taken once the server has said so, whatever goes wrong afterwards.
func (s *server) Send(ctx context.Context, m Message) error {
	msg := s.compose(m)
	conn, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return fmt.Errorf("connect to the mail server: %w", err)
	}
	defer s.client.CloseWithSMTPClient(conn)
	err = s.client.SendWithSMTPClient(conn, msg)
	if err == nil || msg.IsDelivered() {
		return nil
	}
	var failure *gomail.SendError
	if errors.As(err, &failure) && failure.ErrorCode() >= 500 {
		return &Refused{reply(err, m)}
	}
	return &unnamed{"send a message: " + reply(err, m), err}
}

// unnamed is an error whose text names no person: it goes into the log.
type unnamed struct {
	text  string
	cause error
}

func (u *unnamed) Error() string { return u.text }
func (u *unnamed) Unwrap() error { return u.cause }

// reply is the server's word, in one line of bounded length, without the address it is about.
func reply(err error, m Message) string {
	text := []rune(strings.ReplaceAll(oneLine(err.Error()), m.ToAddress, "recipient"))
	return string(text[:min(len(text), 300)])
}

// files writes each message into a file named after it.
type files struct {
	writer
	dir string
}

// Send does nothing when the file is there already.
func (f *files) Send(_ context.Context, m Message) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(f.dir, m.ID+".eml")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	temporary, err := os.CreateTemp(f.dir, "*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = f.compose(m).WriteTo(temporary)
	err = errors.Join(err, temporary.Sync(), temporary.Close())
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
