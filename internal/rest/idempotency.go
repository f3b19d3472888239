package rest

import (
	"bytes"
	"context"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"verbless/internal/fault"
	"verbless/internal/onetime"
)

// once runs a POST. With an Idempotency-Key, the key, the change and the answer are one transaction:
// a failed request leaves no trace, and a repeated one gets the first answer.
func (c *Call) once() (*Answer, error) {
	lines := c.Request.Header.Values("Idempotency-Key")
	if len(lines) == 0 {
		if err := c.prepare(); err != nil {
			return nil, err
		}
		answer, err := c.op.Handle(c)
		return c.finished(answer, false, err)
	}
	sent, err := onetime.ReadKey(lines)
	if err != nil {
		return nil, err
	}
	user := strconv.FormatInt(c.By.ID, 10)
	key := c.api.keyed(24, "idempotency", user, sent)
	body := sha256.Sum256(c.Body) // which may be large: no copy of it
	print := c.api.keyed(24, "fingerprint", c.Request.Method, c.Request.URL.RequestURI(), onetime.Kind(c.Request.Header.Get("Content-Type")), string(body[:]), c.Print)
	seal := seal{c.api.secret.Seal(user, sent)}
	if !c.api.running.Take(key) {
		return nil, onetime.InProgress()
	}
	defer c.api.running.Free(key)
	var answer *Answer
	replayed := false
	outside := c.Ctx
	claim := func(ctx context.Context, unless func() error) error {
		kept, err := c.api.Keys.Claim(ctx, c.By.ID, key, print)
		switch {
		case err != nil:
			return err
		case kept == nil:
			replayed = false
			return unless()
		case kept.Fingerprint != print:
			return fault.New(fault.IdempotencyKeyReused, "This key was first sent with another request.").On("Idempotency-Key")
		}
		replayed = true
		answer, err = seal.open(kept.Answer)
		return err
	}
	if c.op.prepare != nil { // what was answered before needs no preparing, and no transaction must wait for it
		err := c.api.Atomic.Do(outside, func(ctx context.Context) error { return claim(ctx, func() error { return errNewKey }) })
		if !errors.Is(err, errNewKey) {
			return c.finished(answer, replayed, err)
		}
		if err := c.prepare(); err != nil {
			return nil, err
		}
	}
	err = c.api.Atomic.Do(outside, func(ctx context.Context) error {
		c.Ctx = ctx
		return claim(ctx, func() (err error) {
			if answer, err = c.op.Handle(c); err != nil {
				return err
			}
			return c.api.Keys.Keep(ctx, c.By.ID, key, seal.close(answer))
		})
	})
	c.Ctx = outside
	return c.finished(answer, replayed, err)
}

// finished runs what an operation still has to do after its transaction. The key is held until then.
func (c *Call) finished(answer *Answer, replayed bool, err error) (*Answer, error) {
	if err != nil || c.op.finish == nil {
		return answer, err
	}
	return c.op.finish(c, answer, replayed)
}

// errNewKey undoes the claim of a key that was only looked for.
var errNewKey = errors.New("rest: the key is new")

func (c *Call) prepare() error {
	if c.op.prepare == nil {
		return nil
	}
	return c.op.prepare(c)
}

// seal hides kept answers from anyone who reads the store without knowing the client's key,
// because an answer may hold a secret that is shown once.
type seal struct{ cipher.AEAD }

// close writes a line of JSON and then the body as it is, in one piece of memory: the answer to a batch is large.
func (s seal) close(a *Answer) []byte {
	head := *a
	head.Body = nil
	line, err := json.Marshal(head)
	if err != nil {
		panic(err) // an Answer is plain data
	}
	plain := make([]byte, 0, len(line)+1+len(a.Body)+s.Overhead())
	plain = append(append(append(plain, line...), '\n'), a.Body...)
	return s.Seal(plain[:0], nil, plain, nil)
}

func (s seal) open(sealed []byte) (*Answer, error) {
	plain, err := s.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, err
	}
	line, body, _ := bytes.Cut(plain, []byte("\n"))
	var a Answer
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, err
	}
	a.Body = body
	if a.Header == nil {
		a.Header = http.Header{}
	}
	return a.Set("Idempotency-Replayed", "true"), nil
}
