package replay_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/db/dbtest"
	"verbless/internal/replay"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestKeysAreForgottenAfterADay(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		send := func() apptest.Answer {
			return s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Once"}`, "Idempotency-Key: once")
		}
		first := send()
		s.Clock.Move(24*time.Hour - time.Minute)
		if again := send(); again.Text("id") != first.Text("id") || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("within a day: %v %s", again.Header, again.Body)
		}
		s.Clock.Move(2 * time.Minute)
		second := send()
		if second.Text("id") == first.Text("id") || second.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("after a day: %v %s", second.Header, second.Body)
		}
		if bob := s.Want(t, 201, s.Bob, "POST /articles", `{"title":"Once"}`, "Idempotency-Key: once"); bob.Text("id") == second.Text("id") {
			t.Error("a key is shared between users")
		}
	})
}

func TestPurge(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Old"}`, "Idempotency-Key: old")
		s.Clock.Move(25 * time.Hour)
		s.Want(t, 201, s.Alice, "POST /articles", `{"title":"New"}`, "Idempotency-Key: new")
		if err := replay.New(s.App.DB, 24*time.Hour).Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		var kept int
		if err := s.App.DB.Reader(t.Context()).QueryRow(t.Context(), `SELECT COUNT(*) FROM idempotency_keys`).Scan(&kept); err != nil || kept != 1 {
			t.Errorf("%d keys are kept: %v", kept, err)
		}
	})
}

// TestAKeyGoesWithItsChange fails after the claim: neither the key nor anything else is kept.
func TestAKeyGoesWithItsChange(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		keys, broken := replay.New(s.App.DB, time.Hour), errors.New("broken")
		err := s.App.DB.Do(t.Context(), func(ctx context.Context) error {
			if kept, err := keys.Claim(ctx, 1, "k", "print"); kept != nil || err != nil {
				t.Errorf("%v %v", kept, err)
			}
			return broken
		})
		if !errors.Is(err, broken) {
			t.Fatal(err)
		}
		err = s.App.DB.Do(t.Context(), func(ctx context.Context) error {
			if kept, err := keys.Claim(ctx, 1, "k", "print"); kept != nil || err != nil {
				t.Errorf("after a failure: %v %v", kept, err)
			}
			return keys.Keep(ctx, 1, "k", []byte("answer"))
		})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := keys.Claim(t.Context(), 1, "k", "print")
		if err != nil || kept == nil || string(kept.Answer) != "answer" || kept.Fingerprint != "print" {
			t.Errorf("%v %v", kept, err)
		}
	})
}
