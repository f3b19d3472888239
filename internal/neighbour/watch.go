package neighbour

import (
	"context"
	"errors"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"verbless/internal/metric"
)

// counts is what is told of another system.
type counts struct {
	fresh, asked, stale, missing       *metric.Counter // values, by where they came from
	answered, failed, timeout, refused *metric.Counter // calls
	took                               *metric.Histogram
}

// watch tells the registry of this system.
func (c *Client[V]) watch() {
	calls := func(outcome string) *metric.Counter {
		return c.Metrics.Counter("verbless_neighbour_calls_total", "Calls to another system; refused ones were not made, because its breaker was open.", "neighbour", c.Name, "outcome", outcome)
	}
	values := func(from string) *metric.Counter {
		return c.Metrics.Counter("verbless_neighbour_values_total", "Values of another system that were wanted, by where they came from.", "neighbour", c.Name, "from", from)
	}
	c.counts = counts{
		fresh: values("cache"), asked: values("call"), stale: values("stale"), missing: values("nowhere"),
		answered: calls("answered"), failed: calls("failed"), timeout: calls("timeout"), refused: calls("refused"),
		took: c.Metrics.Durations("verbless_neighbour_call_duration_seconds", "How long calls to another system took.", "neighbour", c.Name),
	}
	for state, name := range map[circuitbreaker.State]string{circuitbreaker.ClosedState: "closed", circuitbreaker.HalfOpenState: "half_open", circuitbreaker.OpenState: "open"} {
		c.Metrics.GaugeFunc("verbless_neighbour_breaker", "The state of the breaker is the one that is 1; open makes no calls.", func() float64 {
			if c.breaker.State() == state {
				return 1
			}
			return 0
		}, "neighbour", c.Name, "state", name)
	}
}

// call counts one call that was made.
func (c *counts) call(began time.Time, err error) {
	c.took.Took(time.Since(began))
	switch {
	case !isFailure(err):
		c.answered.Add(1)
	case errors.Is(err, context.DeadlineExceeded):
		c.timeout.Add(1)
	default:
		c.failed.Add(1)
	}
}
