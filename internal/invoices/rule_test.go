package invoices

import (
	"slices"
	"strings"
	"testing"
	"time"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/money"
)

// was is an invoice in a state, with a contact unless it is said otherwise.
func was(status string) *Invoice {
	number, at := "INV-000001", time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	i := &Invoice{ID: "1", Status: status, Amount: money.Price{Amount: money.Of(1250, "EUR")}, Currency: "EUR", Contact: &Contact{Email: "carol@example.com"}}
	if status != draft {
		i.Number, i.Published = &number, &at
	}
	return i
}

// move is a change of status alone.
func move(from *Invoice, to string) (*change.Change[Invoice], error) {
	now := *from
	now.Status = to
	c := &change.Change[Invoice]{Was: from, Now: &now, By: change.Actor{ID: 2, Role: change.Member}, At: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)}
	return c, rule(c)
}

// TestEveryPairOfStates walks the whole table of the interface, written out once more by hand.
func TestEveryPairOfStates(t *testing.T) {
	table := map[string]string{
		draft:     "published",
		published: "draft sent paid",
		sent:      "failed paid",
		failed:    "paid",
		paid:      "",
	}
	for _, from := range states {
		for _, to := range states {
			c, err := move(was(from), to)
			switch allowed := slices.Contains(strings.Fields(table[from]), to); {
			case from == to:
				if err != nil {
					t.Errorf("%s may not stay: %v", from, err)
				}
			case allowed && err != nil:
				t.Errorf("%s to %s: %v", from, to, err)
			case !allowed:
				f := fault.As(err)
				if f.Code != fault.TransitionRefused || f.Details["from"] != from || f.Details["to"] != to || f.Details["reason"] != notInTable || f.Pointer != "/status" {
					t.Errorf("%s to %s: %+v", from, to, f)
				} else if got := f.Details["allowed"].([]string); strings.Join(sorted(got), " ") != strings.Join(sorted(strings.Fields(table[from])), " ") {
					t.Errorf("%s to %s: allowed are %v", from, to, got)
				}
			default:
				checkTimes(t, c)
			}
			if reason, _ := was(from).refusal(to); (reason == "") != slices.Contains(strings.Fields(table[from]), to) {
				t.Errorf("the status resource says %q of %s to %s", reason, from, to)
			}
		}
	}
}

func sorted(list []string) []string { slices.Sort(list); return list }

// checkTimes: the time of the state entered is set, and that of publishing goes with the way back.
func checkTimes(t *testing.T, c *change.Change[Invoice]) {
	t.Helper()
	times := map[string]*time.Time{published: c.Now.Published, sent: c.Now.Sent, failed: c.Now.Failed, paid: c.Now.Paid}
	for state, at := range times {
		want := map[string]*time.Time{published: c.Was.Published, sent: c.Was.Sent, failed: c.Was.Failed, paid: c.Was.Paid}[state]
		switch {
		case state == c.Now.Status:
			want = &c.At
		case state == published && c.Now.Status == draft:
			want = nil
		}
		if !same(at, want) {
			t.Errorf("%s to %s: %s_at is %v", c.Was.Status, c.Now.Status, state, at)
		}
	}
	if c.Now.Received != nil {
		t.Error("no payment was received")
	}
}

func TestGuards(t *testing.T) {
	nobody := was(published)
	nobody.Contact = nil
	if _, err := move(nobody, sent); fault.As(err).Details["reason"] != contactMissing {
		t.Errorf("without a contact: %v", err)
	}
	if _, err := move(nobody, paid); err != nil {
		t.Errorf("without a contact: %v", err)
	}
	company := "c"
	nobody.Company = &company
	if _, err := move(nobody, sent); fault.As(err).Details["reason"] != contactMissing || slices.Contains(fault.As(err).Details["allowed"].([]string), sent) {
		t.Errorf("with a company that has no contact: %v", err)
	}
	nobody.reach = &Contact{Email: "ann@acme.example"}
	if _, err := move(nobody, sent); err != nil || nobody.contact().Email != "ann@acme.example" {
		t.Errorf("with a company that has a contact: %v", err)
	}
	if _, err := move(nobody, failed); !slices.Contains(fault.As(err).Details["allowed"].([]string), sent) {
		t.Errorf("it may be sent, but that is not said: %v", err)
	}
	if both := was(published); true {
		both.reach = nobody.reach
		if both.contact() != both.Contact {
			t.Error("the invoice's own contact does not come first")
		}
	}
	attempt := "a"
	for _, from := range []string{published, sent, failed} {
		paying := was(from)
		paying.Paying = &attempt
		for _, to := range moves[from] {
			if _, err := move(paying, to); fault.As(err).Details["reason"] != paymentPending {
				t.Errorf("%s to %s while paying: %v", from, to, err)
			}
		}
		now := *paying
		now.Status, now.Paying = paid, nil
		if err := rule(&change.Change[Invoice]{Was: paying, Now: &now}); err != nil {
			t.Errorf("the payment itself cannot pay a %s invoice: %v", from, err)
		}
	}
}

// TestContentIsLocked changes each member in each state.
func TestContentIsLocked(t *testing.T) {
	due, other := "2026-12-31", money.Price{Amount: money.Of(1300, "EUR")}
	for name, edit := range map[string]func(*Invoice){
		"amount":       func(i *Invoice) { i.Amount = other },
		"currency":     func(i *Invoice) { i.Currency = "USD" },
		"description":  func(i *Invoice) { i.Description = "x" },
		"line_items":   func(i *Invoice) { i.Items = LineItems{{"x", money.Of(1250, "EUR")}} },
		"due_on":       func(i *Invoice) { i.Due = &due },
		"contact_info": func(i *Invoice) { i.Contact = &Contact{Email: "dave@example.com"} },
		"company":      func(i *Invoice) { i.Company = &due },
		"metadata":     func(i *Invoice) { i.Metadata = []byte(`{"a":1}`) },
	} {
		for _, state := range states {
			before := was(state)
			now := *before
			edit(&now)
			err := rule(&change.Change[Invoice]{Was: before, Now: &now})
			free := state == draft || name == "metadata" || name == "contact_info" && state == published
			if free && err != nil {
				t.Errorf("%s of a %s invoice: %v", name, state, err)
			}
			if f := fault.As(err); !free && (f.Code != fault.ValidationFailed || f.Parts[0].Code != fault.ReadOnly || f.Parts[0].Pointer != "/"+name) {
				t.Errorf("%s of a %s invoice: %v", name, state, err)
			}
		}
	}
}

func TestRemoval(t *testing.T) {
	for _, state := range states {
		err := rule(&change.Change[Invoice]{Was: was(state)})
		if (err == nil) != (state == draft) || err != nil && !fault.Is(err, fault.InvoiceKept) {
			t.Errorf("%s: %v", state, err)
		}
	}
	again := was(draft)
	again.Number = was(published).Number
	if err := rule(&change.Change[Invoice]{Was: again}); !fault.Is(err, fault.InvoiceKept) {
		t.Errorf("a draft that had a number: %v", err)
	}
}

func TestBirth(t *testing.T) {
	for _, state := range append([]string{""}, states...) {
		now := was(draft)
		now.Status = state
		err := rule(&change.Change[Invoice]{Now: now})
		if (err == nil) != (state == "" || state == draft) || err == nil && now.Status != draft {
			t.Errorf("born as %q: %v, %s", state, err, now.Status)
		}
	}
}

// TestCurrencyCanChange as long as the amount fits it.
func TestCurrencyCanChange(t *testing.T) {
	for _, test := range []struct {
		minor    int64
		to       string
		want     int64 // 0: refused
		decimals string
	}{{1200, "JPY", 12, "12"}, {1250, "JPY", 0, ""}, {1250, "KWD", 12500, "12.500"}, {1250, "USD", 1250, "12.50"}, {1250, "XXX", 0, ""}} {
		before := was(draft)
		before.Amount.Amount = money.Amount{} // as it comes from the store: its decimals are not known yet
		if err := before.Amount.Scan(test.minor); err != nil {
			t.Fatal(err)
		}
		now := *before
		now.Currency = test.to
		err := rule(&change.Change[Invoice]{Was: before, Now: &now})
		switch {
		case test.want == 0 && err == nil:
			t.Errorf("%d became %s %s", test.minor, now.Amount, test.to)
		case test.want != 0 && (err != nil || now.Amount.Minor() != test.want || now.Amount.String() != test.decimals):
			t.Errorf("%d in %s: %s, %v", test.minor, test.to, now.Amount, err)
		}
	}
}

func TestAudience(t *testing.T) {
	for state, want := range map[string]string{draft: "", published: "", sent: "contact", failed: "contact owner", paid: "owner"} {
		if got := strings.Join(audience[state], " "); got != want {
			t.Errorf("%s is told to %q", state, got)
		}
	}
}

// TestNoticesMove only from dead to queued.
func TestNoticesMove(t *testing.T) {
	all := []string{noticeQueued, noticeSending, noticeDelivered, noticeDead}
	address := "new@example.com"
	for _, from := range all {
		for _, to := range all {
			c := &change.Change[Notice]{Was: &Notice{Status: from}, Now: &Notice{Status: to}, By: change.Actor{ID: 2}}
			if err := noticeRule(c); (err == nil) != (from == to || from == noticeDead && to == noticeQueued) {
				t.Errorf("%s to %s: %v", from, to, err)
			}
		}
		c := &change.Change[Notice]{Was: &Notice{Status: from}, Now: &Notice{Status: from, Address: &address}, By: change.Actor{ID: 2}}
		if err := noticeRule(c); (err == nil) != (from == noticeDead) {
			t.Errorf("a new address while %s: %v", from, err)
		}
	}
}
