package invoices

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"verbless/internal/db"
)

// resolve looks at the companies that invoices belong to. What it finds serves the guard and the notice alike: whatever becomes
// of the company meanwhile, nothing is sent without a contact.
func resolve(ctx context.Context, tx *db.Tx, now []*Invoice) ([]error, error) {
	for _, i := range now {
		if i.Status == paid { // nobody is asked for any more
			continue
		}
		if err := meet(ctx, tx, i); err != nil {
			return nil, err
		}
	}
	return make([]error, len(now)), nil // the rule tells of a company that is not there, with all that is wrong besides
}

// meet finds out how the invoice's company is reached.
func meet(ctx context.Context, q db.Querier, i *Invoice) error {
	i.reach, i.astray = nil, false
	if i.Company == nil {
		return nil
	}
	var text sql.NullString
	err := q.QueryRow(ctx, `SELECT contact_info FROM companies WHERE uuid = ?`, *i.Company).Scan(&text)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		i.astray = true
		return nil
	case err != nil:
		return db.Fault(err)
	case !text.Valid:
		return nil
	}
	i.reach = new(Contact)
	return json.Unmarshal([]byte(text.String), i.reach)
}

// addressee is whom notices to the contact go to. A company may have lost its contact since the invoice was sent; then it is
// whoever the invoice was sent to.
func addressee(ctx context.Context, q db.Querier, i *Invoice) (*Contact, error) {
	if contact := i.contact(); contact != nil {
		return contact, nil
	}
	was := new(Contact)
	err := q.QueryRow(ctx, `SELECT name, address FROM notices WHERE invoice_id = ? AND event = ? AND recipient = ? AND address IS NOT NULL`, i.ID, sent, toContact).Scan(&was.Name, &was.Email)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return was, db.Fault(err)
}
