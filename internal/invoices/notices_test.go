package invoices_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/gateway"
	"verbless/internal/mail/mailtest"
)

// mailed runs fn on both engines, each with a mail server of its own.
func mailed(t *testing.T, fn func(t *testing.T, s *apptest.Server, server *mailtest.Server)) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		own := mailtest.Start(t, false)
		node := s.Beside(t, func(c *config.Settings) { c.SMTP, c.MailFrom = own.URL, "billing@example.com" })
		s.Want(t, 200, s.Alice, "PATCH /users/me", `{"email":"alice@example.com","name":"Alice"}`)
		fn(t, node, own)
	})
}

// told lists what the mail server took: "to: subject".
func told(server *mailtest.Server) []string {
	var list []string
	for _, m := range server.Messages() {
		list = append(list, m.To+": "+m.Mail.Header.Get("Subject"))
	}
	return list
}

func expectMails(t *testing.T, server *mailtest.Server, want ...string) {
	t.Helper()
	if got := strings.Join(told(server), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the mails are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestNotices are exactly those of the interface's table.
func TestNotices(t *testing.T) {
	mailed(t, func(t *testing.T, s *apptest.Server, server *mailtest.Server) {
		path, _ := bill(t, s, "published")
		s.Work(t)
		expectMails(t, server)
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("sent"))
		s.Work(t)
		expectMails(t, server, "carol@example.com: Invoice INV-000001 over 12.50 EUR")
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("failed"))
		s.Work(t)
		expectMails(t, server, "carol@example.com: Invoice INV-000001 over 12.50 EUR",
			"carol@example.com: Invoice INV-000001: payment failed", "alice@example.com: Invoice INV-000001: payment failed")
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("paid"))
		for range 3 { // once is all
			s.Clock.Move(24 * time.Hour)
			s.Work(t)
		}
		expectMails(t, server, "carol@example.com: Invoice INV-000001 over 12.50 EUR",
			"carol@example.com: Invoice INV-000001: payment failed", "alice@example.com: Invoice INV-000001: payment failed", "alice@example.com: Invoice INV-000001 was paid")
		list := s.Want(t, 200, s.Alice, "GET "+path+"/notices?status=delivered", "", "Prefer: count=exact")
		for i, id := range []string{"0", "1", "2", "3"} {
			message := server.Messages()[3-i].Mail
			if want := "<" + list.Text("data."+id+".id") + "@127.0.0.1>"; message.Header.Get("Message-ID") != want {
				t.Errorf("Message-ID %s, want %s", message.Header.Get("Message-ID"), want)
			}
		}
		if n := s.Count(t, `SELECT COUNT(*) FROM tasks`); n != 0 {
			t.Errorf("%d tasks are left", n)
		}
	})
}

// TestMailServerAway: moves go on, and the mails come once it is back. One that is refused for ever is kept as dead, until
// somebody sends it again.
func TestMailServerAway(t *testing.T) {
	mailed(t, func(t *testing.T, s *apptest.Server, server *mailtest.Server) {
		server.Spoil(func(step string, n int) error {
			switch {
			case step == "connect" && n == 1:
				return &smtp.SMTPError{Code: 421, Message: "not now"}
			case step == "connect" && n == 2:
				return mailtest.Drop
			case step == "rcpt" && n == 1:
				return &smtp.SMTPError{Code: 451, Message: "greylisted"}
			case step == "rcpt" && n == 2:
				return &smtp.SMTPError{Code: 550, Message: "no such user"}
			}
			return nil
		})
		path, _ := bill(t, s, "published", "sent")
		for range 4 {
			s.Work(t)
			s.Clock.Move(2 * time.Hour)
		}
		expectMails(t, server)
		notice := s.Want(t, 200, s.Alice, "GET "+path+"/notices", "")
		if notice.Text("data.0.attributes.status") != "dead" || !strings.Contains(notice.Text("data.0.attributes.problem"), "no such user") {
			t.Fatalf("got %s", notice.Body)
		}
		at := path + "/notices/" + notice.Text("data.0.id")
		s.Want(t, 404, s.Bob, "PATCH "+at, to1("queued"))
		s.Want(t, 409, s.Alice, "PATCH "+at, to1("delivered"))
		again := s.Want(t, 200, s.Alice, "PATCH "+at, `{"data":{"attributes":{"status":"queued","address":"caroline@example.com"}}}`)
		if again.Get("data.attributes.problem") != nil {
			t.Errorf("got %s", again.Body)
		}
		s.Work(t)
		expectMails(t, server, "caroline@example.com: Invoice INV-000001 over 12.50 EUR")
		done := s.Want(t, 200, s.Alice, "GET "+at, "")
		if done.Text("data.attributes.status") != "delivered" || done.Text("data.attributes.delivered_at") == "" {
			t.Errorf("got %s", done.Body)
		}
		s.Want(t, 409, s.Alice, "PATCH "+at, to1("queued"))
	})
}

// TestUnknownDelivery: when the server took a mail but could not say so, it is sent again, as the same mail.
func TestUnknownDelivery(t *testing.T) {
	mailed(t, func(t *testing.T, s *apptest.Server, server *mailtest.Server) {
		server.Spoil(func(step string, n int) error {
			if step == "taken" && n == 1 {
				return mailtest.Drop
			}
			return nil
		})
		bill(t, s, "published", "sent")
		s.Work(t)
		s.Clock.Move(time.Hour)
		s.Work(t)
		got := server.Messages()
		if len(got) != 2 || got[0].Mail.Header.Get("Message-ID") != got[1].Mail.Header.Get("Message-ID") {
			t.Errorf("got %v", told(server))
		}
	})
}

// TestGivenUp: after many tries a notice is dead, and the owner sees why.
func TestGivenUp(t *testing.T) {
	mailed(t, func(t *testing.T, s *apptest.Server, server *mailtest.Server) {
		server.Spoil(func(string, int) error { return &smtp.SMTPError{Code: 451, Message: "later"} })
		path, _ := bill(t, s, "published", "sent")
		for range 25 {
			s.Work(t)
			s.Clock.Move(2 * time.Hour)
		}
		notice := s.Want(t, 200, s.Alice, "GET "+path+"/notices?status=dead", "")
		if notice.Get("data.0.attributes.attempts") == nil || notice.Text("data.0.attributes.problem") == "" {
			t.Errorf("got %s", notice.Body)
		}
	})
}

// TestNoAddress: an owner without a mail address is not told, until there is one.
func TestNoAddress(t *testing.T) {
	mailed(t, func(t *testing.T, s *apptest.Server, server *mailtest.Server) {
		s.Want(t, 200, s.Alice, "PATCH /users/me", `{"email":null}`)
		path, number := bill(t, s, "published")
		s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK))
		s.Work(t)
		notice := s.Want(t, 200, s.Alice, "GET "+path+"/notices", "")
		if notice.Text("data.0.attributes.status") != "dead" || notice.Get("data.0.attributes.address") != nil {
			t.Fatalf("got %s", notice.Body)
		}
		s.Want(t, 200, s.Alice, "PATCH /users/me", `{"email":"alice@example.com"}`)
		s.Want(t, 200, s.Alice, "PATCH "+path+"/notices/"+notice.Text("data.0.id"), to1("queued"))
		s.Work(t)
		expectMails(t, server, "alice@example.com: Invoice INV-000001 was paid")
	})
}

// TestFilesWithoutAMailServer: a mail for each notice lies in the data folder, in text and HTML, and nothing that people typed
// becomes anything but text.
func TestFilesWithoutAMailServer(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		made := s.Want(t, 201, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":12.5,"currency":"EUR","description":"Tea\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>",
			"line_items":[{"description":"<b>One</b>","amount":12.5}],"contact_info":{"name":"Carol\r\nBcc: eve@example.com","email":"carol@example.com"}}}}`)
		path := "/invoices/" + made.Text("data.id")
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("published"))
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("sent"))
		s.Work(t)
		id := s.Want(t, 200, s.Alice, "GET "+path+"/notices", "").Text("data.0.id")
		text, err := os.ReadFile(filepath.Join(s.Data, "mail", id+".eml"))
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(text), "\r\n\r\n")
		if strings.Contains(head, "\nBcc:") || !strings.Contains(head, "carol@example.com") {
			t.Errorf("the head is\n%s", head)
		}
		for _, part := range []string{"text/plain", "text/html", "INV-000001", "&lt;script&gt;", "&lt;b&gt;One&lt;/b&gt;", "12.50"} {
			if !strings.Contains(body, part) {
				t.Errorf("there is no %s in\n%s", part, body)
			}
		}
	})
}
