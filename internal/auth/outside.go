package auth

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"errors"
	"strings"

	"verbless/internal/change"
	"verbless/internal/db"
	"verbless/internal/fault"
	"verbless/internal/ident"
	"verbless/internal/issuer"
	"verbless/internal/query"
	"verbless/internal/stamp"
)

// outside gives the user of a token of the issuer. Whoever is seen for the first time becomes a user. What binds them is issuer and
// subject, never a name: names are given by others, and given again.
func (g *Gate) outside(ctx context.Context, token string) (change.Actor, error) {
	claims, err := g.issuer.Verify(ctx, token)
	if err != nil {
		return change.Actor{}, err
	}
	by, err := bound(g.db.Quick(ctx), g.db.Reader(ctx), claims)
	if errors.Is(err, sql.ErrNoRows) {
		by, err = g.welcome(ctx, claims)
	}
	if err != nil {
		return change.Actor{}, db.Fault(err)
	}
	if role := roleOf(claims); claims.HasRole && role != by.Role {
		if err := g.setRole(ctx, by.ID, role); err != nil && !fault.Is(err, fault.LastAdmin) {
			return change.Actor{}, err
		}
		by.Role = role // what the issuer says holds for this request, also when the last admin stays one here
	}
	return by, nil
}

func bound(ctx context.Context, q db.Querier, c *issuer.Claims) (by change.Actor, err error) {
	err = q.QueryRow(ctx, `SELECT id, username, role FROM users WHERE id = (SELECT user_id FROM identities WHERE issuer = ? AND subject = ?)`,
		c.Issuer, c.Subject).Scan(&by.ID, &by.Username, &by.Role)
	return by, err
}

func roleOf(c *issuer.Claims) string {
	if c.Admin {
		return change.Admin
	}
	return change.Member
}

// welcome makes a user of somebody new. Requests that come together make one.
func (g *Gate) welcome(ctx context.Context, c *issuer.Claims) (by change.Actor, err error) {
	err = g.db.Write(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "identities"); err != nil {
			return err
		}
		var user sql.NullInt64
		err := tx.QueryRow(ctx, `SELECT user_id FROM identities WHERE issuer = ? AND subject = ?`, c.Issuer, c.Subject).Scan(&user)
		switch {
		case err == nil && !user.Valid:
			return fault.New(fault.InvalidToken, "The user of this token was removed here.").On("Authorization")
		case err == nil:
			by, err = bound(ctx, tx, c)
			return err
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
		name, err := freeName(ctx, tx, c)
		if err != nil {
			return err
		}
		made, err := CreateUser(ctx, g.db, User{Username: name, Name: shorten(c.Name, 200), Role: roleOf(c)})
		if err != nil {
			return err
		}
		by = change.Actor{ID: made.ID, Username: made.Username, Role: made.Role}
		_, err = tx.Exec(ctx, `INSERT INTO identities (issuer, subject, user_id, created_at) VALUES (?, ?, ?, ?)`, c.Issuer, c.Subject, made.ID, stamp.Micros(g.db.Now()))
		return err
	})
	return by, err
}

// freeName is the name that the issuer gives, as far as a name may look like it. One that is taken, by whomever, gets an end of its
// own: that it is the same person is nothing that a name could prove.
func freeName(ctx context.Context, tx *db.Tx, c *issuer.Claims) (string, error) {
	name := strings.Map(func(r rune) rune {
		if r < 128 && ident.Username("a"+string(r)) {
			return r
		}
		return '-'
	}, c.Username)
	if name = shorten(name, 64); !ident.Username(name) {
		name = "user"
	}
	sum := sha256.Sum256([]byte(c.Issuer + "\n" + c.Subject))
	own := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))
	for _, digits := range []int{0, 6, 24} {
		tried := name
		if digits > 0 || name == "user" {
			tried = shorten(name, 39) + "-" + own[:max(digits, 6)]
		}
		var taken bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE username_key = ?)`, ident.FoldUsername(tried)).Scan(&taken); err != nil {
			return "", err
		}
		if !taken {
			return tried, nil
		}
	}
	return "", errors.New("every name for a new user is taken")
}

// shorten keeps so many characters.
func shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// setRole makes the store say what the issuer says.
func (g *Gate) setRole(ctx context.Context, user int64, role string) error {
	_, err := Users(g.db).Change(ctx, change.System, []query.Cond{query.Is("id", user)}, func(was *User) (*User, error) {
		now := *was
		now.Role = role
		return &now, nil
	})
	return err
}
