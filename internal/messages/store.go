package messages

import (
	"cmp"
	"context"
	"embed"

	"verbless/internal/auth"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/table"
)

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the table of messages.
func Migrations() db.Migrations { return db.Embedded("messages", files) }

// Store is the store of messages.
func Store(d *db.DB) *table.Table[Message] {
	return table.New(d, table.Config[Message]{Name: "messages", Resolve: resolve, Rule: rule})
}

// resolve finds the users that bodies asked for, of all messages in one query. Every message leaves it with a recipient,
// or with a fault.
func resolve(ctx context.Context, tx *db.Tx, now []*Message) ([]error, error) {
	judged := make([]error, len(now))
	var ids []int64
	var names []string
	for _, m := range now {
		switch to := m.User.asked; {
		case to.username != "":
			names = append(names, to.username)
		case to.id != 0:
			ids = append(ids, to.id)
		}
	}
	var found auth.Found
	if len(ids)+len(names) > 0 {
		var err error
		if found, err = auth.Lookup(ctx, tx, ids, names); err != nil {
			return nil, err
		}
	}
	for i, m := range now {
		judged[i] = m.User.settle(found)
	}
	return judged, nil
}

// settle puts what was found in the place of what was asked for.
func (r *Recipient) settle(found auth.Found) error {
	switch {
	case r.asked.username != "":
		if r.asked.id = found.Named[r.asked.username]; r.asked.id == 0 {
			return fault.Invalid(fault.UnknownReference, "/user/username", "There is no user of this name.")
		}
	case r.asked.id != 0 && !found.Numbered[r.asked.id]:
		return fault.Invalid(fault.UnknownReference, "/user/id", "There is no user of this number.")
	case !r.asked.given && r.ID == 0:
		return fault.Invalid(fault.Required, "/user", "Name the recipient by id or by username.")
	}
	r.ID = cmp.Or(r.ID, r.asked.id)
	return nil
}
