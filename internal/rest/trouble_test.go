package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"verbless/internal/fault"
)

const limit = 4096 // the toy's

func TestBodyTooLarge(t *testing.T) {
	t.Parallel()
	s := serve(t)
	body := func(n int) string { return `{"title":"x"` + strings.Repeat(" ", n-len(`{"title":"x"}`)) + `}` }
	for _, chunked := range []bool{false, true} {
		for size, status := range map[int]int{limit - 1: 201, limit: 201, limit + 1: 413, limit * 10: 413} {
			r := request(alice, "POST /notes", body(size))
			if chunked {
				r.ContentLength = -1
			}
			a := s.send(t, r)
			a.status(t, status)
			if status == 413 {
				a.refused(t, fault.BodyTooLarge)
				a.has(t, "Connection", "close")
			}
		}
	}
}

// TestTooLargeIsNotRead: an announced length is enough to refuse.
func TestTooLargeIsNotRead(t *testing.T) {
	t.Parallel()
	s := serve(t)
	r := request(alice, "POST /notes", "{}")
	r.Body, r.ContentLength = io.NopCloser(failing{errors.New("somebody read it")}), limit+1
	s.send(t, r).refused(t, fault.BodyTooLarge)
}

// failing is a body that breaks off.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for err, code := range map[error]fault.Code{io.ErrUnexpectedEOF: fault.UploadIncomplete, errors.New("reset"): fault.UploadIncomplete, os.ErrDeadlineExceeded: fault.BodyTooSlow} {
		r := request(alice, "POST /notes", "{}")
		r.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"title":`), failing{err}))
		s.send(t, r).refused(t, code)
	}
	if len(s.notes.rows) != 0 {
		t.Error("half a body made a note")
	}
}

// TestInternal: whatever goes wrong inside is a 500 that tells nothing, and a line in the log that tells all.
func TestInternal(t *testing.T) {
	t.Parallel()
	for name, trap := range map[string]func(string) error{
		"panic":       func(string) error { panic("secret text") },
		"error":       func(string) error { return errors.New("secret text") },
		"nil pointer": func(string) error { var n *Note; _ = n.Title; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			s.note("First")
			s.world.setTrap(trap)
			for _, call := range []string{"GET /notes", "GET /notes/" + nth(1), "POST /notes", "PUT /notes/" + nth(1), "PATCH /notes/" + nth(1), "DELETE /notes/" + nth(1), "OPTIONS /notes/" + nth(1)} {
				a := s.do(t, alice, call, `{"title":"x"}`)
				a.refused(t, fault.Internal)
				for _, leak := range []string{"secret", "goroutine", ".go", "nil pointer", "panic"} {
					if strings.Contains(a.Body, leak) {
						t.Errorf("%s shows %q: %s", call, leak, a.Body)
					}
				}
			}
			s.do(t, alice, "HEAD /notes", "").status(t, 500)
			log := s.log.String()
			if strings.Count(log, "level=ERROR") != 8 || !strings.Contains(log, "request_id=the-request") || name != "nil pointer" && !strings.Contains(log, "secret text") {
				t.Errorf("the log says %s", log)
			}
		})
	}
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	for code, retry := range map[fault.Code]time.Duration{fault.Unavailable: 0, fault.StorageFull: 5 * time.Second, fault.OutcomeUnknown: 1500 * time.Millisecond} {
		s := serve(t)
		s.world.setTrap(func(string) error {
			return fault.New(code, "Not just now.").After(retry).Because(errors.New("secret text"))
		})
		a := s.do(t, alice, "GET /notes", "")
		a.refused(t, code)
		a.has(t, "Retry-After", map[time.Duration]string{0: "1", 5 * time.Second: "5", 1500 * time.Millisecond: "2"}[retry])
		if strings.Contains(a.Body, "secret") || !strings.Contains(s.log.String(), "secret text") {
			t.Errorf("%s: body %s, log %s", code, a.Body, s.log)
		}
	}
}

// TestCallerFaultsAreNotLogged as errors: they are not ours.
func TestCallerFaultsAreNotLogged(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.do(t, "", "GET /notes", "")
	s.do(t, alice, "GET /notes/"+nth(9), "")
	s.do(t, alice, "POST /notes", "{")
	if log := s.log.String(); log != "" {
		t.Errorf("the log says %s", log)
	}
}

// TestCallerGone: nobody is listening, so nothing is answered and nothing logged.
func TestCallerGone(t *testing.T) {
	t.Parallel()
	s := serve(t)
	ctx, cancel := context.WithCancel(context.Background())
	s.world.setTrap(func(string) error { cancel(); return context.Canceled })
	defer func() {
		if recover() != http.ErrAbortHandler || s.log.String() != "" {
			t.Errorf("the request was not given up: %s", s.log)
		}
	}()
	s.ServeHTTP(httptest.NewRecorder(), request(alice, "GET /notes", "").WithContext(ctx))
}
