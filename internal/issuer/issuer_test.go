package issuer_test

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"verbless/internal/fault"
	"verbless/internal/issuer"
	"verbless/internal/issuer/issuertest"
)

// world is an issuer, somebody who judges its tokens, and a clock that both go by.
type world struct {
	*issuertest.Issuer
	judge *issuer.Issuer
	mu    sync.Mutex
	at    time.Time
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *world) move(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

func start(t *testing.T) *world {
	w := &world{at: time.Now()}
	w.Issuer = issuertest.Start(t, w.now)
	w.judge = issuer.New(issuer.Options{Issuer: w.URL, Audience: issuertest.Audience, Username: "preferred_username", Role: "realm.roles", Admin: "boss", Now: w.now, Log: slog.New(slog.DiscardHandler)})
	return w
}

// want judges a token and compares the code of the fault, empty for none.
func (w *world) want(t *testing.T, what, token string, code fault.Code) *issuer.Claims {
	t.Helper()
	claims, err := w.judge.Verify(t.Context(), token)
	if got := codeOf(err); got != code {
		t.Fatalf("%s: %q (%v), want %q", what, got, err, code)
	}
	return claims
}

func codeOf(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.As(err).Code
}

func TestClaims(t *testing.T) {
	t.Parallel()
	w := start(t)
	for want, claims := range map[issuer.Claims]map[string]any{
		{Subject: "1"}: {},
		{Subject: "2", Username: "ann", Name: "Ann A"}: {"preferred_username": "ann", "name": "Ann A"},
		{Subject: "3", Admin: true}:                    {"realm": map[string]any{"roles": []string{"x", "boss"}}},
		{Subject: "4", Admin: true}:                    {"realm.roles": "x boss"},
		{Subject: "5"}:                                 {"realm": map[string]any{"roles": []string{"bosses"}}, "roles": []string{"boss"}},
		{Subject: "6"}:                                 {"realm": "boss", "preferred_username": 7},
	} {
		want.Issuer, want.HasRole = w.URL, true
		token := w.Token(t, want.Subject, claims)
		for range 2 { // judged, and remembered
			if got := w.want(t, want.Subject, token, ""); *got != want {
				t.Errorf("got %+v, want %+v", *got, want)
			}
		}
	}
	if w.Asks() != 1 {
		t.Errorf("the issuer was asked %d times", w.Asks())
	}
}

// TestNotGood: everything that makes a token worthless.
func TestNotGood(t *testing.T) {
	t.Parallel()
	w := start(t)
	good := w.Token(t, "1", nil)
	w.want(t, "good", good, "")
	w.want(t, "many audiences", w.Token(t, "1", map[string]any{"aud": []string{"x", issuertest.Audience}}), "")
	w.want(t, "soon valid", w.Token(t, "1", map[string]any{"nbf": w.now().Add(time.Minute).Unix()}), "")
	head, rest, _ := strings.Cut(good, ".")
	body, sign, _ := strings.Cut(rest, ".")
	raw := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	stranger := w.NewKey(t, jose.RS256)
	stolen := stranger
	stolen.ID = w.Keys()[0].ID
	public, err := x509.MarshalPKIXPublicKey(w.Keys()[0].Private.Public())
	if err != nil {
		t.Fatal(err)
	}
	shared := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	confused, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: shared, KeyID: w.Keys()[0].ID}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	payload, _ := base64.RawURLEncoding.DecodeString(body)
	mac, err := confused.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	hs256, _ := mac.CompactSerialize()
	for what, token := range map[string]string{
		"another audience":          w.Token(t, "1", map[string]any{"aud": "another"}),
		"no audience":               w.Token(t, "1", map[string]any{"aud": nil}),
		"another issuer":            w.Token(t, "1", map[string]any{"iss": "https://evil.test"}),
		"no issuer":                 w.Token(t, "1", map[string]any{"iss": nil}),
		"no subject":                w.Token(t, "1", map[string]any{"sub": nil}),
		"a long subject":            w.Token(t, strings.Repeat("x", 256), nil),
		"no expiry":                 w.Token(t, "1", map[string]any{"exp": nil}),
		"an expiry that is a text":  w.Token(t, "1", map[string]any{"exp": "tomorrow"}),
		"not yet valid":             w.Token(t, "1", map[string]any{"nbf": w.now().Add(time.Hour).Unix()}),
		"an unknown key":            w.Sign(t, stranger, "1", nil),
		"another key of that name":  w.Sign(t, stolen, "1", nil),
		"no signature":              head + "." + body + ".",
		"algorithm none":            raw(`{"alg":"none"}`) + "." + body + ".",
		"algorithm None, signed":    raw(`{"alg":"None","kid":"`+stolen.ID+`"}`) + "." + body + "." + sign,
		"the public key as secret":  hs256,
		"a key in the header":       raw(`{"alg":"RS256","jwk":{"kty":"RSA","n":"AQAB","e":"AQAB"}}`) + "." + body + "." + sign,
		"a changed body":            head + "." + raw(strings.Replace(string(payload), `"sub":"1"`, `"sub":"2"`, 1)) + "." + sign,
		"a changed head":            raw(`{"alg":"RS512","kid":"`+stolen.ID+`"}`) + "." + body + "." + sign,
		"an encrypted token":        good + ".x.x",
		"nothing":                   "..",
		"garbage":                   "a.b.c",
		"too long":                  head + "." + body + "." + strings.Repeat("x", 9000),
		"a critical header unknown": raw(`{"alg":"RS256","kid":"`+stolen.ID+`","crit":["x"],"x":1}`) + "." + body + "." + sign,
	} {
		w.want(t, what, token, fault.InvalidToken)
	}
	w.want(t, "expired", w.Token(t, "1", map[string]any{"exp": w.now().Add(-time.Second).Unix()}), fault.TokenExpired)
	w.move(10*time.Minute + time.Second)
	w.want(t, "remembered, but expired", good, fault.TokenExpired)
}

func TestAlgorithms(t *testing.T) {
	t.Parallel()
	w := start(t)
	for _, algorithm := range []jose.SignatureAlgorithm{jose.PS256, jose.ES256, jose.EdDSA} {
		w.move(time.Minute)
		w.Rotate(t, algorithm)
		w.want(t, string(algorithm), w.Token(t, "1", nil), "")
	}
}

// TestRotation: a new key is found when it is first used, and one that was taken away ends.
func TestRotation(t *testing.T) {
	t.Parallel()
	w := start(t)
	first := w.Keys()[0]
	w.want(t, "the first key", w.Token(t, "1", nil), "")
	second := w.NewKey(t, jose.ES256)
	w.SetKeys(first, second)
	early := w.Sign(t, second, "1", nil)
	w.want(t, "a new key, right after keys were fetched", early, fault.InvalidToken)
	w.move(11 * time.Second)
	w.want(t, "a new key", early, "")
	long := map[string]any{"exp": w.now().Add(48 * time.Hour).Unix()}
	old := w.Sign(t, first, "1", long)
	w.want(t, "the old key, still shown", old, "")
	w.SetKeys(second)
	w.want(t, "the old key, taken away a moment ago", old, "")
	w.move(16 * time.Minute)
	w.want(t, "another token, which makes the keys be fetched again", w.Sign(t, second, "2", long), "")
	w.ends(t, "the old key, taken away", old)
	w.want(t, "the new key", w.Sign(t, second, "1", long), "")
}

// ends waits until a token is not good any more, because keys are fetched in the background.
func (w *world) ends(t *testing.T, what, token string) {
	t.Helper()
	for range 1000 {
		if _, err := w.judge.Verify(t.Context(), token); codeOf(err) == fault.InvalidToken {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: still good", what)
}

// TestFlood: inventing keys, or signatures, does not make us ask the issuer more than now and then.
func TestFlood(t *testing.T) {
	t.Parallel()
	w := start(t)
	stranger := w.NewKey(t, jose.ES256)
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 50 {
				key := stranger
				key.ID = fmt.Sprintf("invented-%d-%d", worker, i)
				if i%2 == 0 {
					key.ID = "key-1"
				}
				w.judge.Verify(context.Background(), w.Sign(t, key, "1", nil))
			}
		})
	}
	group.Wait()
	if n := w.Asks(); n != 1 {
		t.Errorf("400 tokens made %d questions", n)
	}
	w.want(t, "a good one meanwhile", w.Token(t, "1", nil), "")
}

// TestDown: without keys nothing can be judged; with old ones a day passes before that is so.
func TestDown(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.SetDown(true)
	w.want(t, "down from the start", w.Token(t, "1", nil), fault.Unavailable)
	w.SetDown(false)
	w.want(t, "up, but asked a moment ago", w.Token(t, "1", nil), fault.Unavailable)
	if w.Asks() != 1 {
		t.Errorf("asked %d times", w.Asks())
	}
	w.move(11 * time.Second)
	w.want(t, "up", w.Token(t, "1", nil), "")
	w.SetDown(true)
	for range 23 {
		w.move(time.Hour)
		w.want(t, "down for hours", w.Token(t, "1", nil), "")
	}
	w.move(2 * time.Hour)
	w.want(t, "down for a day", w.Token(t, "1", nil), fault.Unavailable)
	w.SetDown(false)
	w.move(11 * time.Second)
	w.want(t, "up again", w.Token(t, "1", nil), "")
}

func BenchmarkVerify(b *testing.B) {
	i := issuertest.Start(b, time.Now)
	judge := issuer.New(issuer.Options{Issuer: i.URL, Audience: issuertest.Audience, Username: "sub", Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	token := i.Token(b, "1", nil)
	for b.Loop() {
		if _, err := judge.Verify(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
