package mail

import (
	"context"
	"errors"
	"time"

	"verbless/internal/metric"
	"verbless/internal/trace"
)

// Watched is a sender whose outcomes are counted and traced.
func Watched(s Sender, r *metric.Registry) Sender {
	outcome := func(name string) *metric.Counter {
		return r.Counter("verbless_mails_total", "Tries to hand a message to the mail server; failed ones may be tried again.", "outcome", name)
	}
	return &watched{Sender: s, sent: outcome("sent"), refused: outcome("refused"), failed: outcome("failed"),
		took: r.Durations("verbless_mail_duration_seconds", "How long it took to hand over a message, or to fail to.")}
}

type watched struct {
	Sender
	sent, refused, failed *metric.Counter
	took                  *metric.Histogram
}

// Send hands the message on. Whom it is for stays untold.
func (w *watched) Send(ctx context.Context, m Message) error {
	ctx, span := trace.Start(ctx, "send mail", trace.Client)
	began := time.Now()
	err := w.Sender.Send(ctx, m)
	w.took.Took(time.Since(began))
	var refused *Refused
	switch {
	case err == nil:
		w.sent.Add(1)
	case errors.As(err, &refused):
		w.refused.Add(1)
		span.Fail("refused")
	default:
		w.failed.Add(1)
		span.Fail("failed")
	}
	span.End()
	return err
}
