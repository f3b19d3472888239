package gateway

import (
	"context"
	"embed"
	"errors"

	"verbless/internal/db"
	"verbless/internal/stamp"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the ledger of the test gateway.
func Migrations() db.Migrations { return db.Embedded("gateway", files) }

// The tokens that the test gateway knows. Others are declined.
const (
	TokenOK       = "tok_ok"
	TokenDeclined = "tok_declined"
	TokenTimeout  = "tok_timeout" // is charged, but the answer comes too late
)

// Test moves no money. It writes into a ledger what it would have charged.
type Test struct{ DB *db.DB }

// Charge looks into the ledger first, as real gateways do with their keys.
func (g Test) Charge(ctx context.Context, c Charge) (Result, error) {
	result := Result{Status: Declined, Reference: c.Key, Reason: "unknown_token"}
	switch c.Token {
	case TokenOK, TokenTimeout:
		result.Status, result.Reason = Succeeded, ""
	case TokenDeclined:
		result.Reason = "card_declined"
	}
	fresh := false
	err := g.DB.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		res, err := tx.Exec(ctx, `INSERT INTO test_charges (key, invoice, amount, currency, status, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
			c.Key, c.Invoice, c.Minor, c.Currency, string(result.Status), stamp.Micros(tx.Now()))
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		fresh = n == 1
		return err
	})
	if err != nil {
		return Result{}, err
	}
	if fresh && c.Token == TokenTimeout {
		<-ctx.Done()
		return Result{}, errors.New("the test gateway answers too late, as it was asked to")
	}
	return result, nil
}
