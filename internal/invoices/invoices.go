// Package invoices is bills whose state the server holds: drafted, published, sent, failed and paid, by the moves of one
// table and no others. Money is counted in minor units, and an invoice is charged at most once.
//
// An invoice exists for its owner and for admins alone.
package invoices

import (
	"log/slog"
	"time"

	"verbless/internal/db"
	"verbless/internal/field"
	"verbless/internal/gateway"
	"verbless/internal/mail"
	"verbless/internal/money"
	"verbless/internal/outbox"
	"verbless/internal/rest"
	"verbless/internal/table"
)

// Invoice is a bill. It looks the same coming in as going out.
type Invoice struct {
	ID          string       `json:"id" db:"id,key" readOnly:"true"`
	Number      *string      `json:"number" db:"number" readOnly:"true" api:"filter" examples:"INV-000042" doc:"Null until first published, then given once: without gaps, never changed."`
	Status      string       `json:"status" db:"status" enum:"draft,published,sent,failed,paid" api:"filter" doc:"The state. A PATCH of it is a move; which moves are allowed, the status resource tells."`
	Amount      money.Price  `json:"amount" db:"amount" required:"true" doc:"With at most the decimals of its currency."`
	Currency    string       `json:"currency" db:"currency" required:"true" pattern:"^[A-Z]{3}$" api:"filter" examples:"EUR" doc:"ISO 4217."`
	Description string       `json:"description" db:"description" maxLength:"2000" default:""`
	Contact     *Contact     `json:"contact_info" db:"contact_info" doc:"Who is to pay. Without it, and without that of a company, an invoice cannot be sent."`
	Company     *string      `json:"company" db:"company_id" maxLength:"36" api:"filter" examples:"01890a5d-ac96-774b-bcce-b302099a8057" doc:"The uuid of the company that is to pay, or null. Its contact info counts where the invoice has none."`
	Items       LineItems    `json:"line_items" db:"line_items" maxItems:"100" doc:"What is to be paid for. When there are any, they sum up to the amount."`
	Due         *string      `json:"due_on" db:"due_on" format:"date" api:"filter" examples:"2026-01-31"`
	Metadata    field.Object `json:"metadata" db:"metadata" doc:"A free object of the client's own, 16 KiB at most. It can be changed in every state."`
	Owner       int64        `json:"-" db:"owner_id" link:"owner" api:"owner,filter"`
	Paying      *string      `json:"-" db:"paying"` // the payment attempt that is pending
	Version     int64        `json:"-" db:"version,version"`
	Created     time.Time    `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
	Updated     time.Time    `json:"updated_at" db:"updated_at,touch" readOnly:"true" api:"sort,filter"`
	Published   *time.Time   `json:"published_at" db:"published_at" readOnly:"true" api:"filter"`
	Sent        *time.Time   `json:"sent_at" db:"sent_at" readOnly:"true" api:"filter"`
	Paid        *time.Time   `json:"paid_at" db:"paid_at" readOnly:"true" api:"filter"`
	Failed      *time.Time   `json:"failed_at" db:"failed_at" readOnly:"true" api:"filter"`
	Received    *time.Time   `json:"payment_received_at" db:"payment_received_at" readOnly:"true" api:"filter" doc:"When a payment attempt succeeded."`
	reach       *Contact     // the company's, once somebody has looked; it is the company that keeps it
	astray      bool         // somebody has looked, and there is no such company
}

// MoneyIn is the currency of the invoice's amounts.
func (i *Invoice) MoneyIn() string { return i.Currency }

// Contact is who is to pay.
type Contact struct {
	Name  string `json:"name" maxLength:"200" default:""`
	Email string `json:"email" required:"true" format:"email" maxLength:"254"`
	Phone string `json:"phone" maxLength:"50" default:""`
}

// LineItem is one thing to be paid for, or a reduction when its amount is negative.
type LineItem struct {
	Description string       `json:"description" required:"true" minLength:"1" maxLength:"500"`
	Amount      money.Amount `json:"amount" required:"true"`
}

// LineItems are what an invoice's amount is made of.
type LineItems []LineItem

// See tells the amounts what their currency is.
func (items LineItems) See(row any) {
	for i := range items {
		items[i].Amount.See(row)
	}
}

// Options is what invoices need from outside.
type Options struct {
	DB      *db.DB
	Queue   *outbox.Queue
	Gateway gateway.Gateway
	Timeout time.Duration // how long the gateway may take to answer
	Payable []string      // the statuses in which an invoice can be paid
	Mail    mail.Sender
	Base    string // address of the service, for links in mails
	Log     *slog.Logger
}

// Book is the invoices of a deployment.
type Book struct {
	Options
	invoices *table.Table[Invoice]
	attempts *table.Table[PaymentAttempt]
	notices  *table.Table[Notice]
}

// Open makes the book, and hands the queue what follows after changes of invoices.
func Open(o Options) *Book {
	b := &Book{Options: o}
	b.invoices = table.New(o.DB, table.Config[Invoice]{Name: "invoices", Resolve: resolve, Rule: rule, Before: number, After: b.after})
	b.attempts = table.New(o.DB, table.Config[PaymentAttempt]{Name: "payment_attempts", Rule: attemptRule, Enter: lockInvoice, Before: b.open, After: b.close})
	b.notices = table.New(o.DB, table.Config[Notice]{Name: "notices", Rule: noticeRule, After: b.requeue})
	if o.Queue != nil {
		o.Queue.Handle(outbox.Work{Kind: settleTask, Run: b.resume, Most: 45 * time.Second})
		o.Queue.Handle(outbox.Work{Kind: sendTask, Run: b.deliver, Tries: sendTries, Dead: b.bury})
	}
	return b
}

// Store is where invoices are kept.
func (b *Book) Store() *table.Table[Invoice] { return b.invoices }

var relations = []rest.Relation{
	{Name: "owner", To: "users", Via: "owner_id", At: "id", Doc: "Whose invoice it is."},
	{Name: "company", To: "companies", Via: "company_id", At: "uuid", Doc: "Who is to pay."},
}

// New is the resource, with its status, history, payments and notices below it.
func New(b *Book) rest.Resource {
	return rest.Collection[Invoice]{
		Name: "invoices", One: "invoice", Shape: rest.Document("invoice"), Store: b.invoices, Relations: relations,
		Links: []rest.Link[Invoice]{
			{Name: "status", Path: "/status", Doc: "The state, and which moves are allowed."},
			{Name: "transitions", Path: "/transitions", Doc: "The history of the state."},
			{Name: "pay", Path: "/payment_attempts", Method: "POST", Type: "application/json", When: b.payable, Doc: "Where to pay; present only while the status allows it."},
		},
		Under: []rest.Resource{b.status(), transitions(b.DB), b.payments(), b.noticesBelow()},
		Doc:   "A bill. PATCH its status to move it along.",
	}
}
