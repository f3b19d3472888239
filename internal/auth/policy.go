package auth

import "verbless/internal/rest"

// Policy is who may do what, in one table. Admins may do everything; Owners are the users a row belongs to,
// and a row that only its owner may read does not exist for others.
func Policy() rest.Policy {
	const no, admins, owners, everyone = rest.Nobody, rest.Admins, rest.Owners, rest.Everyone
	//                     list      read      create    change  remove
	return rest.Policy{
		"users":     rights(admins, everyone, admins, owners, admins),
		"tokens":    rights(owners, owners, owners, no, owners),
		"articles":  rights(everyone, everyone, everyone, owners, owners),
		"trashed":   rights(owners, owners, no, owners, owners),
		"avatars":   rights(everyone, everyone, everyone, no, owners),
		"uploads":   rights(owners, owners, everyone, owners, owners), // and everyone reads what is public
		"revisions": rights(everyone, everyone, owners, owners, owners),
		"messages":  rights(owners, owners, everyone, owners, owners), // sender and recipient; the recipient lists
		"sent":      rights(everyone, no, everyone, no, no),           // one's own alone
		"companies": rights(everyone, everyone, admins, admins, admins),

		"invoices":         rights(owners, owners, everyone, owners, owners),
		"transitions":      rights(owners, owners, no, no, no),
		"payment_attempts": rights(owners, owners, owners, no, no),
		"notices":          rights(owners, owners, no, owners, no),
	}
}

func rights(list, read, create, change, remove rest.Who) rest.Rights {
	return rest.Rights{List: list, Read: read, Create: create, Change: change, Remove: remove}
}
