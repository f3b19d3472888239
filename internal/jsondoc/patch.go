package jsondoc

import (
	"fmt"
	"slices"
	"strconv"
)

// MaxOperations is how many operations a patch may hold.
const MaxOperations = 100

// Patch is a parsed JSON Patch (RFC 6902).
type Patch []operation

type operation struct {
	op         string
	path, from place
	value      any
}

// place is a pointer and its tokens.
type place struct {
	text   string
	tokens []string
}

// PatchKind is what is wrong with a patch.
type PatchKind int

// The kinds of PatchError.
const (
	Malformed  PatchKind = iota // the patch is wrong whatever the document
	TestFailed                  // a test found another value
	Conflict                    // the document lacks a place, or would become too large or too deep
)

// PatchError tells which operation failed and why.
type PatchError struct {
	Kind      PatchKind
	Operation int    // its index, or -1 for the patch as a whole
	Pointer   string // into the patch, not into the document it is for
	Reason    string // a sentence for people
}

// Error gives the reason and the operation.
func (e *PatchError) Error() string {
	if e.Operation < 0 {
		return e.Reason
	}
	return fmt.Sprintf("%s (operation %d)", e.Reason, e.Operation)
}

// ParsePatch reads a JSON Patch from a parsed document. Its error is a *PatchError with Kind Malformed.
func ParsePatch(doc any) (Patch, error) {
	list, ok := doc.([]any)
	if !ok {
		return nil, &PatchError{Operation: -1, Reason: "A JSON Patch is an array of operations."}
	}
	if len(list) > MaxOperations {
		reason := fmt.Sprintf("A patch holds at most %d operations; this one has %d.", MaxOperations, len(list))
		return nil, &PatchError{Operation: -1, Reason: reason}
	}
	patch := make(Patch, len(list))
	for i, item := range list {
		op, wrong := parseOperation(item)
		if wrong != nil {
			wrong.Operation = i
			wrong.Pointer = "/" + strconv.Itoa(i) + wrong.Pointer
			return nil, wrong
		}
		patch[i] = op
	}
	return patch, nil
}

// parseOperation gives errors whose pointer starts at the operation.
func parseOperation(item any) (operation, *PatchError) {
	var o operation
	members, ok := item.(*Object)
	if !ok {
		return o, &PatchError{Reason: "An operation is an object."}
	}
	name, ok := members.Get("op")
	if !ok {
		return o, &PatchError{Reason: `The member "op" is missing.`}
	}
	o.op, _ = name.(string)
	if !slices.Contains([]string{"add", "remove", "replace", "move", "copy", "test"}, o.op) {
		return o, &PatchError{Pointer: "/op", Reason: `"op" is one of add, remove, replace, move, copy and test.`}
	}
	var wrong *PatchError
	if o.path, wrong = parsePlace(members, "path"); wrong != nil {
		return o, wrong
	}
	switch o.op {
	case "add", "replace", "test":
		if o.value, ok = members.Get("value"); !ok {
			return o, &PatchError{Reason: `The member "value" is missing.`}
		}
	case "remove":
		if o.path.text == "" {
			return o, &PatchError{Pointer: "/path", Reason: "The whole document cannot be removed."}
		}
	case "move", "copy":
		if o.from, wrong = parsePlace(members, "from"); wrong != nil {
			return o, wrong
		}
		if o.op == "move" && inside(o.path.tokens, o.from.tokens) {
			return o, &PatchError{Pointer: "/path", Reason: "A value cannot be moved into itself."}
		}
	}
	return o, nil
}

func parsePlace(members *Object, name string) (place, *PatchError) {
	v, ok := members.Get(name)
	if !ok {
		return place{}, &PatchError{Reason: "The member " + quote(name) + " is missing."}
	}
	text, ok := v.(string)
	if !ok {
		return place{}, &PatchError{Pointer: "/" + name, Reason: quote(name) + " has to be a string."}
	}
	tokens, err := ParsePointer(text)
	if err != nil {
		return place{}, &PatchError{Pointer: "/" + name, Reason: quote(name) + " cannot be used: " + err.Error() + "."}
	}
	return place{text, tokens}, nil
}

// inside tells whether path leads to something below root.
func inside(path, root []string) bool {
	return len(path) > len(root) && slices.Equal(path[:len(root)], root)
}
