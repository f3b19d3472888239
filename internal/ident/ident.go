// Package ident makes and recognises identifiers: time-ordered ids, secret tokens and usernames.
package ident

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// New makes an id: a UUIDv7 in its usual text form, so that ids made later sort later.
func New() string { return uuid.Must(uuid.NewV7()).String() }

// Valid tells whether s is an id in the one form we write.
func Valid(s string) bool {
	if len(s) != 36 || strings.ToLower(s) != s {
		return false
	}
	_, err := uuid.Parse(s)
	return err == nil
}

// Number reads a numeric id in its only form: no sign, no leading zero, ASCII digits.
func Number(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == s
}

// TokenPrefix starts every token, so that secret scanners can find a leaked one.
const TokenPrefix = "vbl_"

// NewToken makes a token with 256 random bits.
func NewToken() string {
	var raw [32]byte
	rand.Read(raw[:]) // never fails: crypto/rand aborts the program instead
	return TokenPrefix + base64.RawURLEncoding.EncodeToString(raw[:])
}

// HashToken is all that is kept of a token.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// UsernamePattern is what a username may be; all digits and the names in reserved are refused as well.
const UsernamePattern = `^[A-Za-z0-9_.-]{1,64}$`

var username = regexp.MustCompile(UsernamePattern)

// Username tells whether s may be a username. Only ASCII is taken, so that no two names look alike.
func Username(s string) bool {
	return username.MatchString(s) && strings.Trim(s, "0123456789") != "" && FoldUsername(s) != "me" && strings.Trim(s, ".") != ""
}

// FoldUsername is the form in which usernames are compared.
func FoldUsername(s string) string { return strings.ToLower(s) }
