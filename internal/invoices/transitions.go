package invoices

import (
	"context"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/ident"
	"verbless/internal/rest"
	"verbless/internal/stamp"
	"verbless/internal/table"
)

// Transition is one move of an invoice's status.
type Transition struct {
	ID      string    `json:"id" db:"id,key" readOnly:"true"`
	From    string    `json:"from" db:"from_status" readOnly:"true" api:"filter"`
	To      string    `json:"to" db:"to_status" readOnly:"true" api:"filter"`
	Why     string    `json:"why" db:"why" enum:"request,payment" readOnly:"true" api:"filter" doc:"request: somebody asked for it. payment: a payment attempt succeeded."`
	Attempt *string   `json:"payment_attempt" db:"payment_attempt_id" readOnly:"true" doc:"The payment attempt that paid the invoice."`
	By      *int64    `json:"-" db:"user_id" link:"by"`
	Invoice string    `json:"-" db:"invoice_id" link:"invoice" api:"parent"`
	Version int64     `json:"-" db:"version,version"`
	Created time.Time `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
}

func transitions(d *db.DB) rest.Resource {
	return rest.Collection[Transition]{
		Name: "transitions", One: "transition", Shape: rest.Document("transition"), Methods: "GET",
		Store:     table.New(d, table.Config[Transition]{Name: "transitions"}),
		Relations: []rest.Relation{{Name: "by", To: "users", Via: "user_id", At: "id", Doc: "Who moved it; null for the service itself."}},
		Doc:       "One move of an invoice's status: who, when, from, to and why.",
	}
}

// causeKey marks a context in which a payment attempt moves an invoice.
type causeKey struct{}

// record keeps a move in the history.
func record(ctx context.Context, tx *db.Tx, c *change.Change[Invoice]) error {
	why, attempt := "request", any(nil)
	if id, ok := ctx.Value(causeKey{}).(string); ok {
		why, attempt = "payment", id
	}
	var by any
	if c.By.ID != 0 {
		by = c.By.ID
	}
	_, err := tx.Exec(ctx, `INSERT INTO transitions (id, invoice_id, from_status, to_status, why, payment_attempt_id, user_id, version, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)`, ident.New(), c.Now.ID, c.Was.Status, c.Now.Status, why, attempt, by, stamp.Micros(c.At))
	return err
}
