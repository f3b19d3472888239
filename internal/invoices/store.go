package invoices

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strconv"

	"verbless/internal/change"
	"verbless/internal/db"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the tables of invoices.
func Migrations() db.Migrations { return db.Embedded("invoices", files) }

func itemAmount(i int) string { return "/line_items/" + strconv.Itoa(i) + "/amount" }

// payable tells whether the status allows paying.
func (b *Book) payable(i *Invoice) bool { return slices.Contains(b.Payable, i.Status) }

// number gives an invoice its number when it is first published. The counter is part of the transaction: a publishing
// that fails gives the number back, so there are no gaps.
func number(ctx context.Context, tx *db.Tx, c *change.Change[Invoice]) error {
	if c.Dying() || c.Now.Number != nil || c.Now.Status == draft {
		return nil
	}
	n, err := tx.Next(ctx, "invoice numbers")
	if err != nil {
		return err
	}
	text := fmt.Sprintf("INV-%06d", n)
	c.Now.Number = &text
	return nil
}

// after writes what belongs to a move, in its transaction.
func (b *Book) after(ctx context.Context, tx *db.Tx, c *change.Change[Invoice]) error {
	if c.Dying() || c.Born() || c.Was.Status == c.Now.Status {
		return nil
	}
	if err := record(ctx, tx, c); err != nil {
		return err
	}
	return b.notify(ctx, tx, c)
}
