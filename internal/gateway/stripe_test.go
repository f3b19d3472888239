package gateway_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"verbless/internal/gateway"
)

// standIn is a Stripe of our own that remembers: keys, charges, and how often it was asked. trouble may spoil an answer
// after the charge was made.
type standIn struct {
	*httptest.Server
	mu      sync.Mutex
	stored  map[string]stored // by key
	charges []map[string]string
	asked   int
	trouble func(w http.ResponseWriter, n int) bool
	late    map[string]string // status of intents as GET tells it
}

type stored struct {
	status int
	body   any
	form   string
}

func newStandIn(t *testing.T) *standIn {
	s := &standIn{stored: map[string]stored{}, late: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/payment_intents", s.create)
	mux.HandleFunc("GET /v1/payment_intents/search", s.search)
	mux.HandleFunc("GET /v1/payment_intents/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		write(w, 200, map[string]any{"id": r.PathValue("id"), "object": "payment_intent", "status": s.late[r.PathValue("id")]})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func (s *standIn) create(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if r.Header.Get("Authorization") != "Bearer sk_test_good" {
		write(w, 401, map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": "Invalid API Key provided"}})
		return
	}
	r.ParseForm()
	key := r.Header.Get("Idempotency-Key")
	answer, known := s.stored[key]
	if known && answer.form != r.Form.Encode() {
		write(w, 400, map[string]any{"error": map[string]any{"type": "idempotency_error"}})
		return
	}
	if !known {
		answer = s.judge(r, key)
		s.stored[key] = answer
	}
	if s.trouble != nil && s.trouble(w, s.asked) {
		return
	}
	write(w, answer.status, answer.body)
}

func (s *standIn) judge(r *http.Request, key string) stored {
	intent := map[string]any{"id": "pi_" + key, "object": "payment_intent", "status": "succeeded", "metadata": map[string]string{"payment_attempt": r.Form.Get("metadata[payment_attempt]")}}
	answer := stored{200, intent, r.Form.Encode()}
	switch token := r.Form.Get("payment_method") + r.Form.Get("confirmation_token"); token {
	case "pm_declined":
		answer.status, answer.body = 402, map[string]any{"error": map[string]any{"type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds", "payment_intent": intent}}
	case "pm_gone":
		answer.status, answer.body = 400, map[string]any{"error": map[string]any{"type": "invalid_request_error", "code": "resource_missing"}}
	case "pm_slow":
		intent["status"] = "processing"
		s.late["pi_"+key] = "processing"
	default:
		s.charges = append(s.charges, map[string]string{"key": key, "token": token, "amount": r.Form.Get("amount"), "currency": r.Form.Get("currency"), "confirm": r.Form.Get("confirm")})
	}
	return answer
}

func (s *standIn) search(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []any{}
	for _, c := range s.charges {
		if r.FormValue("query") == "metadata['payment_attempt']:'"+c["key"]+"'" {
			found = append(found, map[string]any{"id": "pi_" + c["key"], "object": "payment_intent", "status": "succeeded", "metadata": map[string]string{"payment_attempt": c["key"]}})
		}
	}
	write(w, 200, map[string]any{"object": "search_result", "url": "/v1/payment_intents/search", "has_more": false, "data": found})
}

func charge(key, token string) gateway.Charge {
	return gateway.Charge{Key: key, Token: token, Minor: 1250, Currency: "EUR", Invoice: "INV-000001"}
}

func TestStripeOutcomes(t *testing.T) {
	s := newStandIn(t)
	g := gateway.NewStripe("sk_test_good", s.URL)
	for _, test := range []struct {
		charge gateway.Charge
		want   gateway.Result
	}{
		{charge("a", "pm_card_visa"), gateway.Result{Status: gateway.Succeeded, Reference: "pi_a"}},
		{charge("c", "ctoken_1"), gateway.Result{Status: gateway.Succeeded, Reference: "pi_c"}},
		{charge("d", "pm_declined"), gateway.Result{Status: gateway.Declined, Reference: "pi_d", Reason: "insufficient_funds"}},
		{charge("e", "pm_gone"), gateway.Result{Status: gateway.Declined, Reason: "resource_missing"}},
		{charge("f", "pm_slow"), gateway.Result{Status: gateway.Pending, Reference: "pi_f"}},
	} {
		for range 2 { // asked twice, charged once
			if got, err := g.Charge(context.Background(), test.charge); err != nil || got != test.want {
				t.Errorf("%+v: got %+v, %v", test.charge, got, err)
			}
		}
	}
	if len(s.charges) != 2 || s.charges[0]["amount"] != "1250" || s.charges[0]["currency"] != "eur" || s.charges[0]["confirm"] != "true" {
		t.Errorf("charges: %v", s.charges)
	}
	s.late["pi_f"] = "succeeded"
	slow := charge("f", "pm_slow")
	slow.Again, slow.Reference = true, "pi_f"
	if got, err := g.Charge(context.Background(), slow); err != nil || got.Status != gateway.Succeeded {
		t.Errorf("late success: %+v, %v", got, err)
	}
}

// TestStripeTroubleAfterCharging: whatever spoils the answer, the outcome is unknown, and asking again finds the one charge.
func TestStripeTroubleAfterCharging(t *testing.T) {
	troubles := map[string]func(w http.ResponseWriter, n int) bool{
		"drop": func(w http.ResponseWriter, n int) bool {
			if n == 1 {
				panic(http.ErrAbortHandler)
			}
			return false
		},
		"500": func(w http.ResponseWriter, n int) bool {
			if n == 1 {
				write(w, 500, map[string]any{"error": map[string]any{"type": "api_error"}})
			}
			return n == 1
		},
		"500 for ever": func(w http.ResponseWriter, n int) bool {
			write(w, 500, map[string]any{"error": map[string]any{"type": "api_error"}})
			return true
		},
		"429": func(w http.ResponseWriter, n int) bool {
			if n == 1 {
				write(w, 429, map[string]any{"error": map[string]any{"type": "rate_limit"}})
			}
			return n == 1
		},
		"garbage": func(w http.ResponseWriter, n int) bool {
			if n == 1 {
				w.Write([]byte("<html>"))
			}
			return n == 1
		},
	}
	for name, trouble := range troubles {
		t.Run(name, func(t *testing.T) {
			s := newStandIn(t)
			s.trouble = trouble
			g := gateway.NewStripe("sk_test_good", s.URL)
			first := charge("a", "pm_card_visa")
			if got, err := g.Charge(context.Background(), first); err == nil {
				t.Errorf("the first answer was %+v", got)
			}
			first.Again = true
			if got, err := g.Charge(context.Background(), first); err != nil || got.Status != gateway.Succeeded {
				t.Errorf("asked again: %+v, %v", got, err)
			}
			if len(s.charges) != 1 {
				t.Errorf("%d charges", len(s.charges))
			}
		})
	}
}

// TestStripeForgetsKeys: when a key may have been forgotten, it is never sent again.
func TestStripeForgetsKeys(t *testing.T) {
	s := newStandIn(t)
	g := gateway.NewStripe("sk_test_good", s.URL)
	made, lost := charge("made", "pm_card_visa"), charge("lost", "pm_card_visa")
	if _, err := g.Charge(context.Background(), made); err != nil {
		t.Fatal(err)
	}
	s.stored = map[string]stored{}
	asked := s.asked
	for _, test := range []struct {
		charge gateway.Charge
		want   gateway.Result
	}{{made, gateway.Result{Status: gateway.Succeeded, Reference: "pi_made"}}, {lost, gateway.Result{Status: gateway.Declined, Reason: "never_charged"}}} {
		test.charge.Again, test.charge.Age = true, 24*time.Hour
		if got, err := g.Charge(context.Background(), test.charge); err != nil || got != test.want {
			t.Errorf("%s: %+v, %v", test.charge.Key, got, err)
		}
	}
	if s.asked != asked || len(s.charges) != 1 {
		t.Errorf("asked %d times, %d charges", s.asked-asked, len(s.charges))
	}
}

func TestStripeRefusesTheAccount(t *testing.T) {
	s := newStandIn(t)
	g := gateway.NewStripe("sk_test_wrong", s.URL)
	c := charge("a", "pm_card_visa")
	if got, err := g.Charge(context.Background(), c); err != nil || got.Status != gateway.Declined {
		t.Errorf("at first: %+v, %v", got, err)
	}
	c.Again = true // by now nobody knows whether an earlier request went through
	if got, err := g.Charge(context.Background(), c); err == nil || strings.Contains(err.Error(), "sk_test") {
		t.Errorf("again: %+v, %v", got, err)
	}
}

func TestStripeAmounts(t *testing.T) {
	s := newStandIn(t)
	g := gateway.NewStripe("sk_test_good", s.URL)
	for i, test := range []struct {
		minor    int64
		currency string
		want     string // empty: cannot be charged
	}{
		{1250, "EUR", "1250"}, {12, "JPY", "12"}, {12, "ISK", "1200"}, {12, "UGX", "1200"}, {1200, "MGA", "12"}, {1250, "MGA", ""}, {1250, "KWD", "1250"}, {1251, "KWD", ""}, {10000, "CLF", ""},
	} {
		c := charge(fmt.Sprint(i), "pm_card_visa")
		c.Minor, c.Currency = test.minor, test.currency
		before := len(s.charges)
		got, err := g.Charge(context.Background(), c)
		switch {
		case err != nil:
			t.Errorf("%d %s: %v", test.minor, test.currency, err)
		case test.want == "":
			if got.Status != gateway.Declined || len(s.charges) != before {
				t.Errorf("%d %s: %+v", test.minor, test.currency, got)
			}
		case len(s.charges) != before+1 || s.charges[before]["amount"] != test.want:
			t.Errorf("%d %s: %v", test.minor, test.currency, s.charges[before:])
		}
	}
}

// TestStripeWire asks Stripe's own mock, which judges every request by Stripe's description of its API.
func TestStripeWire(t *testing.T) {
	program, err := exec.LookPath("stripe-mock")
	if err != nil {
		if program, err = filepath.Abs("../../.cache/bin/stripe-mock"); err == nil {
			_, err = os.Stat(program)
		}
	}
	if err != nil {
		if os.Getenv("VERBLESS_TEST_REQUIRE") != "" {
			t.Fatal("stripe-mock is needed; scripts/test installs it")
		}
		t.Skip("stripe-mock is not installed; scripts/test does that")
	}
	port := freePort(t)
	mock := exec.Command(program, "-http-port", port, "-https-port", "-1")
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mock.Process.Kill(); mock.Wait() })
	address := "http://127.0.0.1:" + port
	await(t, address)
	g := gateway.NewStripe("sk_test_123", address)
	for _, token := range []string{"pm_card_visa", "ctoken_1"} {
		got, err := g.Charge(context.Background(), charge("key-"+token, token))
		if err != nil || got.Reference == "" || got.Reason == "parameter_unknown" || strings.Contains(got.Reason, "invalid_request") {
			t.Errorf("%s: %+v, %v", token, got, err)
		}
	}
	found := charge("key", "pm_card_visa")
	found.Again, found.Reference = true, "pi_1"
	if got, err := g.Charge(context.Background(), found); err != nil || got.Reference == "" {
		t.Errorf("retrieve: %+v, %v", got, err)
	}
	found.Reference, found.Age = "", 24*time.Hour
	if got, err := g.Charge(context.Background(), found); err != nil || got.Reason != "never_charged" {
		t.Errorf("search: %+v, %v", got, err)
	}
	wrong := gateway.NewStripe("not a key", address)
	if got, err := wrong.Charge(context.Background(), charge("key", "pm_card_visa")); err == nil && got.Status != gateway.Declined {
		t.Errorf("a wrong key: %+v", got)
	}
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// await asks until somebody answers.
func await(t *testing.T, address string) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{}}, Timeout: time.Second}
	for range 200 {
		if response, err := client.Get(address); err == nil {
			response.Body.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("stripe-mock does not answer")
}
