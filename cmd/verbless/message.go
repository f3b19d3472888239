package main

import "verbless/internal/fault"

// message is what a person at a terminal should read: everything, for it is their own machine.
func message(err error) string {
	f := fault.As(err)
	if f.Code == fault.Internal {
		return err.Error()
	}
	text := f.Message
	if len(f.Parts) > 1 {
		for _, part := range f.Parts {
			text += "\n  " + part.Pointer + ": " + part.Message
		}
	}
	if f.Cause != nil {
		text += " (" + f.Cause.Error() + ")"
	}
	return text
}
