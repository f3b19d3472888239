package auth

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/ident"
	"verbless/internal/issuer"
	"verbless/internal/query"
	"verbless/internal/rest"
	"verbless/internal/stamp"
	"verbless/internal/table"
)

// Token lets its user in. The secret is there only in the answer that made it.
type Token struct {
	ID      string     `json:"id" db:"id,key" readOnly:"true"`
	User    int64      `json:"-" db:"user_id" link:"user" api:"owner,parent"`
	Name    string     `json:"name" db:"name" maxLength:"100" default:"" api:"sort" examples:"laptop" doc:"To tell tokens apart."`
	Token   *string    `json:"token" readOnly:"true" doc:"The secret. Shown once, in the answer that made it; null ever after."`
	Hash    string     `json:"-" db:"hash"`
	Expires *time.Time `json:"expires_at" db:"expires_at" doc:"When it stops working; null: never."`
	Version int64      `json:"-" db:"version,version"`
	Created time.Time  `json:"created_at" db:"created_at,born" readOnly:"true" api:"sort,filter"`
}

// Tokens is the store of tokens.
func Tokens(d *db.DB) *table.Table[Token] {
	return table.New(d, table.Config[Token]{Name: "tokens", Rule: tokenRule})
}

func tokens(d *db.DB) rest.Resource {
	return rest.Collection[Token]{
		Name: "tokens", One: "token", Shape: rest.Bare("tokens"), Store: Tokens(d), Methods: "GET POST DELETE", NoStore: true,
		Doc: "A secret that lets its user in. DELETE revokes it at once.",
	}
}

// tokenRule makes the secret at birth; afterwards a token can only go.
func tokenRule(c *change.Change[Token]) error {
	if !c.Born() {
		return nil
	}
	if c.Now.Expires != nil && !c.Now.Expires.After(c.At) {
		return fault.Invalid(fault.OutOfRange, "/expires_at", "This must lie in the future.")
	}
	secret := ident.NewToken()
	c.Now.Token, c.Now.Hash = &secret, ident.HashToken(secret)
	return nil
}

// Gate finds out who holds a token.
type Gate struct {
	db     *db.DB
	issuer *issuer.Issuer
	known  atomic.Pointer[holders]
}

// NewGate reads our own tokens from the store; those of an outside issuer it judges, when there is one.
func NewGate(d *db.DB, outside *issuer.Issuer) *Gate { return &Gate{db: d, issuer: outside} }

// maxToken bounds what is hashed on behalf of a stranger.
const maxToken = 512

// Identify gives the user of a token. It is looked up by its hash, so timing tells nothing of other tokens.
func (g *Gate) Identify(ctx context.Context, token string) (change.Actor, error) {
	if g.issuer != nil && issuer.Looks(token) { // ours have no dots
		return g.outside(ctx, token)
	}
	if len(token) > maxToken {
		return change.Actor{}, invalid()
	}
	found, err := g.holder(ctx, ident.HashToken(token))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return change.Actor{}, invalid()
	case err != nil:
		return change.Actor{}, db.Fault(err)
	case found.expires.Valid && found.expires.Int64 <= stamp.Micros(g.db.Now()):
		return change.Actor{}, fault.New(fault.TokenExpired, "This token has expired.").On("Authorization")
	}
	return found.by, nil
}

func invalid() error {
	return fault.New(fault.InvalidToken, "This token is not valid here.").On("Authorization")
}

// Issue makes a token for a user and gives the secret.
func Issue(ctx context.Context, d *db.DB, user int64, name string, expires *time.Time) (*Token, error) {
	done, err := Tokens(d).Change(ctx, change.System, nil, func(*Token) (*Token, error) {
		return &Token{User: user, Name: name, Expires: expires}, nil
	})
	if err != nil {
		return nil, err
	}
	return done.Now, nil
}

// Revoke ends a token by its id.
func Revoke(ctx context.Context, d *db.DB, id string) error {
	_, err := Tokens(d).Change(ctx, change.System, []query.Cond{query.Is("id", id)}, func(*Token) (*Token, error) { return nil, nil })
	return err
}

// Find reads a user by number or name.
func Find(ctx context.Context, d *db.DB, user string) (*User, error) {
	key, ok := UserKey(change.Actor{}, user)
	if !ok {
		return nil, fault.New(fault.NotFoundCode, "There is no user %q.", user)
	}
	found, err := Users(d).Get(ctx, []query.Cond{key})
	if fault.Is(err, fault.NotFoundCode) {
		return nil, fault.New(fault.NotFoundCode, "There is no user %q.", user)
	}
	return found, err
}

// CreateUser adds a user.
func CreateUser(ctx context.Context, d *db.DB, u User) (*User, error) {
	done, err := Users(d).Change(ctx, change.System, nil, func(*User) (*User, error) {
		copied := u
		if copied.Metadata == nil {
			copied.Metadata = field.Object("{}")
		}
		return &copied, nil
	})
	if err != nil {
		return nil, err
	}
	return done.Now, nil
}
