// Package issuer judges tokens of an outside OpenID Connect issuer.
//
// It promises that only tokens count which the issuer signed with one of its present keys, for this audience, and which are valid
// now; that an issuer which is down harms nobody but the bearers of tokens that cannot be judged; and that no stranger can make
// it ask the issuer more often than every few seconds. It does not know users: package auth binds subjects to them.
package issuer

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/maypok86/otter/v2"

	"verbless/internal/fault"
)

// Options is whom to believe, and what to read from their tokens.
type Options struct {
	Issuer   string // its address, which is also its name in tokens
	Audience string
	Username string // claim that names the user
	Role     string // claim that holds roles, with dots for what lies deeper; empty: tokens say nothing of roles
	Admin    string // the value of it that makes an admin
	Now      func() time.Time
	Log      *slog.Logger
}

// Claims are what a good token says.
type Claims struct {
	Issuer   string
	Subject  string
	Username string
	Name     string
	HasRole  bool // the issuer gives roles
	Admin    bool
}

// Issuer judges tokens. It is safe for concurrent use.
type Issuer struct {
	Options
	keys   *keys
	judged *otter.Cache[[sha256.Size]byte, verdict] // good tokens, by hash
}

// verdict is good until the token expires, or the keys of the issuer change.
type verdict struct {
	claims  *Claims
	expires time.Time
	keys    uint64
}

// remembered is how many good tokens are kept in mind.
const remembered = 10_000

// maxToken bounds what is looked at on behalf of a stranger.
const maxToken = 8 << 10

// algorithms are those with a public key; "none" and those with a shared secret are not among them and never will be.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.ES256, jose.ES384, jose.ES512, jose.PS256, jose.PS384, jose.PS512, jose.EdDSA}

// New asks nobody yet: the issuer may be down when the service starts.
func New(o Options) *Issuer {
	client := &http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Issuer{Options: o, keys: &keys{issuer: o.Issuer, client: client, now: o.Now, log: o.Log},
		judged: otter.Must(&otter.Options[[sha256.Size]byte, verdict]{MaximumSize: remembered})}
}

// Looks tells whether a token has the form of one of an issuer.
func Looks(token string) bool { return strings.Count(token, ".") == 2 }

// Verify gives the claims of a good token.
func (i *Issuer) Verify(ctx context.Context, token string) (*Claims, error) {
	if len(token) > maxToken {
		return nil, invalid(nil)
	}
	sum := sha256.Sum256([]byte(token))
	if known, ok := i.judged.GetIfPresent(sum); ok && known.keys == i.keys.generation() && i.keys.fresh() {
		if i.Now().After(known.expires) {
			return nil, expired()
		}
		return known.claims, nil
	}
	signed, err := jose.ParseSignedCompact(token, algorithms)
	if err != nil || len(signed.Signatures) != 1 {
		return nil, invalid(err)
	}
	head := signed.Signatures[0].Protected
	found, generation, err := i.keys.find(ctx, head.KeyID, head.Algorithm)
	if err != nil {
		return nil, err
	}
	verifier := oidc.NewVerifier(i.Issuer, &oidc.StaticKeySet{PublicKeys: found}, &oidc.Config{ClientID: i.Audience, SupportedSigningAlgs: []string{head.Algorithm}, Now: i.Now})
	good, err := verifier.Verify(ctx, token)
	var late *oidc.TokenExpiredError
	switch {
	case errors.As(err, &late) && !late.Expiry.IsZero():
		return nil, expired()
	case err != nil:
		return nil, invalid(err)
	case good.Subject == "" || len(good.Subject) > 255:
		return nil, invalid(errors.New("no subject"))
	}
	claims, err := i.read(good)
	if err != nil {
		return nil, invalid(err)
	}
	i.judged.Set(sum, verdict{claims, good.Expiry, generation})
	return claims, nil
}

// read takes what we want from a good token.
func (i *Issuer) read(token *oidc.IDToken) (*Claims, error) {
	var all map[string]any
	if err := token.Claims(&all); err != nil {
		return nil, err
	}
	text := func(name string) string { s, _ := at(all, name).(string); return s }
	c := &Claims{Issuer: i.Issuer, Subject: token.Subject, Username: text(i.Username), Name: text("name"), HasRole: i.Role != ""}
	switch roles := at(all, i.Role).(type) {
	case string:
		c.Admin = slices.Contains(strings.Fields(roles), i.Admin)
	case []any:
		c.Admin = slices.Contains(roles, any(i.Admin))
	}
	return c, nil
}

// at finds a claim by its name, or else along the dots in it.
func at(all map[string]any, name string) any {
	if value, ok := all[name]; ok || name == "" {
		return value
	}
	first, rest, deeper := strings.Cut(name, ".")
	inner, _ := all[first].(map[string]any)
	if !deeper || inner == nil {
		return nil
	}
	return at(inner, rest)
}

// invalid never tells why: the cause is for the log alone.
func invalid(err error) error {
	return fault.New(fault.InvalidToken, "This token is not valid here.").On("Authorization").Because(err)
}

func expired() error {
	return fault.New(fault.TokenExpired, "This token has expired.").On("Authorization")
}

// publicKeys reads a key set, and leaves out what is not for signing, or not understood.
func publicKeys(body []byte) ([]jose.JSONWebKey, error) {
	var raw struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, err
	}
	var usable []jose.JSONWebKey
	for _, text := range raw.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(text) == nil && key.Valid() && key.IsPublic() && (key.Use == "" || key.Use == "sig") {
			usable = append(usable, key)
		}
	}
	return usable, nil
}

// matching are the keys that a token may have been signed with: all of them when it names none.
func matching(set []jose.JSONWebKey, id, algorithm string) []crypto.PublicKey {
	var found []crypto.PublicKey
	for _, key := range set {
		if (id == "" || key.KeyID == id) && (key.Algorithm == "" || key.Algorithm == algorithm) {
			found = append(found, key.Key)
		}
	}
	return found
}
