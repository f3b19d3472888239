// Package fault is the one error of verbless: a code from a closed list, a message for people, and where in the
// request the trouble is. Any error that is not a *Fault is internal, and its text is never shown to a caller.
//
// It knows nothing of HTTP: package rest translates a code's Kind into a status.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Fault is an error that a caller may see. Cause is for the log alone.
type Fault struct {
	Code      Code
	Message   string
	Pointer   string // JSON pointer into the body
	Parameter string // name of a query parameter
	Header    string // name of a request header
	Details   map[string]any
	Parts     []*Fault // all the faults of one request, when there are several
	Retry     time.Duration
	Cause     error
}

// New makes a fault. The message is a whole sentence for a person.
func New(code Code, format string, args ...any) *Fault {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return &Fault{Code: code, Message: format}
}

// Error is for logs; callers see Code and Message.
func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(string(f.Code) + ": " + f.Message)
	for _, part := range f.Parts {
		b.WriteString("; " + part.Pointer + part.Parameter + part.Header + " " + part.Error())
	}
	if f.Cause != nil {
		b.WriteString(": " + f.Cause.Error())
	}
	return b.String()
}

// Unwrap gives the hidden cause to errors.Is and errors.As.
func (f *Fault) Unwrap() error { return f.Cause }

// At says which member of the body the fault is about.
func (f *Fault) At(pointer string) *Fault { f.Pointer = pointer; return f }

// In says which query parameter the fault is about.
func (f *Fault) In(parameter string) *Fault { f.Parameter = parameter; return f }

// On says which request header the fault is about.
func (f *Fault) On(header string) *Fault { f.Header = header; return f }

// With adds a member to the answer.
func (f *Fault) With(name string, value any) *Fault {
	if f.Details == nil {
		f.Details = map[string]any{}
	}
	f.Details[name] = value
	return f
}

// Because keeps the cause for the log.
func (f *Fault) Because(err error) *Fault { f.Cause = err; return f }

// After says when it is worth trying again.
func (f *Fault) After(d time.Duration) *Fault { f.Retry = d; return f }

// As gives the fault in err. What is not a fault becomes an internal one that keeps err as its cause.
func As(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return New(Internal, "Something went wrong on our side. The request id leads the operator to the cause.").Because(err)
}

// Is tells whether err is a fault with this code.
func Is(err error, code Code) bool {
	var f *Fault
	return errors.As(err, &f) && f.Code == code
}

// NotFound is what a caller gets for anything that is not there, or not there for them.
func NotFound() *Fault { return New(NotFoundCode, "There is nothing at this address.") }

// Forbidden is for callers who may see a thing but not do this to it.
func Forbidden() *Fault { return New(ForbiddenCode, "You may see this, but not do this to it.") }

// List gathers all the faults of a request.
type List struct{ parts []*Fault }

// Add puts one more fault on the list.
func (l *List) Add(f *Fault) { l.parts = append(l.parts, f) }

// Len is how many faults there are so far.
func (l *List) Len() int { return len(l.parts) }

// Below adds what err says of one part of the body, with pointers below prefix. What is not the caller's doing is not
// added but given back.
func (l *List) Below(prefix string, err error) error {
	if err == nil {
		return nil
	}
	f := As(err)
	if info, _ := Lookup(f.Code); info.Kind >= KindInternal {
		return err
	}
	parts := f.Parts
	if len(parts) == 0 {
		parts = []*Fault{f}
	}
	for _, part := range parts {
		copied := *part
		l.Add(copied.At(prefix + part.Pointer))
	}
	return nil
}

// Err is nil for an empty list, else one fault that carries every part. Its code is ValidationFailed, unless all
// parts say the same, of parameters or headers or of something else than validity: then it says that itself.
func (l *List) Err() error {
	if len(l.parts) == 0 {
		return nil
	}
	code, message := ValidationFailed, l.parts[0].Message
	info, _ := Lookup(l.parts[0].Code)
	same := func(f *Fault) bool {
		return (f.Parameter+f.Header != "" || info.Kind != KindInvalid) && f.Code == l.parts[0].Code
	}
	if !slices.ContainsFunc(l.parts, func(f *Fault) bool { return !same(f) }) {
		code = l.parts[0].Code
	}
	if n := len(l.parts); n > 1 {
		message = fmt.Sprintf("The request has %d faults; see errors.", n)
	}
	f := New(code, "%s", message)
	f.Parts = l.parts
	return f
}

// Invalid is the fault of one member of a body.
func Invalid(code Code, pointer, format string, args ...any) error {
	var l List
	l.Add(New(code, format, args...).At(pointer))
	return l.Err()
}
