package rest

import "reflect"

// Intake is a POST in a way of its own: what comes may be more than JSON, and longer than memory.
type Intake[T any] struct {
	Takes  []string // media types beside JSON
	Params []Param
	// Stage reads the body, which may be slow, and leaves the JSON of it in call.Body; whole reads it as usual. It runs before
	// any transaction. What else it makes, it leaves in Staged, Print and Undo of the call, for Collection.Receive to take up.
	Stage func(call *Call, whole func() error) error
	// Answer makes the answer from the usual one.
	Answer  func(call *Call, made *T, usual *Answer) (*Answer, error)
	Answers []Response
}

// erase makes it one of rows whose type is not known.
func (i *Intake[T]) erase() *Intake[reflect.Value] {
	if i == nil {
		return &Intake[reflect.Value]{}
	}
	return &Intake[reflect.Value]{i.Takes, i.Params, i.Stage, func(call *Call, made *reflect.Value, usual *Answer) (*Answer, error) {
		return i.Answer(call, made.Addr().Interface().(*T), usual)
	}, i.Answers}
}
