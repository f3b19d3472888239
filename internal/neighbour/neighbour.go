// Package neighbour asks another system for things by their keys, so that no trouble of that system becomes ours.
//
// A call has a time limit. Within it, quick failures are tried again with jitter; a breaker stops asking a system that keeps
// failing, and asks again a little later. Whoever wants the same key at the same time shares one call. What was heard is kept:
// while fresh it is the answer, and later it stands in when there is none. Answers are bounded in size and judged before they
// are believed; redirects are not followed. It never fails: it says what it has, and whether something is missing.
package neighbour

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/semaphore"

	"verbless/internal/metric"
	"verbless/internal/trace"
)

// Options is whom to ask, and how patiently.
type Options[V any] struct {
	Name        string // in metrics and traces
	URL         string // of the many; one of them is below it
	Token       string // sent as a bearer token, when there is one
	Parameter   string // names the keys of a call for many
	Member      string // holds the values in an answer
	Limit       time.Duration
	Concurrency int                                   // calls at once
	Fresh       time.Duration                         // how long an answer is good without asking again
	Stale       time.Duration                         // how long it may stand in when no new one is to be had
	Rest        time.Duration                         // how long the breaker stays open
	Decode      func(text json.RawMessage) (V, error) // judges one value
	Log         *slog.Logger
	Metrics     *metric.Registry
	Now         func() time.Time
}

// cacheBytes bounds what is kept of answers.
const cacheBytes = 32 << 20

// Client asks one other system.
type Client[V any] struct {
	Options[V]
	http    *http.Client
	slots   *semaphore.Weighted
	breaker circuitbreaker.CircuitBreaker[map[string]json.RawMessage]
	tries   failsafe.Executor[map[string]json.RawMessage]
	cache   *otter.Cache[string, kept[V]]
	counts  counts
	singly  moment // until when calls for many are known not to be offered

	mu     sync.Mutex
	flying map[string]*flight // by key
}

// kept is what was heard of one key.
type kept[V any] struct {
	value V
	at    time.Time
	size  int
}

// flight is one call under way, for all who want its keys.
type flight struct{ landed chan struct{} }

// New makes a client. It calls nobody yet.
func New[V any](o Options[V]) *Client[V] {
	c := &Client[V]{Options: o, slots: semaphore.NewWeighted(int64(o.Concurrency)), flying: map[string]*flight{}}
	c.http = &http.Client{
		Transport:     trace.Transport(&http.Transport{MaxIdleConnsPerHost: o.Concurrency, IdleConnTimeout: time.Minute, DisableCompression: true}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.breaker = circuitbreaker.NewBuilder[map[string]json.RawMessage]().
		WithFailureThresholdRatio(5, 10).WithSuccessThreshold(1).WithDelay(o.Rest).
		HandleIf(func(_ map[string]json.RawMessage, err error) bool { return isFailure(err) }).
		OnStateChanged(func(e circuitbreaker.StateChangedEvent) {
			o.Log.Info("breaker of another system", "url", o.URL, "state", e.NewState.String())
		}).Build()
	retry := retrypolicy.NewBuilder[map[string]json.RawMessage]().WithMaxRetries(2).WithBackoff(50*time.Millisecond, time.Second).WithJitterFactor(0.5).
		HandleIf(func(_ map[string]json.RawMessage, err error) bool { return worthRepeating(err) }).Build()
	c.tries = failsafe.With(retry, c.breaker)
	c.watch()
	c.cache = otter.Must(&otter.Options[string, kept[V]]{MaximumWeight: cacheBytes, Weigher: func(key string, k kept[V]) uint32 {
		return uint32(len(key) + k.size + 128)
	}})
	return c
}

// Get gives what is known of the keys, and whether some could not be had. It takes no longer than the limit.
func (c *Client[V]) Get(ctx context.Context, keys []string) (found map[string]V, missing bool) {
	found = make(map[string]V, len(keys))
	asked := c.Now()
	var wanted []string
	for _, key := range keys {
		if k, ok := c.cache.GetIfPresent(key); ok && c.Now().Sub(k.at) < c.Fresh {
			found[key] = k.value
		} else {
			wanted = append(wanted, key)
		}
	}
	c.counts.fresh.Add(len(found))
	if len(wanted) == 0 {
		return found, false
	}
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	for _, f := range c.board(trace.From(ctx), wanted) {
		select {
		case <-f.landed:
		case <-ctx.Done():
		}
	}
	for _, key := range wanted {
		switch k, ok := c.cache.GetIfPresent(key); {
		case !ok || k.at.Before(asked) && c.Now().Sub(k.at) >= c.Fresh+c.Stale: // what was just heard is good even where nothing may be kept
			missing = true
			c.counts.missing.Add(1)
		case !k.at.Before(asked) || c.Now().Sub(k.at) < c.Fresh:
			found[key] = k.value
			c.counts.asked.Add(1)
		default:
			found[key] = k.value
			c.counts.stale.Add(1)
		}
	}
	return found, missing
}

// board joins the calls that are under way for the keys, and begins one for the rest. A call belongs to nobody: it goes on
// when who began it has left, because others may wait for it, and ends by the limit.
func (c *Client[V]) board(span *trace.Span, keys []string) []*flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	var joined []*flight
	var mine []string
	fresh := &flight{landed: make(chan struct{})}
	for _, key := range keys {
		switch f := c.flying[key]; f {
		case nil:
			mine = append(mine, key)
			c.flying[key] = fresh
		case fresh: // asked for twice
		default:
			joined = append(joined, f)
		}
	}
	if len(mine) == 0 {
		return joined
	}
	go c.fly(span, fresh, mine)
	return append(joined, fresh)
}

// fly calls for the keys. In a trace it belongs to whoever began it, also when that one has left.
func (c *Client[V]) fly(span *trace.Span, f *flight, keys []string) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, key := range keys {
			delete(c.flying, key)
		}
		close(f.landed)
	}()
	ctx, cancel := context.WithTimeout(trace.With(context.Background(), span), c.Limit)
	defer cancel()
	ctx, asking := trace.Start(ctx, "ask "+c.Name, trace.Internal)
	asking.SetInt("verbless.keys", len(keys))
	err := c.fetch(ctx, keys)
	asking.Finish(err)
	if err != nil {
		c.Log.WarnContext(ctx, "another system did not answer", "url", c.URL, "keys", len(keys), "why", err.Error())
	}
}

// keep judges values and remembers those that can be believed.
func (c *Client[V]) keep(values map[string]json.RawMessage) error {
	var wrong error
	for key, text := range values {
		value, err := c.Decode(text)
		if err != nil {
			wrong = err
			continue
		}
		c.cache.Set(key, kept[V]{value, c.Now(), len(text)})
	}
	return wrong
}
