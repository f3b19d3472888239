package invoices

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/mail"
	"verbless/internal/outbox"
	"verbless/internal/rest"
)

// Notice is a mail about a move, to one recipient.
type Notice struct {
	ID        string     `json:"id" db:"id,key" readOnly:"true"`
	Event     string     `json:"event" db:"event,fixed" enum:"sent,failed,paid" readOnly:"true" api:"filter" doc:"The state that was entered."`
	Recipient string     `json:"recipient" db:"recipient,fixed" enum:"contact,owner" readOnly:"true" api:"filter"`
	Name      string     `json:"name" db:"name" readOnly:"true"`
	Address   *string    `json:"address" db:"address" format:"email" maxLength:"254" doc:"Can be set right while the notice is dead."`
	Status    string     `json:"status" db:"status" enum:"queued,sending,delivered,dead" required:"true" api:"filter" doc:"PATCH a dead one to queued to send it again."`
	Attempts  int64      `json:"attempts" db:"attempts" readOnly:"true"`
	Problem   *string    `json:"problem" db:"problem" readOnly:"true" doc:"What went wrong last."`
	Invoice   string     `json:"-" db:"invoice_id,fixed" link:"invoice" api:"parent"`
	Version   int64      `json:"-" db:"version,version"`
	Created   time.Time  `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
	Updated   time.Time  `json:"updated_at" db:"updated_at,touch" readOnly:"true"`
	Delivered *time.Time `json:"delivered_at" db:"delivered_at" readOnly:"true" api:"filter"`
}

// sendTask delivers a notice.
const sendTask = "send notice"

// sendTries lets a mail server be away for about half a day.
const sendTries = 20

func (b *Book) noticesBelow() rest.Resource {
	return rest.Collection[Notice]{
		Name: "notices", One: "notice", Shape: rest.Document("notice"), Store: b.notices, Methods: "GET PATCH",
		Doc: "A mail about a move of an invoice, and its delivery.",
	}
}

// noticeRule lets people send a dead notice again; everything else is for the service.
func noticeRule(c *change.Change[Notice]) error {
	if c.By == change.System || c.Born() {
		return nil
	}
	if c.Was.Status != c.Now.Status && !noticeMoves.Allows(c.Was.Status, c.Now.Status) {
		return fault.New(fault.TransitionRefused, "A notice that is %s cannot become %s.", c.Was.Status, c.Now.Status).At("/status").
			With("from", c.Was.Status).With("to", c.Now.Status).With("allowed", noticeMoves.Next(c.Was.Status)).With("reason", notInTable)
	}
	if !same(c.Was.Address, c.Now.Address) && c.Was.Status != noticeDead {
		return fault.Invalid(fault.ReadOnly, "/address", "Only the address of a dead notice can be set right.")
	}
	if c.Was.Status != c.Now.Status {
		c.Now.Problem = nil
	}
	return nil
}

// requeue gives a notice that is to be sent again all its tries.
func (b *Book) requeue(ctx context.Context, _ *db.Tx, c *change.Change[Notice]) error {
	switch {
	case c.Born():
		return b.Queue.Put(ctx, sendTask, c.Now.ID, 0)
	case c.Was.Status == noticeDead && c.Now.Status == noticeQueued:
		return b.Queue.Revive(ctx, sendTask, c.Now.ID)
	}
	return nil
}

// notify writes the notices that belong to a move, in its transaction.
func (b *Book) notify(ctx context.Context, tx *db.Tx, c *change.Change[Invoice]) error {
	for _, recipient := range audience[c.Now.Status] {
		n := Notice{Event: c.Now.Status, Recipient: recipient, Status: noticeQueued, Invoice: c.Now.ID}
		if recipient == toOwner {
			var err error
			if n.Name, n.Address, err = ownerAddress(ctx, tx, c.Now.Owner); err != nil {
				return err
			}
		} else {
			contact, err := addressee(ctx, tx, c.Now)
			if err != nil {
				return err
			}
			if contact != nil {
				n.Name, n.Address = contact.Name, &contact.Email
			}
		}
		if _, err := b.notices.Change(ctx, change.System, nil, func(*Notice) (*Notice, error) { return &n, nil }); err != nil {
			return err
		}
	}
	return nil
}

// ownerAddress is what the owner is called and where mail reaches them, nil when that is not known.
func ownerAddress(ctx context.Context, q db.Querier, id int64) (name string, address *string, err error) {
	var username string
	var email sql.NullString
	err = q.QueryRow(ctx, `SELECT username, name, email FROM users WHERE id = ?`, id).Scan(&username, &name, &email)
	if name == "" {
		name = username
	}
	if email.Valid {
		address = &email.String
	}
	return name, address, db.Fault(err)
}

var errNoAddress = errors.New("there is no address to send it to")

// deliver sends one notice. It is marked as being sent before the server hears of it; after a crash it is sent again, with the
// same Message-ID.
func (b *Book) deliver(ctx context.Context, t outbox.Task) error {
	n, err := b.notices.Get(ctx, byID(t.Key))
	if fault.Is(err, fault.NotFoundCode) || err == nil && n.Status == noticeDelivered {
		return nil
	}
	if err != nil {
		return err
	}
	invoice, err := b.invoices.Get(ctx, byID(n.Invoice))
	if err == nil {
		err = meet(ctx, b.DB.Reader(ctx), invoice)
	}
	if err != nil {
		return err
	}
	if n.Address == nil && n.Recipient == toOwner { // perhaps there is one by now
		if _, n.Address, err = ownerAddress(ctx, b.DB.Reader(ctx), invoice.Owner); err != nil {
			return err
		}
	}
	if n.Address == nil {
		return outbox.Hopeless(errNoAddress)
	}
	if err := b.mark(ctx, n.ID, func(now *Notice) { now.Status, now.Address, now.Attempts = noticeSending, n.Address, now.Attempts+1 }); err != nil {
		return err
	}
	message, err := b.compose(n, invoice)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // what has been begun is ended, and written down
	failed := b.Mail.Send(ctx, message)
	var refused *mail.Refused
	switch {
	case failed == nil:
		return b.mark(ctx, n.ID, func(now *Notice) {
			at := b.DB.Now()
			now.Status, now.Problem, now.Delivered = noticeDelivered, nil, &at
		})
	case errors.As(failed, &refused):
		return outbox.Hopeless(failed)
	}
	return errors.Join(failed, b.mark(ctx, n.ID, func(now *Notice) {
		problem := "The mail server could not be reached, or gave no answer."
		now.Status, now.Problem = noticeQueued, &problem
	}))
}

// mark changes a notice on behalf of the service.
func (b *Book) mark(ctx context.Context, id string, how func(now *Notice)) error {
	_, err := b.notices.Change(ctx, change.System, byID(id), func(was *Notice) (*Notice, error) {
		now := *was
		how(&now)
		return &now, nil
	})
	return err
}

// bury keeps a notice that cannot be delivered where people see it.
func (b *Book) bury(ctx context.Context, t outbox.Task, why error) error {
	problem := "It could not be delivered in many tries."
	var refused *mail.Refused
	switch {
	case errors.As(why, &refused):
		problem = refused.Error()
	case errors.Is(why, errNoAddress):
		problem = why.Error()
	}
	return b.mark(ctx, t.Key, func(now *Notice) { now.Status, now.Problem = noticeDead, &problem })
}
