package invoices

import (
	"slices"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/money"
)

// The states of an invoice.
const (
	draft     = "draft"
	published = "published"
	sent      = "sent"
	failed    = "failed"
	paid      = "paid"
)

var states = []string{draft, published, sent, failed, paid}

// moves is what may become of an invoice's status: the whole truth, but for the guards below.
var moves = change.Moves{
	draft:     {published},
	published: {draft, sent, paid},
	sent:      {failed, paid},
	failed:    {paid},
}

// audience is who is told when an invoice enters a state.
var audience = map[string][]string{
	sent:   {toContact},
	failed: {toContact, toOwner},
	paid:   {toOwner},
}

// Who a notice goes to.
const (
	toContact = "contact"
	toOwner   = "owner"
)

// The states of a notice. Only a dead one can be moved from outside: back into the queue.
const (
	noticeQueued    = "queued"
	noticeSending   = "sending"
	noticeDelivered = "delivered"
	noticeDead      = "dead"
)

var noticeMoves = change.Moves{noticeDead: {noticeQueued}}

// Why a move is refused, for machines.
const (
	notInTable     = "not_in_table"
	contactMissing = "contact_info_missing"
	paymentPending = "payment_pending"
)

// contact is who is to pay: the invoice's own or, where it has none, its company's.
func (i *Invoice) contact() *Contact {
	if i.Contact != nil {
		return i.Contact
	}
	return i.reach
}

// refusal tells why the invoice may not move to a state now; both are empty when it may.
func (i *Invoice) refusal(to string) (reason, message string) {
	switch {
	case i.Status == to || !moves.Allows(i.Status, to):
		return notInTable, "An invoice that is " + i.Status + " cannot become " + to + "."
	case i.Paying != nil:
		return paymentPending, "A payment of this invoice is under way."
	case to == sent && i.contact() == nil && i.Company == nil:
		return contactMissing, "There is nobody to send it to: contact_info is null."
	case to == sent && i.contact() == nil:
		return contactMissing, "There is nobody to send it to: contact_info is null, and so is that of its company."
	}
	return "", ""
}

// allowed lists the states that the invoice may move to now.
func (i *Invoice) allowed() []string {
	return slices.DeleteFunc(slices.Clone(states), func(to string) bool { reason, _ := i.refusal(to); return reason != "" })
}

// rule is what may happen to an invoice.
func rule(c *change.Change[Invoice]) error {
	switch {
	case c.Dying() && (c.Was.Number != nil || c.Was.Status != draft):
		return fault.New(fault.InvoiceKept, "This invoice has had a number, so it is kept.")
	case c.Dying():
		return nil
	case c.Born() && c.Now.Status != "" && c.Now.Status != draft:
		return fault.Invalid(fault.NotAllowedValue, "/status", "An invoice begins as a draft.")
	case c.Born():
		c.Now.Status = draft
	case c.Now.Status == "":
		c.Now.Status = c.Was.Status
	}
	var bad fault.List
	if c.Now.astray {
		bad.Add(fault.New(fault.UnknownReference, "There is no company of this uuid.").At("/company"))
	}
	count(c, &bad)
	if !c.Born() {
		lock(c, &bad)
	}
	if err := bad.Err(); err != nil || c.Born() || c.Was.Status == c.Now.Status {
		return err
	}
	// The contact may come with the move that needs it, and a payment ends with the move that it causes.
	as := *c.Was
	as.Contact, as.Company, as.reach, as.Paying = c.Now.Contact, c.Now.Company, c.Now.reach, c.Now.Paying
	if reason, message := as.refusal(c.Now.Status); reason != "" {
		return fault.New(fault.TransitionRefused, "%s", message).At("/status").
			With("from", c.Was.Status).With("to", c.Now.Status).With("allowed", as.allowed()).With("reason", reason)
	}
	stampStatus(c)
	return nil
}

// count brings every amount into the minor units of the currency, and sums up.
func count(c *change.Change[Invoice], bad *fault.List) {
	now := c.Now
	now.Items = slices.Clone(now.Items)
	if !c.Born() { // what was left as it was is still counted in the currency that was
		now.Amount.Assume(c.Was.Currency)
		for i := range now.Items {
			now.Items[i].Amount.Assume(c.Was.Currency)
		}
	}
	decimals, known := money.Decimals(now.Currency)
	if !known {
		bad.Add(fault.New(fault.NotAllowedValue, "This is not the code of a currency in ISO 4217.").At("/currency"))
		return
	}
	fit := func(a *money.Amount, at string) {
		in, ok := a.In(now.Currency)
		if !ok {
			bad.Add(fault.New(fault.BadFormat, "%s has %d decimals.", now.Currency, decimals).At(at))
		}
		*a = in
	}
	fit(&now.Amount.Amount, "/amount")
	sum := int64(0)
	for i := range now.Items {
		fit(&now.Items[i].Amount, itemAmount(i))
		sum += now.Items[i].Amount.Minor()
	}
	open := c.Born() || c.Was.Status == draft // else it is refused already
	if open && bad.Len() == 0 && len(now.Items) > 0 && sum != now.Amount.Minor() {
		bad.Add(fault.New(fault.NotAllowedValue, "The line items sum up to %s, not to the amount.", money.Of(sum, now.Currency)).At("/line_items"))
	}
}

// lock keeps the content of what is no draft any more. The contact may change until the invoice is sent.
func lock(c *change.Change[Invoice], bad *fault.List) {
	if c.Was.Status == draft {
		return
	}
	was, now := c.Was, c.Now
	members := []struct {
		name string
		same bool
	}{
		{"amount", was.Amount.Minor() == now.Amount.Minor()}, {"currency", was.Currency == now.Currency}, {"description", was.Description == now.Description},
		{"line_items", slices.EqualFunc(was.Items, now.Items, sameItem)}, {"due_on", same(was.Due, now.Due)}, {"company", same(was.Company, now.Company)},
		{"contact_info", was.Status == published || same(was.Contact, now.Contact)},
	}
	for _, m := range members {
		if !m.same {
			bad.Add(fault.New(fault.ReadOnly, "Only a draft can be changed; this invoice is %s.", was.Status).At("/" + m.name))
		}
	}
}

func sameItem(a, b LineItem) bool {
	return a.Description == b.Description && a.Amount.Minor() == b.Amount.Minor()
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// stampStatus sets the time of the state that is entered.
func stampStatus(c *change.Change[Invoice]) {
	switch c.Now.Status {
	case draft:
		c.Now.Published = nil
	case published:
		c.Now.Published = &c.At
	case sent:
		c.Now.Sent = &c.At
	case failed:
		c.Now.Failed = &c.At
	case paid:
		c.Now.Paid = &c.At
	}
}
