// Package issuertest is an OpenID Connect issuer for tests: it signs tokens, changes its keys, counts who asks, and can be down.
package issuertest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Issuer is a running issuer.
type Issuer struct {
	URL  string
	mu   sync.Mutex
	keys []Key
	made int
	down bool
	asks int
	now  func() time.Time
}

// Key is one that it signs with.
type Key struct {
	ID        string
	Algorithm jose.SignatureAlgorithm
	Private   crypto.Signer
}

// Audience is what its tokens are for.
const Audience = "verbless-test"

// Start runs an issuer with one RSA key until the test ends.
func Start(t testing.TB, now func() time.Time) *Issuer {
	t.Helper()
	i := &Issuer{now: now}
	i.Rotate(t, jose.RS256)
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// Rotate makes a new key the only one.
func (i *Issuer) Rotate(t testing.TB, algorithm jose.SignatureAlgorithm) {
	i.SetKeys(i.NewKey(t, algorithm))
}

// NewKey makes a key that nobody knows yet.
func (i *Issuer) NewKey(t testing.TB, algorithm jose.SignatureAlgorithm) Key {
	t.Helper()
	i.mu.Lock()
	i.made++
	id := fmt.Sprintf("key-%d", i.made)
	i.mu.Unlock()
	var private crypto.Signer
	var err error
	switch algorithm {
	case jose.RS256, jose.PS256:
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	case jose.ES256:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.EdDSA:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		t.Fatalf("no key for %s", algorithm)
	}
	if err != nil {
		t.Fatal(err)
	}
	return Key{id, algorithm, private}
}

// SetKeys changes the keys that it shows. The last of them signs.
func (i *Issuer) SetKeys(keys ...Key) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

// Keys are those that it shows.
func (i *Issuer) Keys() []Key {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys
}

// SetDown makes it refuse everybody, or stop doing so.
func (i *Issuer) SetDown(down bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = down
}

// Asks is how often its keys were asked for, or would have been.
func (i *Issuer) Asks() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asks
}

// Token is a good token of a subject for the next ten minutes, with further or other claims; a claim nil is left out.
func (i *Issuer) Token(t testing.TB, subject string, claims map[string]any) string {
	t.Helper()
	keys := i.Keys()
	return i.Sign(t, keys[len(keys)-1], subject, claims)
}

// Sign is Token with a key of its own.
func (i *Issuer) Sign(t testing.TB, key Key, subject string, claims map[string]any) string {
	t.Helper()
	all := map[string]any{"iss": i.URL, "aud": Audience, "sub": subject, "iat": i.now().Unix(), "exp": i.now().Add(10 * time.Minute).Unix()}
	maps.Copy(all, claims)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	payload, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: key.Algorithm, Key: jose.JSONWebKey{Key: key.Private, KeyID: key.ID}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// ServeHTTP answers for the issuer.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if r.URL.Path == "/.well-known/openid-configuration" {
		i.asks++
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case i.down:
		http.Error(w, `{"error":"down"}`, http.StatusInternalServerError)
	case r.URL.Path == "/.well-known/openid-configuration":
		json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	case r.URL.Path == "/keys":
		set := jose.JSONWebKeySet{}
		for _, key := range i.keys {
			set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.Private.Public(), KeyID: key.ID, Algorithm: string(key.Algorithm), Use: "sig"})
		}
		json.NewEncoder(w).Encode(set)
	default:
		http.NotFound(w, r)
	}
}
