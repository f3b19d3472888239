package issuer

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"verbless/internal/fault"
)

const (
	patience = 5 * time.Second  // for one answer of the issuer
	pause    = 10 * time.Second // between two attempts, whatever is asked for
	refresh  = 15 * time.Minute // after which keys are fetched again, while the old ones go on
	stale    = time.Hour        // after which nobody is let in before that was tried
	last     = 24 * time.Hour   // after which old keys are worth nothing, even when the issuer does not answer
	maxKeys  = 1 << 20          // bytes of a key set
)

// keys are those that the issuer signs with.
type keys struct {
	issuer string
	client *http.Client
	now    func() time.Time
	log    *slog.Logger

	mu      sync.Mutex
	set     []jose.JSONWebKey
	turn    uint64    // counts the sets that differed
	text    string    // of the set
	fetched time.Time // when the set was last confirmed
	tried   time.Time
	flight  *flight // under way
}

type flight struct {
	done chan struct{}
}

// generation changes with the keys.
func (k *keys) generation() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.turn
}

// fresh tells whether the keys need no look.
func (k *keys) fresh() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.age() < refresh
}

func (k *keys) age() time.Duration {
	if k.fetched.IsZero() {
		return 2 * last
	}
	return max(0, k.now().Sub(k.fetched))
}

// find gives the keys of that id. Ids that are not known, and keys that are old, make it ask the issuer, but not more often than the
// pause allows: unknown ids are free to invent.
func (k *keys) find(ctx context.Context, id, algorithm string) ([]crypto.PublicKey, uint64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, age := k.usable(id, algorithm), k.age()
	if len(found) == 0 || age >= refresh {
		f := k.ask()
		if f != nil && (len(found) == 0 || age >= stale) {
			if err := k.wait(ctx, f); err != nil {
				return nil, 0, err
			}
			found = k.usable(id, algorithm)
		}
	}
	switch {
	case len(found) > 0:
		return found, k.turn, nil
	case k.age() >= last:
		return nil, 0, fault.New(fault.Unavailable, "The issuer of this token cannot be asked just now.").After(pause)
	}
	return nil, 0, invalid(errors.New("unknown key"))
}

func (k *keys) usable(id, algorithm string) []crypto.PublicKey {
	if k.age() >= last {
		return nil
	}
	return matching(k.set, id, algorithm)
}

// wait lets others in until the issuer has answered. Its failure is no failure of ours: the old keys may do.
func (k *keys) wait(ctx context.Context, f *flight) error {
	k.mu.Unlock()
	defer k.mu.Lock()
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask begins to fetch the keys, or joins whoever does. It gives nil when the last attempt was not long enough ago.
func (k *keys) ask() *flight {
	if k.flight != nil {
		return k.flight
	}
	if since := k.now().Sub(k.tried); !k.tried.IsZero() && since >= 0 && since < pause {
		return nil
	}
	k.tried, k.flight = k.now(), &flight{done: make(chan struct{})}
	go k.fetch(k.flight)
	return k.flight
}

// fetch asks for the description of the issuer each time: where its keys are may change as well.
func (k *keys) fetch(f *flight) {
	defer close(f.done)
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	set, text, err := k.load(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flight = nil
	if err != nil {
		k.log.Warn("the keys of the issuer could not be fetched", "issuer", k.issuer, "error", err)
		return
	}
	k.fetched = k.now()
	if text != k.text {
		k.set, k.text, k.turn = set, text, k.turn+1
		k.log.Info("the issuer has new keys", "issuer", k.issuer, "keys", len(set))
	}
}

func (k *keys) load(ctx context.Context) ([]jose.JSONWebKey, string, error) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, k.client), k.issuer)
	if err != nil {
		return nil, "", err
	}
	var described struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&described); err != nil {
		return nil, "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, described.Keys, nil)
	if err != nil {
		return nil, "", err
	}
	response, err := k.client.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxKeys))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s", described.Keys, response.Status)
	}
	if err != nil {
		return nil, "", err
	}
	set, err := publicKeys(body)
	if err == nil && len(set) == 0 {
		err = errors.New("the key set holds no key for signing")
	}
	return set, string(body), err
}
