package mail_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"verbless/internal/mail"
	"verbless/internal/metric"
)

type answers struct{ next []error }

func (a *answers) Send(context.Context, mail.Message) error {
	next := a.next[0]
	a.next = a.next[1:]
	return next
}

func TestOutcomesAreCounted(t *testing.T) {
	r := metric.New()
	refused, away := &mail.Refused{Reply: "no"}, errors.New("away")
	results := []error{nil, refused, away, away}
	s := mail.Watched(&answers{results}, r)
	for _, want := range results {
		if err := s.Send(context.Background(), mail.Message{}); err != want {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	for _, want := range []string{`{outcome="sent"} 1`, `{outcome="refused"} 1`, `{outcome="failed"} 2`, "verbless_mail_duration_seconds_count 4"} {
		if !strings.Contains(string(r.Text()), want) {
			t.Errorf("%s is not in\n%s", want, r.Text())
		}
	}
}
