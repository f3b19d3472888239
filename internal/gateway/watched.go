package gateway

import (
	"context"
	"time"

	"verbless/internal/metric"
	"verbless/internal/trace"
)

// Watched is a gateway whose outcomes are counted and traced. name is which one it is.
func Watched(g Gateway, name string, r *metric.Registry) Gateway {
	w := &watched{Gateway: g, name: name, outcomes: map[Status]*metric.Counter{}}
	for _, outcome := range []Status{Succeeded, Declined, Pending, unknownOutcome} {
		w.outcomes[outcome] = r.Counter("verbless_gateway_charges_total", "Answers of the payment gateway; unknown is none.", "gateway", name, "outcome", string(outcome))
	}
	w.took = r.Durations("verbless_gateway_charge_duration_seconds", "How long the payment gateway took.", "gateway", name)
	return w
}

const unknownOutcome Status = "unknown"

type watched struct {
	Gateway
	name     string
	outcomes map[Status]*metric.Counter
	took     *metric.Histogram
}

// Charge asks the gateway.
func (w *watched) Charge(ctx context.Context, c Charge) (Result, error) {
	ctx, span := trace.Start(ctx, "gateway charge", trace.Internal)
	began := time.Now()
	result, err := w.Gateway.Charge(ctx, c)
	outcome := result.Status
	if err != nil {
		outcome = unknownOutcome
	}
	w.took.Took(time.Since(began))
	w.outcomes[outcome].Add(1)
	span.Set("verbless.gateway", w.name)
	span.Set("verbless.outcome", string(outcome))
	span.Finish(err)
	return result, err
}
