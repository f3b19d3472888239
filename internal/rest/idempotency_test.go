package rest_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"verbless/internal/fault"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const key = `Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"`
	first := s.want(t, 201, alice, "POST /notes", `{"title":"Once"}`, key)
	first.has(t, "Idempotency-Replayed", "")
	for _, same := range []string{key, strings.ReplaceAll(key, `"`, "")} {
		again := s.want(t, 201, alice, "POST /notes", `{"title":"Once"}`, same)
		again.is(t, trimmed(first))
		again.has(t, "Idempotency-Replayed", "true")
		for _, name := range []string{"Location", "ETag", "Content-Type", "Cache-Control"} {
			again.has(t, name, first.Header.Get(name))
		}
	}
	if len(s.notes.rows) != 1 {
		t.Errorf("%d notes were made", len(s.notes.rows))
	}
	s.want(t, 200, alice, "PATCH /notes/"+nth(1), `{"title":"Later"}`)
	s.want(t, 201, alice, "POST /notes", `{"title":"Once"}`, key).is(t, trimmed(first))
}

// TestReplayOfMinimal: the first answer comes again as it was, whatever is preferred now.
func TestReplayOfMinimal(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.want(t, 201, alice, "POST /notes", `{"title":"Once"}`, "Idempotency-Key: k", "Prefer: return=minimal").is(t, "")
	a := s.want(t, 201, alice, "POST /notes", `{"title":"Once"}`, "Idempotency-Key: k")
	a.is(t, "")
	a.has(t, "Preference-Applied", "return=minimal")
}

func TestKeyReused(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.want(t, 201, alice, "POST /notes", `{"title":"Once"}`, "Idempotency-Key: k")
	for _, other := range []struct{ call, body, kind string }{
		{"POST /notes", `{"title":"Twice"}`, plainJSON}, {"POST /notes", `{"title":"Once"} `, plainJSON}, {"POST /notes", `{"title":"Once"}`, "Content-Type: application/vnd.verbless+v1+json"},
		{"POST /folders", `{"title":"Once"}`, plainJSON}, {"POST /notes", `{`, plainJSON},
	} {
		s.do(t, alice, other.call, other.body, "Idempotency-Key: k", other.kind).refused(t, fault.IdempotencyKeyReused, "idempotency_key_reused Idempotency-Key")
	}
	for _, who := range []string{bob, admin} { // each has keys of their own
		a := s.want(t, 201, who, "POST /notes", `{"title":"Twice"}`, "Idempotency-Key: k")
		a.has(t, "Idempotency-Replayed", "")
	}
	s.want(t, 201, alice, "POST /notes", `{"title":"Twice"}`, "Idempotency-Key: K")
}

func TestBadKeys(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, key := range []string{"", `""`, `"a`, `a"`, "a b", "a,b", "'a'", `"a\b"`, "\"a\x7fb\"", "\"é\"", "é", strings.Repeat("a", 256), `"` + strings.Repeat("a", 256) + `"`, `"a", "b"`, "a;b", ":a=:", "?1/"} {
		s.do(t, alice, "POST /notes", `{"title":"x"}`, "Idempotency-Key: "+key).refused(t, fault.InvalidHeader, "invalid_header Idempotency-Key")
	}
	s.do(t, alice, "POST /notes", `{"title":"x"}`, "Idempotency-Key: a", "Idempotency-Key: a").refused(t, fault.InvalidHeader, "invalid_header Idempotency-Key")
	for i, key := range []string{"a", "A.b_c:d-9", `"a b,c;d"`, strings.Repeat("a", 255), `"` + strings.Repeat("b", 255) + `"`} {
		s.want(t, 201, alice, "POST /notes", `{"title":"x"}`, "Idempotency-Key: "+key)
		if len(s.notes.rows) != i+1 {
			t.Errorf("%s made no note", key)
		}
	}
	if len(s.notes.rows) != 5 {
		t.Errorf("%d notes were made", len(s.notes.rows))
	}
}

// TestFailedRequestLeavesNoTrace: the key stays free when the first request failed, whatever the reason.
func TestFailedRequestLeavesNoTrace(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const key = "Idempotency-Key: k"
	s.want(t, 400, alice, "POST /notes", `{"title":""}`, key)
	s.want(t, 400, alice, "POST /notes", `{`, key)
	s.want(t, 404, alice, "POST /notes/"+nth(9)+"/lines", `{"text":"x"}`, key)
	s.world.setTrap(func(string) error { return errors.New("the disk is on fire") })
	s.want(t, 500, alice, "POST /notes", `{"title":"x"}`, key)
	s.world.setTrap(func(where string) error { panic("oh") })
	s.want(t, 500, alice, "POST /notes", `{"title":"x"}`, key)
	s.world.setTrap(nil)
	if len(s.keys.kept) != 0 {
		t.Errorf("%d keys are kept", len(s.keys.kept))
	}
	s.want(t, 201, alice, "POST /notes", `{"title":"Now"}`, key).has(t, "Idempotency-Replayed", "")
}

func TestInProgress(t *testing.T) {
	t.Parallel()
	s := serve(t)
	inside, goOn := make(chan struct{}), make(chan struct{})
	s.world.setTrap(func(where string) error {
		close(inside)
		<-goOn
		return nil
	})
	var first answer
	var done sync.WaitGroup
	done.Go(func() { first = s.do(t, alice, "POST /notes", `{"title":"x"}`, "Idempotency-Key: k") })
	<-inside
	for _, body := range []string{`{"title":"x"}`, `{"title":"another"}`} {
		a := s.do(t, alice, "POST /notes", body, `Idempotency-Key: "k"`)
		a.refused(t, fault.IdempotencyInProgress, "idempotency_in_progress Idempotency-Key")
		a.has(t, "Retry-After", "1")
	}
	close(goOn)
	done.Wait()
	first.status(t, 201)
	s.world.setTrap(nil)
	s.want(t, 201, alice, "POST /notes", `{"title":"x"}`, "Idempotency-Key: k").has(t, "Idempotency-Replayed", "true")
}

// TestInProgressElsewhere: another node holds the key, and the store says so.
func TestInProgressElsewhere(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.keys.busy = true
	a := s.do(t, alice, "POST /notes", `{"title":"x"}`, "Idempotency-Key: k")
	a.refused(t, fault.IdempotencyInProgress, "idempotency_in_progress Idempotency-Key")
	a.has(t, "Retry-After", "1")
}

// TestKeptAnswersAreSealed: who reads the store learns neither key nor answer, and cannot change it.
func TestKeptAnswersAreSealed(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.want(t, 201, alice, "POST /notes", `{"title":"Classified"}`, "Idempotency-Key: open-sesame")
	s.want(t, 201, bob, "POST /notes", `{"title":"Classified"}`, "Idempotency-Key: open-sesame")
	var sealed []string
	for key, kept := range s.keys.kept {
		all := key + kept.Fingerprint + string(kept.Answer)
		for _, secret := range []string{"Classified", "sesame", "title", "Location"} {
			if strings.Contains(all, secret) {
				t.Errorf("the store holds %s in the open", secret)
			}
		}
		sealed = append(sealed, string(kept.Answer))
		kept.Answer[len(kept.Answer)/2] ^= 1
	}
	if len(sealed) != 2 || sealed[0] == sealed[1] {
		t.Errorf("%d answers are kept", len(sealed))
	}
	s.do(t, alice, "POST /notes", `{"title":"Classified"}`, "Idempotency-Key: open-sesame").refused(t, fault.Internal)
}

// TestManyWithOneKey: however many at once, one is made.
func TestManyWithOneKey(t *testing.T) {
	t.Parallel()
	s := serve(t)
	start := make(chan struct{})
	var done sync.WaitGroup
	for range 20 {
		done.Go(func() {
			<-start
			a := s.do(t, alice, "POST /notes", `{"title":"x"}`, "Idempotency-Key: k")
			if a.Status != 201 && a.Status != 409 {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	close(start)
	done.Wait()
	if len(s.notes.rows) != 1 {
		t.Errorf("%d notes were made", len(s.notes.rows))
	}
}
