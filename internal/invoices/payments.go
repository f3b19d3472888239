package invoices

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/gateway"
	"verbless/internal/money"
	"verbless/internal/outbox"
	"verbless/internal/query"
	"verbless/internal/rest"
)

// PaymentAttempt is one try to pay an invoice. It is pending until the gateway has said what came of it, and never changes after that.
type PaymentAttempt struct {
	ID        string      `json:"id" db:"id,key" readOnly:"true"`
	Number    string      `json:"invoice_number" db:"invoice_number,fixed" required:"true" maxLength:"50" examples:"INV-000042" doc:"Must be the invoice's."`
	Amount    money.Price `json:"amount" db:"amount,fixed" required:"true" doc:"Must be the amount due."`
	Currency  string      `json:"currency" db:"currency,fixed" readOnly:"true"`
	Token     string      `json:"payment_token" db:"payment_token,fixed" required:"true" minLength:"1" maxLength:"500" examples:"tok_ok" doc:"Stands for a means of payment; handed to the payment gateway."`
	Status    string      `json:"status" db:"status" enum:"pending,succeeded,declined" readOnly:"true" api:"filter"`
	Reason    *string     `json:"reason" db:"reason" readOnly:"true" doc:"Why it was declined, in the gateway's words for machines."`
	Reference *string     `json:"reference" db:"reference" readOnly:"true" doc:"What the gateway calls it."`
	By        int64       `json:"-" db:"user_id,fixed" link:"by"`
	Invoice   string      `json:"-" db:"invoice_id,fixed" link:"invoice" api:"parent"`
	Version   int64       `json:"-" db:"version,version"`
	Created   time.Time   `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
	Settled   *time.Time  `json:"settled_at" db:"settled_at" readOnly:"true" api:"filter"`
}

// MoneyIn is the currency of the amount.
func (p *PaymentAttempt) MoneyIn() string { return p.Currency }

const pending = string(gateway.Pending)

var errStillPending = errors.New("the gateway does not know yet")

// settleTask asks the gateway again for what it made of an attempt.
const settleTask = "settle payment"

func (b *Book) payments() rest.Resource {
	return rest.Collection[PaymentAttempt]{
		Name: "payment_attempts", One: "payment_attempt", Shape: rest.Document("payment_attempt").OrBare(), Store: b.attempts, Methods: "GET POST", NoStore: true,
		Relations: []rest.Relation{{Name: "by", To: "users", Via: "user_id", At: "id", Doc: "Who paid."}},
		Finish:    b.pay, Options: b.offer,
		Doc: "One try to pay an invoice. POST takes the document, or its attributes alone.",
	}
}

// attemptRule lets an attempt begin as pending, and end once.
func attemptRule(c *change.Change[PaymentAttempt]) error {
	switch {
	case c.Born():
		c.Now.Status, c.Now.By = pending, c.By.ID
	case !c.Dying() && c.Was.Status != c.Now.Status:
		c.Now.Settled = &c.At
	}
	return nil
}

// lockInvoice takes the invoice before the attempt, as opening does, so that the two never wait for each other.
func lockInvoice(ctx context.Context, tx *db.Tx, key []query.Cond) error {
	return tx.LockRow(ctx, "invoices", "id", key[0].Values[0])
}

// open marks the invoice as being paid, before the attempt is written and in its transaction. From then on nobody else can
// pay or move it. Should this process die, a task settles the attempt.
func (b *Book) open(ctx context.Context, _ *db.Tx, c *change.Change[PaymentAttempt]) error {
	if !c.Born() {
		return nil
	}
	attempt := c.Now
	done, err := b.invoices.Change(ctx, c.By, byID(attempt.Invoice), func(was *Invoice) (*Invoice, error) {
		if err := b.accepts(was, attempt); err != nil {
			return nil, err
		}
		now := *was
		now.Paying = &attempt.ID
		return &now, nil
	})
	if err != nil {
		return err
	}
	attempt.Amount, attempt.Currency = done.Now.Amount, done.Now.Currency
	return b.Queue.Put(ctx, settleTask, attempt.ID, b.Timeout+10*time.Second)
}

// accepts tells whether the attempt is one to pay the invoice as it is now.
func (b *Book) accepts(i *Invoice, p *PaymentAttempt) error {
	refused := func(reason, message string) error {
		return fault.New(fault.InvoiceNotPayable, "%s", message).With("invoice_status", i.Status).With("reason", reason)
	}
	switch {
	case i.Paying != nil:
		return refused(paymentPending, "A payment of this invoice is under way.")
	case !b.payable(i):
		return refused("status", "An invoice that is "+i.Status+" cannot be paid.")
	}
	var bad fault.List
	if p.Number != *i.Number {
		bad.Add(fault.New(fault.NotAllowedValue, "This must be the invoice's number, %s.", *i.Number).At("/invoice_number"))
	}
	due := money.Of(i.Amount.Minor(), i.Currency)
	if in, ok := p.Amount.In(i.Currency); !ok || in.Minor() != due.Minor() {
		bad.Add(fault.New(fault.NotAllowedValue, "This must be the amount due, %s.", due).At("/amount"))
	}
	return bad.Err()
}

// pay asks the gateway. The attempt is on disk by now. Who asked may have gone; the payment goes on.
func (b *Book) pay(ctx context.Context, _ change.Actor, p *PaymentAttempt) (*PaymentAttempt, error) {
	ctx = context.WithoutCancel(ctx)
	result, err := b.charge(ctx, p, false)
	if err != nil {
		b.Log.WarnContext(ctx, "the outcome of a payment is not known yet", "payment_attempt", p.ID, "error", err)
		return p, nil // pending: a task will find out
	}
	return b.settle(ctx, p, result)
}

func (b *Book) charge(ctx context.Context, p *PaymentAttempt, again bool) (gateway.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, b.Timeout)
	defer cancel()
	charge := gateway.Charge{Key: p.ID, Token: p.Token, Minor: p.Amount.Minor(), Currency: p.Currency, Invoice: p.Number, Age: b.DB.Now().Sub(p.Created), Again: again}
	if p.Reference != nil {
		charge.Reference = *p.Reference
	}
	return b.Gateway.Charge(ctx, charge)
}

// settle writes down the gateway's word, once.
func (b *Book) settle(ctx context.Context, p *PaymentAttempt, r gateway.Result) (*PaymentAttempt, error) {
	done, err := b.attempts.Change(ctx, change.Actor{ID: p.By}, attemptKey(p), func(was *PaymentAttempt) (*PaymentAttempt, error) {
		if was.Status != pending {
			return was, nil
		}
		now := *was
		now.Status = string(r.Status)
		now.Reference, now.Reason = orNil(r.Reference), orNil(r.Reason)
		return &now, nil
	})
	if err != nil {
		return nil, err
	}
	return done.Now, nil
}

func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func byID(id string) []query.Cond { return []query.Cond{query.Is("id", id)} }

func attemptKey(p *PaymentAttempt) []query.Cond {
	return []query.Cond{query.Is("invoice_id", p.Invoice), query.Is("id", p.ID)}
}

// close lets go of the invoice when an attempt has ended, and moves it to paid after a success, in the attempt's transaction.
func (b *Book) close(ctx context.Context, _ *db.Tx, c *change.Change[PaymentAttempt]) error {
	if c.Born() || c.Dying() || c.Now.Status == pending {
		return nil
	}
	_, err := b.invoices.Change(context.WithValue(ctx, causeKey{}, c.Now.ID), c.By, byID(c.Now.Invoice), func(was *Invoice) (*Invoice, error) {
		now := *was
		now.Paying = nil
		if c.Now.Status == string(gateway.Succeeded) {
			now.Status, now.Received = paid, &c.At
		}
		return &now, nil
	})
	if err != nil {
		return err
	}
	return b.Queue.Drop(ctx, settleTask, c.Now.ID)
}

// resume settles an attempt whose end nobody saw: it asks the gateway again, with the same key.
func (b *Book) resume(ctx context.Context, t outbox.Task) error {
	p, err := b.attempts.Get(ctx, byID(t.Key))
	if fault.Is(err, fault.NotFoundCode) || err == nil && p.Status != pending {
		return nil
	}
	if err != nil {
		return err
	}
	result, err := b.charge(ctx, p, true)
	if err != nil {
		return err
	}
	if p, err = b.settle(ctx, p, result); err == nil && p.Status == pending {
		return errStillPending
	}
	return err
}

// offer tells in OPTIONS what can be done here now: nothing, or one payment, with the values of its fields.
func (b *Book) offer(call *rest.Call, description map[string]any) error {
	i, err := b.invoices.Get(call.Ctx, byID(call.Param("invoice")))
	if err != nil {
		return err
	}
	actions := []any{}
	if b.payable(i) && i.Paying == nil {
		due := json.RawMessage(money.Of(i.Amount.Minor(), i.Currency).String())
		actions = append(actions, map[string]any{
			"name": "payment_attempt", "method": "POST", "href": call.Self(), "type": "application/json",
			"fields": []any{
				map[string]any{"name": "invoice_number", "type": "hidden", "value": *i.Number},
				map[string]any{"name": "amount", "type": "number", "value": due},
				map[string]any{"name": "payment_token", "type": "text"},
			},
			"schema": map[string]any{
				"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
				"required": []string{"invoice_number", "amount", "payment_token"},
				"properties": map[string]any{
					"invoice_number": map[string]any{"const": *i.Number}, "amount": map[string]any{"const": due},
					"payment_token": map[string]any{"type": "string", "minLength": 1, "maxLength": 500},
				},
			},
		})
	} else if post, ok := description["methods"].(map[string]any)["POST"].(map[string]any); ok {
		post["allowed"] = false
	}
	description["actions"] = actions
	return nil
}
