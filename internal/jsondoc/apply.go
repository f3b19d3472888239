package jsondoc

import (
	"fmt"
	"math"
	"strconv"
)

// maxCopied limits what the copy operations of one patch add to a document, in bytes as estimated by gauge: copies of
// copies double with every operation.
const maxCopied = 16 << 20

// Apply gives doc with all operations applied, or a *PatchError of the first that fails. doc stays as it is.
func (p Patch) Apply(doc any) (any, error) {
	run := run{doc: doc, room: maxCopied, editor: editor{own: map[any]bool{}}}
	for i := range p {
		if wrong := run.do(&p[i]); wrong != nil {
			wrong.Operation = i
			wrong.Pointer = "/" + strconv.Itoa(i) + wrong.Pointer
			return nil, wrong
		}
	}
	return run.doc, nil
}

// run is a patch at work. A copied value stands in doc twice.
type run struct {
	editor
	doc  any
	room int // what copies may still add
}

func (r *run) do(o *operation) *PatchError {
	switch o.op {
	case "test":
		v, err := find(r.doc, o.path.tokens)
		if err != nil {
			return conflict("path", o.path, err)
		}
		if !Equal(v, o.value) {
			return &PatchError{Kind: TestFailed, Pointer: "/value", Reason: "The value at " + quote(o.path.text) + " is not the one tested for."}
		}
		return nil
	case "remove":
		return r.edit("path", o.path, r.remove)
	case "replace":
		return r.put(o.path, o.value, r.replace)
	case "add":
		return r.put(o.path, o.value, r.insert)
	default:
		return r.transfer(o)
	}
}

// transfer is move and copy.
func (r *run) transfer(o *operation) *PatchError {
	v, err := find(r.doc, o.from.tokens)
	if err != nil {
		return conflict("from", o.from, err)
	}
	if o.op == "copy" {
		size := gauge{limit: r.room}
		size.walk(v, math.MaxInt)
		if r.room -= size.total; r.room < 0 {
			return &PatchError{Kind: Conflict, Pointer: "/from", Reason: fmt.Sprintf("The copies made by this patch exceed %d MiB.", maxCopied>>20)}
		}
		r.share()
		return r.put(o.path, v, r.insert)
	}
	if o.from.text == o.path.text {
		return nil
	}
	if wrong := r.edit("from", o.from, r.remove); wrong != nil {
		return wrong
	}
	return r.put(o.path, v, r.insert)
}

// put places v at p.
func (r *run) put(p place, v any, how func(parent any, token string, v any) (any, error)) *PatchError {
	depth := gauge{limit: math.MaxInt}
	if depth.walk(v, MaxDepth-len(p.tokens)); depth.deep {
		return conflict("path", p, fmt.Errorf("there would be more than %d arrays and objects inside each other", MaxDepth))
	}
	if len(p.tokens) == 0 {
		r.doc = v
		return nil
	}
	return r.edit("path", p, func(parent any, token string) (any, error) { return how(parent, token, v) })
}

// edit changes the array or object that holds the last token of p.
func (r *run) edit(member string, p place, change func(parent any, token string) (any, error)) *PatchError {
	doc, err := r.along(r.doc, p.tokens, change)
	if err != nil {
		return conflict(member, p, err)
	}
	r.doc = doc
	return nil
}

func conflict(member string, p place, err error) *PatchError {
	return &PatchError{Kind: Conflict, Pointer: "/" + member, Reason: "The place " + quote(p.text) + " cannot be used: " + err.Error() + "."}
}
