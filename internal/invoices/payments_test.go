package invoices_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
	"verbless/internal/gateway"
)

// bill makes an invoice of alice's and moves it along; it gives its address and its number.
func bill(t testing.TB, s *apptest.Server, moves ...string) (path, number string) {
	t.Helper()
	made := s.Want(t, 201, s.Alice, "POST /invoices", `{"data":{"attributes":{"amount":12.5,"currency":"EUR","contact_info":{"name":"Carol","email":"carol@example.com"}}}}`)
	path = "/invoices/" + made.Text("data.id")
	for _, to := range moves {
		number = s.Want(t, 200, s.Alice, "PATCH "+path, to1(to)).Text("data.attributes.number")
	}
	return path, number
}

// to1 is the body that moves an invoice.
func to1(state string) string { return `{"data":{"attributes":{"status":"` + state + `"}}}` }

func payment(number, token string) string {
	return fmt.Sprintf(`{"invoice_number":%q,"amount":12.50,"payment_token":%q}`, number, token)
}

// together calls fn n times at once.
func together(n int, fn func(i int)) {
	apptest.Parallel(n, func(i int) int {
		fn(i)
		return 0
	})
}

// checkPaid asserts what must hold of an invoice that was paid, whatever happened on the way: one charge, one success, one move,
// one notice.
func checkPaid(t *testing.T, s *apptest.Server, path, number string) {
	t.Helper()
	id := path[len("/invoices/"):]
	for what, n := range map[string]int{
		"charges":   s.Count(t, `SELECT COUNT(*) FROM test_charges WHERE invoice = ? AND status = 'succeeded'`, number),
		"successes": s.Count(t, `SELECT COUNT(*) FROM payment_attempts WHERE invoice_id = ? AND status = 'succeeded'`, id),
		"moves":     s.Count(t, `SELECT COUNT(*) FROM transitions WHERE invoice_id = ? AND to_status = 'paid'`, id),
		"notices":   s.Count(t, `SELECT COUNT(*) FROM notices WHERE invoice_id = ? AND event = 'paid'`, id),
	} {
		if n != 1 {
			t.Errorf("%s: %d", what, n)
		}
	}
	if open := s.Count(t, `SELECT COUNT(*) FROM payment_attempts WHERE invoice_id = ? AND status = 'pending'`, id); open != 0 {
		t.Errorf("%d attempts are still open", open)
	}
	got := s.Want(t, 200, s.Alice, "GET "+path, "")
	if got.Text("data.attributes.status") != "paid" || got.Text("data.attributes.paid_at") == "" || got.Text("data.attributes.payment_received_at") == "" || got.Get("links.pay") != nil {
		t.Errorf("got %s", got.Body)
	}
}

// TestFiftyClients pay one invoice at once, with keys and without: one of them does.
func TestFiftyClients(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) { fiftyClients(t, s, s) })
}

// TestFiftyClientsOnTwoNodes share one database.
func TestFiftyClientsOnTwoNodes(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, dbtest.Postgres(t))
	fiftyClients(t, s, s.Beside(t))
}

func fiftyClients(t *testing.T, nodes ...*apptest.Server) {
	s := nodes[0]
	path, number := bill(t, s, "published")
	answers := make([]apptest.Answer, 50)
	together(len(answers), func(i int) {
		var headers []string
		switch i % 3 {
		case 0: // no key
		case 1:
			headers = []string{"Idempotency-Key: the-same"}
		case 2:
			headers = []string{fmt.Sprintf("Idempotency-Key: %d", i)}
		}
		token := []string{s.Alice, s.Admin}[i%2]
		answers[i] = nodes[i%len(nodes)].Call(t, token, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK), headers...)
	})
	made := map[string]bool{}
	for _, a := range answers {
		switch a.Status {
		case http.StatusCreated:
			made[a.Text("data.id")] = true
		case http.StatusConflict:
			if code := a.Text("code"); code != "invoice_not_payable" && code != "idempotency_in_progress" {
				t.Errorf("refused with %s", a.Body)
			}
		default:
			t.Errorf("%d %s", a.Status, a.Body)
		}
	}
	if len(made) != 1 {
		t.Errorf("%d attempts were made", len(made))
	}
	checkPaid(t, s, path, number)
}

func quick(s *config.Settings) { s.GatewayTimeout = 50 * time.Millisecond }

// TestLateAnswer: the gateway charges, but answers too late. The attempt stays pending and keeps others away until it is settled.
func TestLateAnswer(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path, number := bill(t, s, "published")
		first := s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenTimeout), "Idempotency-Key: late")
		if first.Text("data.attributes.status") != "pending" {
			t.Fatalf("got %s", first.Body)
		}
		again := s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenTimeout), "Idempotency-Key: late")
		if again.Text("data.id") != first.Text("data.id") || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("replayed: %s", again.Body)
		}
		refused := s.Want(t, 409, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK))
		if refused.Text("reason") != "payment_pending" {
			t.Errorf("got %s", refused.Body)
		}
		for _, to := range []string{"draft", "sent", "paid"} {
			if moved := s.Want(t, 409, s.Alice, "PATCH "+path, to1(to)); moved.Text("reason") != "payment_pending" {
				t.Errorf("%s: %s", to, moved.Body)
			}
		}
		if why := s.Want(t, 200, s.Alice, "GET "+path+"/status?to=paid", "").Text("data.attributes.moves.0.reason"); why != "payment_pending" {
			t.Errorf("the status resource says %s", why)
		}
		if s.Work(t) != 0 {
			t.Error("the attempt was settled before its time")
		}
		s.Clock.Move(time.Minute)
		s.Work(t)
		checkPaid(t, s, path, number)
		settled := s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenTimeout), "Idempotency-Key: late")
		if settled.Text("data.attributes.status") != "succeeded" || settled.Text("data.id") != first.Text("data.id") {
			t.Errorf("replayed after settling: %s", settled.Body)
		}
	}, quick)
}

// fickle is a gateway that charges in the ledger of the test gateway, and then may spoil the answer.
type fickle struct {
	gateway.Gateway
	mu    sync.Mutex
	calls int
	after func(n int, r gateway.Result) (gateway.Result, error)
}

func (f *fickle) Charge(ctx context.Context, c gateway.Charge) (gateway.Result, error) {
	result, err := f.Gateway.Charge(ctx, c)
	f.mu.Lock()
	f.calls++
	n := f.calls
	f.mu.Unlock()
	if err != nil {
		return result, err
	}
	return f.after(n, result)
}

// TestTroubleAfterCharging: what goes wrong between the charge and the commit is settled later, by this node or another.
func TestTroubleAfterCharging(t *testing.T) {
	unknown := errors.New("no answer")
	for name, after := range map[string]func(n int, r gateway.Result) (gateway.Result, error){
		"no answer": func(n int, r gateway.Result) (gateway.Result, error) {
			if n == 1 {
				return gateway.Result{}, unknown
			}
			return r, nil
		},
		"no answer for long": func(n int, r gateway.Result) (gateway.Result, error) {
			if n < 4 {
				return gateway.Result{}, unknown
			}
			return r, nil
		},
		"the process dies": func(n int, r gateway.Result) (gateway.Result, error) {
			if n == 1 {
				panic(http.ErrAbortHandler) // nothing after the charge is done
			}
			return r, nil
		},
		"pending, then a late success": func(n int, r gateway.Result) (gateway.Result, error) {
			if n < 3 {
				r.Status = gateway.Pending
			}
			return r, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			apptest.Each(t, func(t *testing.T, s *apptest.Server) {
				s.App.Invoices.Gateway = &fickle{Gateway: s.App.Invoices.Gateway, after: after}
				path, number := bill(t, s, "published")
				func() {
					r, _ := http.NewRequest("POST", s.URL+path+"/payment_attempts", stringReader(payment(number, gateway.TokenOK)))
					r.Header = http.Header{"Authorization": {"Bearer " + s.Alice}, "Content-Type": {"application/json"}, "Idempotency-Key": {"once"}}
					if response, err := http.DefaultTransport.RoundTrip(r); err == nil {
						response.Body.Close()
					}
				}()
				pending := s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK), "Idempotency-Key: once")
				if pending.Text("data.attributes.status") != "pending" {
					t.Errorf("got %s", pending.Body)
				}
				s.Want(t, 409, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK))
				for range 6 { // retries come at most 45 seconds apart
					s.Clock.Move(time.Minute)
					s.Work(t)
				}
				checkPaid(t, s, path, number)
			})
		})
	}
}

// TestNobodyIsChargedTwice when another node settles while the first still waits for its answer.
func TestNobodyIsChargedTwice(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, dbtest.Postgres(t))
	other := s.Beside(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	s.App.Invoices.Gateway = &fickle{Gateway: s.App.Invoices.Gateway, after: func(_ int, r gateway.Result) (gateway.Result, error) {
		close(arrived)
		<-release
		return r, nil
	}}
	path, number := bill(t, s, "published")
	var first apptest.Answer
	var done sync.WaitGroup
	done.Go(func() { first = s.Call(t, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK)) })
	<-arrived
	s.Clock.Move(time.Minute)
	other.Work(t)
	checkPaid(t, other, path, number)
	close(release)
	done.Wait()
	if first.Status != 201 || first.Text("data.attributes.status") != "succeeded" {
		t.Errorf("the first node says %d %s", first.Status, first.Body)
	}
	checkPaid(t, s, path, number)
}

// TestMoveAgainstPayment: whichever comes first, an invoice is paid exactly when it was charged.
func TestMoveAgainstPayment(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, to := range []string{"draft", "sent", "paid"} {
			for range 5 {
				path, number := bill(t, s, "published")
				var paying, moving apptest.Answer
				together(2, func(i int) {
					if i == 0 {
						paying = s.Call(t, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK))
					} else {
						moving = s.Call(t, s.Alice, "PATCH "+path, to1(to))
					}
				})
				charges := s.Count(t, `SELECT COUNT(*) FROM test_charges WHERE invoice = ?`, number)
				status := s.Want(t, 200, s.Alice, "GET "+path, "").Text("data.attributes.status")
				switch {
				case paying.Status == 201 && (charges != 1 || status != "paid" || moving.Status != 409 && to != "paid"):
					t.Errorf("paid against %s: %d charges, %s, the move got %d", to, charges, status, moving.Status)
				case paying.Status == 409 && (charges != 0 || status != to || moving.Status != 200):
					t.Errorf("%s against payment: %d charges, %s, the move got %d", to, charges, status, moving.Status)
				case paying.Status != 201 && paying.Status != 409:
					t.Errorf("%d %s", paying.Status, paying.Body)
				}
			}
		}
	})
}

// TestPayableIsASetting: what the interface shows is what is delivered, but a deployment may allow more.
func TestPayableIsASetting(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path, number := bill(t, s, "published")
		s.Want(t, 409, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK))
		sent := s.Want(t, 200, s.Alice, "PATCH "+path, to1("sent"))
		if sent.Text("links.pay.href") == "" {
			t.Errorf("no link to pay: %s", sent.Body)
		}
		s.Want(t, 200, s.Alice, "PATCH "+path, to1("failed"))
		s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK))
		checkPaid(t, s, path, number)
	}, func(c *config.Settings) { c.Payable = "sent,failed" })
}

// TestTheConstraint holds although code goes past it.
func TestTheConstraint(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		path, number := bill(t, s, "published")
		s.Want(t, 201, s.Alice, "POST "+path+"/payment_attempts", payment(number, gateway.TokenOK))
		err := apptest.Exec(s, `INSERT INTO payment_attempts (id, invoice_id, invoice_number, amount, currency, payment_token, status, user_id, version, created_at)
			SELECT 'another', invoice_id, invoice_number, amount, currency, payment_token, 'pending', user_id, 1, created_at FROM payment_attempts`)
		if err == nil {
			t.Error("an invoice that was paid has an open attempt")
		}
	})
}
