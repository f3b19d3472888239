package neighbour

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"golang.org/x/sync/errgroup"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 4 << 20

// askAgain is how long a system that offers no calls for many is believed.
const askAgain = 5 * time.Minute

// statusError is an answer that is none.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("it answered %d", int(e)) }

// wrongAnswer is an answer that cannot be believed; asking again would not help.
type wrongAnswer struct{ why string }

func (e wrongAnswer) Error() string { return "its answer is wrong: " + e.why }

// moment is a time that several may set.
type moment struct{ nanos atomic.Int64 }

func (m *moment) set(t time.Time)          { m.nanos.Store(t.UnixNano()) }
func (m *moment) after(now time.Time) bool { return m.nanos.Load() > now.UnixNano() }

// isNotOffered tells whether the system takes no calls for many. That is no failure.
func isNotOffered(err error) bool {
	return errors.Is(err, statusError(http.StatusMethodNotAllowed)) || errors.Is(err, statusError(http.StatusNotImplemented))
}

// isFailure tells whether a call says that the system is in trouble.
func isFailure(err error) bool {
	return err != nil && !isNotOffered(err) && !errors.Is(err, statusError(http.StatusNotFound))
}

// worthRepeating tells whether another try may go better: not when the answer is understood, nor when there is no time.
func worthRepeating(err error) bool {
	var wrong wrongAnswer
	var status statusError
	switch {
	case err == nil, errors.Is(err, circuitbreaker.ErrOpen), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.As(err, &wrong):
		return false
	case errors.As(err, &status):
		return status >= 500 && !isNotOffered(err) || status == http.StatusTooManyRequests
	}
	return true
}

// fetch asks for all keys in one call, or for each in one of its own where the system offers no other.
func (c *Client[V]) fetch(ctx context.Context, keys []string) error {
	if !c.singly.after(c.Now()) {
		// Commas need no escape, and are easier to read in the other system's log.
		address := c.URL + "?" + c.Parameter + "=" + strings.ReplaceAll(url.QueryEscape(strings.Join(keys, ",")), "%2C", ",")
		values, err := c.try(ctx, address, func(body json.RawMessage) (map[string]json.RawMessage, error) {
			var values map[string]json.RawMessage
			return values, json.Unmarshal(body, &values)
		})
		if err == nil {
			return c.keep(known(values, keys))
		}
		if !isNotOffered(err) {
			return err
		}
		c.singly.set(c.Now().Add(askAgain))
	}
	return c.fetchSingly(ctx, keys)
}

// known picks the keys that were asked for. What the system does not mention has no values.
func known(values map[string]json.RawMessage, keys []string) map[string]json.RawMessage {
	picked := make(map[string]json.RawMessage, len(keys))
	for _, key := range keys {
		picked[key] = json.RawMessage("[]")
		if text, ok := values[key]; ok {
			picked[key] = text
		}
	}
	return picked
}

// fetchSingly asks for each key, for some at once.
func (c *Client[V]) fetchSingly(ctx context.Context, keys []string) error {
	var group errgroup.Group // goes on after an error: what can be had is kept
	group.SetLimit(c.Concurrency)
	for _, key := range keys {
		group.Go(func() error {
			values, err := c.try(ctx, c.URL+"/"+url.PathEscape(key), func(body json.RawMessage) (map[string]json.RawMessage, error) {
				return map[string]json.RawMessage{key: body}, nil
			})
			if errors.Is(err, statusError(http.StatusNotFound)) {
				values, err = known(nil, []string{key}), nil
			}
			if err == nil {
				err = c.keep(values)
			}
			return err
		})
	}
	return group.Wait()
}

// try calls until there is an answer, the breaker opens, or another try makes no sense.
func (c *Client[V]) try(ctx context.Context, address string, read func(json.RawMessage) (map[string]json.RawMessage, error)) (map[string]json.RawMessage, error) {
	values, err := c.tries.WithContext(ctx).Get(func() (_ map[string]json.RawMessage, err error) {
		if err := c.slots.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer c.slots.Release(1)
		began := time.Now()
		defer func() { c.counts.call(began, err) }()
		body, err := c.call(ctx, address)
		if err != nil {
			return nil, err
		}
		var envelope map[string]json.RawMessage
		if err := json.Unmarshal(body, &envelope); err != nil {
			return nil, wrongAnswer{"it is not a JSON object"}
		}
		member, ok := envelope[c.Member]
		if !ok {
			return nil, wrongAnswer{"it has no member " + c.Member}
		}
		values, err := read(member)
		if err != nil {
			return nil, wrongAnswer{c.Member + " has another type"}
		}
		return values, nil
	})
	if errors.Is(err, circuitbreaker.ErrOpen) {
		c.counts.refused.Add(1)
	}
	return values, err
}

// call makes one request. The token is never in an error: those name the address alone.
func (c *Client[V]) call(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, statusError(response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = wrongAnswer{fmt.Sprintf("it has more than %d bytes", maxAnswer)}
	}
	return body, err
}
