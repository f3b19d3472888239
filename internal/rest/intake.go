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

// intake is an Intake with its type erased.
type intake struct {
	takes   []string
	params  []Param
	stage   func(call *Call, whole func() error) error
	answer  func(call *Call, made reflect.Value, usual *Answer) (*Answer, error)
	answers []Response
}

func (i *Intake[T]) erase() intake {
	if i == nil {
		return intake{}
	}
	return intake{i.Takes, i.Params, i.Stage, func(call *Call, made reflect.Value, usual *Answer) (*Answer, error) {
		return i.Answer(call, made.Addr().Interface().(*T), usual)
	}, i.Answers}
}
