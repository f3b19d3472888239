package rest

import (
	"slices"

	"verbless/internal/fault"
)

// Raw is bodies of plain bytes. Their length must be announced, so that too long a body is refused before any of it is read.
type Raw struct {
	Types    []string
	Max      int64
	TooLarge fault.Code
}

// raw tells whether the body is plain bytes, and not JSON.
func (c *Call) raw() bool {
	return c.op.Raw != nil && slices.Contains(c.op.Raw.Types, c.BodyType())
}

// takes says what POST takes, and what comes before anything is written.
func (c *collection) takes(post *Operation) {
	post.Takes, post.Raw = []string{jsonType}, c.raw
	if c.raw != nil {
		post.Takes = append(post.Takes, c.raw.Types...)
	}
	post.Takes, post.Params, post.Answers, post.stage = append(post.Takes, c.intake.Takes...), c.intake.Params, c.intake.Answers, c.intake.Stage
	if c.receive != nil {
		post.prepare = func(call *Call) (err error) {
			if call.prepared, err = c.draft(call); err != nil {
				return err
			}
			return c.receive(call, call.prepared)
		}
	}
}
