//go:build linux

package faults

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"verbless/internal/db/dbtest"
)

// TestKillWhilePaying ends the server at random moments while invoices are made, published and paid. Whatever was lost on the
// way, every invoice is charged at most once, is paid exactly when it was charged, and tells its owner once.
func TestKillWhilePaying(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		killWhilePaying(t, start(t, launch{flags: hastyGateway}), pick(8, 60))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killWhilePaying(t, start(t, launch{database: dbtest.Postgres(t), flags: hastyGateway}), pick(4, 30))
	})
}

var hastyGateway = []string{"--gateway-timeout", "200ms"}

// till is the clients that pay, and what they were told.
type till struct {
	mu     sync.Mutex
	url    string
	token  string
	paid   map[string]string // attempts that were said to have succeeded, by invoice
	open   map[string]string // requests whose answer was lost, by invoice
	number int
}

func (l *till) where() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.url
}

// one makes an invoice, publishes it and pays it. It gives up at the first answer that is lost.
func (l *till) one(client *http.Client, n int) {
	made, err := send(client, l.where(), l.token, "POST /invoices", `{"data":{"attributes":{"amount":12.5,"currency":"EUR"}}}`)
	if err != nil || made.status != 201 {
		return
	}
	path := "/invoices/" + made.member("data", "id")
	moved, err := send(client, l.where(), l.token, "PATCH "+path, `{"data":{"attributes":{"status":"published"}}}`)
	if err != nil || moved.status != 200 {
		return
	}
	body := payment(moved.member("data", "attributes", "number"), []string{"tok_ok", "tok_ok", "tok_timeout"}[n%3])
	attempt, err := send(client, l.where(), l.token, "POST "+path+"/payment_attempts", body, "Idempotency-Key: "+key(path))
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil || attempt.status >= 500:
		l.open[path] = body
	case attempt.status == 201 && attempt.member("data", "attributes", "status") == "succeeded":
		l.paid[path] = attempt.member("data", "id")
	}
	l.number++
}

func key(path string) string { return "pay." + path[len("/invoices/"):] }

func payment(number, token string) string {
	return fmt.Sprintf(`{"invoice_number":%q,"amount":12.50,"payment_token":%q}`, number, token)
}

// member is a text deep in the body.
func (a answer) member(path ...string) string {
	var at any
	json.Unmarshal(a.body, &at)
	for _, name := range path {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	text, _ := at.(string)
	return text
}

func killWhilePaying(t *testing.T, s *server, kills int) {
	s.want(t, 200, "PATCH /users/me", `{"email":"admin@example.com"}`)
	l := &till{url: s.url, token: s.token, paid: map[string]string{}, open: map[string]string{}}
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			client := newClient()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					l.one(client, n)
				}
			}
		})
	}
	for range kills {
		before := l.done()
		eventually(t, "invoices get paid", func() bool { return l.done() >= before+5 })
		time.Sleep(rand.N(200 * time.Millisecond))
		s.kill()
		s = s.again(t)
		l.mu.Lock()
		l.url = s.url
		l.mu.Unlock()
	}
	close(stop)
	workers.Wait()
	at := s.store()
	eventually(t, "every attempt is settled and every notice sent", func() bool { return at.number(t, `SELECT COUNT(*) FROM tasks`) == 0 })
	for path, body := range l.open { // what was lost is found by its key, or done now
		a := s.want(t, 201, "POST "+path+"/payment_attempts", body, "Idempotency-Key: "+key(path))
		l.paid[path] = a.member("data", "id")
	}
	eventually(t, "every attempt is settled and every notice sent", func() bool { return at.number(t, `SELECT COUNT(*) FROM tasks`) == 0 })
	for path, id := range l.paid {
		if got := s.want(t, 200, "GET "+path+"/payment_attempts/"+id, "").member("data", "attributes", "status"); got != "succeeded" {
			t.Errorf("%s was said to have succeeded, and is %s", id, got)
		}
	}
	report(t, "in the end", at.auditMoney(t))
	letters, err := filepath.Glob(filepath.Join(s.how.dir, "mail", "*.eml"))
	if paid := at.number(t, `SELECT COUNT(*) FROM invoices WHERE status = 'paid'`); err != nil || len(letters) != paid {
		t.Errorf("%d letters tell of %d payments, %v", len(letters), paid, err)
	}
	t.Logf("%d kills, %d payments known at once, %d lost answers", kills, len(l.paid)-len(l.open), len(l.open))
	if len(l.open) == 0 {
		t.Error("no answer was lost, so nothing was proved")
	}
	at.control(t)
	s.kill()
	at.check(t)
}

func (l *till) done() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number
}

func (s store) number(t testing.TB, text string) (n int) {
	t.Helper()
	pool, err := sql.Open(s.driver, s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.QueryRow(text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// moneyRules each count what must not be there.
var moneyRules = map[string]string{
	"an invoice was charged twice":             `SELECT COUNT(*) FROM (SELECT invoice FROM test_charges WHERE status = 'succeeded' GROUP BY invoice HAVING COUNT(*) > 1) AS twice`,
	"an invoice was charged and is not paid":   `SELECT COUNT(*) FROM invoices WHERE status <> 'paid' AND number IN (SELECT invoice FROM test_charges WHERE status = 'succeeded')`,
	"an invoice is paid and was not charged":   `SELECT COUNT(*) FROM invoices WHERE status = 'paid' AND number NOT IN (SELECT invoice FROM test_charges WHERE status = 'succeeded')`,
	"a paid invoice has not one success":       `SELECT COUNT(*) FROM invoices WHERE status = 'paid' AND (SELECT COUNT(*) FROM payment_attempts WHERE invoice_id = invoices.id AND status = 'succeeded') <> 1`,
	"a paid invoice has no time of it":         `SELECT COUNT(*) FROM invoices WHERE status = 'paid' AND (paid_at IS NULL OR payment_received_at IS NULL OR paying IS NOT NULL)`,
	"an attempt is still open":                 `SELECT COUNT(*) FROM payment_attempts WHERE status = 'pending'`,
	"a paid invoice has not one move to paid":  `SELECT COUNT(*) FROM invoices WHERE status = 'paid' AND (SELECT COUNT(*) FROM transitions WHERE invoice_id = invoices.id AND to_status = 'paid') <> 1`,
	"a paid invoice has not one notice of it":  `SELECT COUNT(*) FROM invoices WHERE status = 'paid' AND (SELECT COUNT(*) FROM notices WHERE invoice_id = invoices.id AND event = 'paid' AND status = 'delivered') <> 1`,
	"a notice tells of what did not happen":    `SELECT COUNT(*) FROM notices WHERE event = 'paid' AND invoice_id NOT IN (SELECT id FROM invoices WHERE status = 'paid')`,
	"there is a gap in the numbers of invoice": `SELECT COUNT(number) - CAST(SUBSTR(MAX(number), 5) AS INTEGER) FROM invoices`,
}

func (s store) auditMoney(t testing.TB) (found findings) {
	t.Helper()
	for rule, text := range moneyRules {
		if n := s.number(t, text); n != 0 {
			found.add("money", "%s: %d", rule, n)
		}
	}
	return found
}

// control breaks the books on purpose, to see that the audit notices.
func (s store) control(t testing.TB) {
	t.Helper()
	pool, err := sql.Open(s.driver, s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	_, err = pool.Exec(`INSERT INTO test_charges (key, invoice, amount, currency, status, created_at) SELECT 'twice', invoice, amount, currency, status, created_at FROM test_charges WHERE status = 'succeeded' LIMIT 1`)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.auditMoney(t)) != 1 {
		t.Error("a second charge went unnoticed")
	}
	if _, err := pool.Exec(`DELETE FROM test_charges WHERE key = 'twice'`); err != nil {
		t.Fatal(err)
	}
}

// TestStopWhilePaying: a server that is asked to stop ends the payments it has begun.
func TestStopWhilePaying(t *testing.T) {
	t.Parallel()
	s := start(t, launch{flags: []string{"--gateway-timeout", "1s"}})
	made := s.want(t, 201, "POST /invoices", `{"data":{"attributes":{"amount":12.5,"currency":"EUR"}}}`)
	path := "/invoices/" + made.member("data", "id")
	number := s.want(t, 200, "PATCH "+path, `{"data":{"attributes":{"status":"published"}}}`).member("data", "attributes", "number")
	var got answer
	var err error
	var paying sync.WaitGroup
	paying.Go(func() {
		got, err = send(newClient(), s.url, s.token, "POST "+path+"/payment_attempts", payment(number, "tok_timeout"))
	})
	at := s.store()
	eventually(t, "the charge is made", func() bool { return at.number(t, `SELECT COUNT(*) FROM test_charges`) == 1 })
	if code := s.stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	paying.Wait()
	if err != nil || got.status != 201 || got.member("data", "attributes", "status") != "pending" {
		t.Errorf("the payer got %v, %v", got, err)
	}
}
