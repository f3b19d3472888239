// Package auth is who is asking and what they may do: users, their tokens, and the one table of rights.
//
// A token is shown once and kept as a hash; revoking it works with the next request, because every request looks it up.
package auth

import (
	"context"
	"embed"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/ident"
	"verbless/internal/query"
	"verbless/internal/rest"
	"verbless/internal/table"
)

// User is somebody who may call the API.
type User struct {
	ID       int64        `json:"id" db:"id,key" readOnly:"true" api:"owner" minimum:"1"`
	Username string       `json:"username" db:"username" required:"true" pattern:"^[A-Za-z0-9_.-]{1,64}$" api:"sort,filter" examples:"alice" doc:"Compared without case. Not all digits."`
	Key      string       `json:"-" db:"username_key"`
	Name     string       `json:"name" db:"name" maxLength:"200" default:"" api:"sort" doc:"What people call the user."`
	Email    *string      `json:"email" db:"email" format:"email" maxLength:"254" api:"private" doc:"Shown to the user and to admins."`
	Role     string       `json:"role" db:"role" enum:"admin,member" default:"member" api:"filter" doc:"Changed by admins alone."`
	Metadata field.Object `json:"metadata" db:"metadata" api:"private" doc:"A free object of the client's own, 16 KiB at most."`
	Version  int64        `json:"-" db:"version,version"`
	Created  time.Time    `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
	Updated  time.Time    `json:"updated_at" db:"updated_at,touch" readOnly:"true" api:"sort,filter"`
}

//go:embed schema/*.sql
var files embed.FS

// Migrations makes the tables of users and tokens.
func Migrations() db.Migrations { return db.Embedded("auth", files) }

// Users is the store of users.
func Users(d *db.DB) *table.Table[User] {
	return table.New(d, table.Config[User]{Name: "users", Rule: userRule, Before: guardUsers})
}

// New is the resource: users, with their tokens and whatever else is theirs below them.
func New(d *db.DB, under ...rest.Resource) rest.Resource {
	return rest.Collection[User]{
		Name: "users", One: "user", Shape: rest.Bare("users"), Store: Users(d), Key: UserKey,
		KeyDoc: "The number or the username, or me for the caller.", Refuses: []fault.Code{fault.LastAdmin}, Now: rest.Now(userNow), Under: append([]rest.Resource{tokens(d)}, under...),
		Relations: []rest.Relation{{Name: "avatar", To: "avatars", Via: "id", At: "user_id", Doc: "The user's newest picture."}},
		Doc:       "Somebody who may call the API. {user} is the number, the username, or me.",
	}
}

// UserKey reads {user}: the number, the username in any case, or me.
func UserKey(by change.Actor, text string) (query.Cond, bool) {
	if id, ok := ident.Number(text); ok {
		return query.Is("id", id), true
	}
	if text == "me" {
		return query.Is("id", by.ID), by.ID != 0
	}
	return query.Is("username_key", ident.FoldUsername(text)), ident.Username(text)
}

// userRule keeps names comparable and roles in the hands of admins.
func userRule(c *change.Change[User]) error {
	if c.Dying() {
		return nil
	}
	if !ident.Username(c.Now.Username) {
		return fault.Invalid(fault.BadFormat, "/username", "A username is 1 to 64 letters, digits, '_', '-' or '.', not only digits or dots, and not \"me\".")
	}
	c.Now.Key = ident.FoldUsername(c.Now.Username)
	if !c.By.IsAdmin() && (c.Born() || c.Was.Role != c.Now.Role) {
		return fault.New(fault.ForbiddenCode, "Only an admin may give a role.").At("/role")
	}
	return nil
}

// userNow is what may become of a user: a role is given by admins.
func userNow(by change.Actor, _ *User) change.Now {
	if by.IsAdmin() {
		return change.Now{}
	}
	return change.Now{Fixed: []string{"role"}}
}

// guardUsers refuses a name that is taken, and the loss of the last admin.
func guardUsers(ctx context.Context, tx *db.Tx, c *change.Change[User]) error {
	if !c.Dying() && (c.Born() || c.Was.Key != c.Now.Key) {
		var taken bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE username_key = ?)`, c.Now.Key).Scan(&taken); err != nil {
			return db.Fault(err)
		}
		if taken {
			return fault.New(fault.AlreadyExists, "Another user has this name.").At("/username")
		}
	}
	if c.Born() || c.Was.Role != change.Admin || !c.Dying() && c.Now.Role == change.Admin {
		return nil
	}
	if err := tx.Lock(ctx, "admins"); err != nil {
		return err
	}
	var others bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE role = ? AND id <> ?)`, change.Admin, c.Was.ID).Scan(&others); err != nil {
		return db.Fault(err)
	}
	if !others {
		return fault.New(fault.LastAdmin, "This is the last admin; make another one first.")
	}
	return nil
}
