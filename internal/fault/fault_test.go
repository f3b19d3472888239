package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

func TestAs(t *testing.T) {
	t.Parallel()
	f := New(AlreadyExists, "There is one.").Because(io.EOF)
	wrapped := fmt.Errorf("saving: %w", f)
	if As(wrapped) != f || !Is(wrapped, AlreadyExists) || Is(wrapped, Internal) || Is(io.EOF, Internal) || Is(nil, Internal) || !errors.Is(wrapped, io.EOF) {
		t.Error("a wrapped fault is not found")
	}
	hidden := As(errors.New("dial tcp 10.0.0.1: refused"))
	if hidden.Code != Internal || hidden.Cause == nil || hidden.Message == hidden.Cause.Error() {
		t.Errorf("got %+v", hidden)
	}
}

func TestNewTakesTextAsItIs(t *testing.T) {
	t.Parallel()
	if f := New(BadFormat, "100%d"); f.Message != "100%d" {
		t.Errorf("without arguments: %q", f.Message)
	}
	if f := New(BadFormat, "%d of %s", 1, "two"); f.Message != "1 of two" {
		t.Errorf("with arguments: %q", f.Message)
	}
}

func TestErrorIsForTheLog(t *testing.T) {
	t.Parallel()
	var l List
	l.Add(New(Required, "It is missing.").At("/a"))
	l.Add(New(UnknownParameter, "Nobody knows it.").In("b"))
	l.Add(New(InvalidHeader, "It is wrong.").On("C").Because(io.EOF))
	want := "validation_failed: The request has 3 faults; see errors.; /a required: It is missing.; b unknown_parameter: Nobody knows it.; C invalid_header: It is wrong.: EOF"
	if got := l.Err().Error(); got != want || l.Len() != 3 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	f := New(TransitionRefused, "No.").With("from", "a").With("to", "b").After(time.Second)
	if len(f.Details) != 2 || f.Details["from"] != "a" || f.Details["to"] != "b" || f.Retry != time.Second {
		t.Errorf("got %+v", f)
	}
}

// TestListCode: a list says what its parts say, when all say the same of the query.
func TestListCode(t *testing.T) {
	t.Parallel()
	param := func(c Code) *Fault { return New(c, "So.").In("p") }
	for _, test := range []struct {
		name    string
		parts   []*Fault
		code    Code
		message string
	}{
		{"one parameter", []*Fault{param(UnknownParameter)}, UnknownParameter, "So."},
		{"two parameters", []*Fault{param(UnknownParameter), param(UnknownParameter)}, UnknownParameter, "The request has 2 faults; see errors."},
		{"parameters that differ", []*Fault{param(UnknownParameter), param(InvalidParameter)}, ValidationFailed, "The request has 2 faults; see errors."},
		{"one member", []*Fault{New(Required, "So.").At("/a")}, ValidationFailed, "So."},
		{"two of rights", []*Fault{New(ForbiddenCode, "So.").At("/a"), New(ForbiddenCode, "So.").At("/b")}, ForbiddenCode, "The request has 2 faults; see errors."},
		{"rights and a member", []*Fault{New(ForbiddenCode, "So.").At("/a"), New(Required, "So.").At("/b")}, ValidationFailed, "The request has 2 faults; see errors."},
		{"a member and rights", []*Fault{New(Required, "So.").At("/b"), New(ForbiddenCode, "So.").At("/a")}, ValidationFailed, "The request has 2 faults; see errors."},
		{"a member and a parameter", []*Fault{param(UnknownField), New(UnknownField, "So.").At("/a")}, ValidationFailed, "The request has 2 faults; see errors."},
	} {
		var l List
		for _, part := range test.parts {
			l.Add(part)
		}
		f := As(l.Err())
		if f.Code != test.code || f.Message != test.message || len(f.Parts) != len(test.parts) {
			t.Errorf("%s: %+v", test.name, f)
		}
	}
	var none List
	if err := none.Err(); err != nil {
		t.Errorf("an empty list is %v", err)
	}
}

// TestBelow: faults of a part move below it, and what is no fault of the caller's is given back.
func TestBelow(t *testing.T) {
	t.Parallel()
	var inner, l List
	inner.Add(New(Required, "So.").At("/a"))
	inner.Add(New(BadFormat, "So.").At(""))
	part := inner.Err()
	for _, err := range []error{part, nil, New(ForbiddenCode, "So.").At("/c")} {
		if err := l.Below("/3", err); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{io.EOF, New(Unavailable, "Later."), New(Internal, "Ours.")} {
		if got := l.Below("/4", err); got != err {
			t.Errorf("%v came back as %v", err, got)
		}
	}
	want := "validation_failed: The request has 3 faults; see errors.; /3/a required: So.; /3 bad_format: So.; /3/c forbidden: So."
	if got := l.Err().Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if As(part).Parts[0].Pointer != "/a" {
		t.Error("the fault that was given has changed")
	}
}

func TestShorthands(t *testing.T) {
	t.Parallel()
	if NotFound().Code != NotFoundCode || Forbidden().Code != ForbiddenCode {
		t.Error("not the codes they are named for")
	}
	f := As(Invalid(BadFormat, "/a/b", "Not %s.", "this"))
	if f.Code != ValidationFailed || len(f.Parts) != 1 || f.Parts[0].Code != BadFormat || f.Parts[0].Pointer != "/a/b" || f.Parts[0].Message != "Not this." {
		t.Errorf("got %+v", f)
	}
}
