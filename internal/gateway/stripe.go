package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"

	"verbless/internal/money"
	"verbless/internal/trace"
)

// keyLife is how long Stripe certainly remembers a key, less an hour. Sending it again later could charge a second time.
const keyLife = 23 * time.Hour

// Stripe charges cards by PaymentIntents that are made and confirmed at once. Its tokens are PaymentMethods (pm_…) and
// ConfirmationTokens (ctoken_…).
type Stripe struct{ client *stripe.Client }

// NewStripe uses the account of a secret key, at an address that tests can set.
func NewStripe(key, address string) *Stripe {
	retries, telemetry := int64(0), false // the queue asks again, and nobody else needs to know
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL: &address, MaxNetworkRetries: &retries, EnableTelemetry: &telemetry, HTTPClient: &http.Client{Transport: trace.Transport(http.DefaultTransport)}, LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Stripe{stripe.NewClient(key, stripe.WithBackends(backends))}
}

// Charge makes a PaymentIntent, or finds the one that was made before.
func (s *Stripe) Charge(ctx context.Context, c Charge) (Result, error) {
	switch {
	case c.Reference != "":
		intent, err := s.client.V1PaymentIntents.Retrieve(ctx, c.Reference, nil)
		if err != nil {
			return Result{}, unknown(err)
		}
		return outcome(intent), nil
	case c.Again && c.Age >= keyLife:
		return s.find(ctx, c)
	}
	params, ok := intentFor(c)
	if !ok {
		return Result{Status: Declined, Reason: "amount_not_chargeable"}, nil
	}
	intent, err := s.client.V1PaymentIntents.Create(ctx, params)
	if err == nil {
		return outcome(intent), nil
	}
	var refusal *stripe.Error
	if !errors.As(err, &refusal) {
		return Result{}, unknown(err)
	}
	if result, certain := refused(refusal, c.Again); certain {
		return result, nil
	}
	if c.Again && refusal.HTTPStatusCode >= 500 { // Stripe repeats an error under its key, although the charge may have been made
		return s.find(ctx, c)
	}
	return Result{}, unknown(err)
}

// intentFor is what Stripe is asked for; false when it cannot charge such an amount.
func intentFor(c Charge) (*stripe.PaymentIntentCreateParams, bool) {
	amount, ok := stripeAmount(c.Minor, c.Currency)
	yes := true
	params := &stripe.PaymentIntentCreateParams{
		Amount: &amount, Currency: stripe.String(strings.ToLower(c.Currency)), Confirm: &yes, Description: stripe.String("Invoice " + c.Invoice),
		Metadata: map[string]string{"payment_attempt": c.Key, "invoice": c.Invoice},
	}
	params.SetIdempotencyKey(c.Key)
	if strings.HasPrefix(c.Token, "ctoken_") {
		params.ConfirmationToken = &c.Token
		return params, ok
	}
	params.PaymentMethod, params.PaymentMethodTypes = &c.Token, []*string{stripe.String("card")}
	params.ErrorOnRequiresAction = &yes // nobody is there to act: it is declined instead
	return params, ok
}

// find looks for the intent of a charge by its own name.
func (s *Stripe) find(ctx context.Context, c Charge) (Result, error) {
	params := &stripe.PaymentIntentSearchParams{}
	params.Query = "metadata['payment_attempt']:'" + c.Key + "'"
	for intent, err := range s.client.V1PaymentIntents.Search(ctx, params).All(ctx) {
		if err != nil {
			return Result{}, unknown(err)
		}
		if intent.Metadata["payment_attempt"] == c.Key {
			return outcome(intent), nil
		}
	}
	if c.Age >= keyLife { // the search knows of everything that is older than some minutes
		return Result{Status: Declined, Reason: "never_charged"}, nil
	}
	return Result{}, errors.New("stripe: no such payment is known, yet")
}

// outcome is what a PaymentIntent says.
func outcome(intent *stripe.PaymentIntent) Result {
	result := Result{Status: Declined, Reference: intent.ID}
	switch intent.Status {
	case stripe.PaymentIntentStatusSucceeded:
		result.Status = Succeeded
	case stripe.PaymentIntentStatusProcessing, stripe.PaymentIntentStatusRequiresCapture:
		result.Status = Pending
	default:
		result.Reason = string(intent.Status)
		if intent.LastPaymentError != nil {
			result.Reason = reasonOf(intent.LastPaymentError)
		}
	}
	return result
}

// refused tells whether an error says with certainty that no money was moved. A key that is known is looked up before
// anything is judged, but after the account: so once a charge may have been made, a refusal of the account says nothing of it.
func refused(e *stripe.Error, again bool) (Result, bool) {
	result := Result{Status: Declined, Reason: reasonOf(e)}
	if e.PaymentIntent != nil {
		result.Reference = e.PaymentIntent.ID
	}
	switch e.HTTPStatusCode {
	case http.StatusPaymentRequired, http.StatusBadRequest, http.StatusNotFound:
		return result, e.Type != stripe.ErrorTypeIdempotency
	case http.StatusUnauthorized, http.StatusForbidden:
		return result, !again
	}
	return Result{}, false
}

func reasonOf(e *stripe.Error) string {
	for _, text := range []string{string(e.DeclineCode), string(e.Code), string(e.Type)} {
		if text != "" {
			return text
		}
	}
	return "refused"
}

// unknown keeps of an error what helps, and nothing that could be a secret.
func unknown(err error) error {
	var e *stripe.Error
	if errors.As(err, &e) {
		return fmt.Errorf("stripe: %d %s %s (request %s)", e.HTTPStatusCode, e.Type, e.Code, e.RequestID)
	}
	return fmt.Errorf("stripe: %w", err)
}

// stripeAmount counts in the units that Stripe wants, which for some currencies are not those of ISO 4217.
func stripeAmount(minor int64, currency string) (int64, bool) {
	decimals, ok := money.Decimals(currency)
	switch currency {
	case "MGA":
		return minor / 100, minor%100 == 0
	case "ISK", "UGX":
		return minor * 100, true
	}
	if decimals == 3 { // in steps of ten
		return minor, minor%10 == 0
	}
	return minor, ok && decimals < 4
}
