// Package gateway is where money is moved: behind one small interface, a test gateway that only keeps a ledger, and Stripe.
//
// It promises that asking twice with one key moves money at most once, and that an error means that nobody knows yet
// whether it moved. It keeps no invoices and decides nothing about them.
package gateway

import (
	"context"
	"time"
)

// Status is what became of a charge.
type Status string

// Pending means that the gateway itself does not know yet.
const (
	Pending   Status = "pending"
	Succeeded Status = "succeeded"
	Declined  Status = "declined"
)

// Charge is what is to be moved. Its key names it: whatever happens, one key is charged at most once.
type Charge struct {
	Key       string
	Token     string // from the payer, stands for their means of payment
	Minor     int64  // in minor units of the currency
	Currency  string
	Invoice   string        // its number, for statements
	Reference string        // what the gateway called it before, when it answered with Pending
	Age       time.Duration // since it was first asked for
	Again     bool          // it has been asked for before, and the answer was lost or Pending
}

// Result is the gateway's word.
type Result struct {
	Status    Status
	Reference string // the gateway's own name for the charge
	Reason    string // why it was declined, for machines
}

// Gateway moves money. An error means that the outcome is unknown: ask again, with the same key.
type Gateway interface {
	Charge(ctx context.Context, c Charge) (Result, error)
}
