package rest

import (
	"errors"
	"net/http"
	"path"
	"reflect"

	"verbless/internal/fault"
	"verbless/internal/header"
	"verbless/internal/jsondoc"
	"verbless/internal/query"
	"verbless/internal/shape"
)

// draft makes the row that a POST asks for, and judges what the body says.
func (c *collection) draft(call *Call) (row reflect.Value, err error) {
	above, err := c.above(call)
	if err != nil {
		return row, err
	}
	if row, err = c.unborn(call, above); err != nil || call.raw() {
		return row, err
	}
	doc, err := c.parse(call)
	if err != nil {
		return row, err
	}
	call.At, err = c.fill(row, nil, nil, doc, false)
	return row, err
}

// create answers POST. What the body says is judged before anything is written.
func (c *collection) create(call *Call) (*Answer, error) {
	row := call.prepared
	if !row.IsValid() {
		var err error
		if row, err = c.draft(call); err != nil {
			return nil, err
		}
	}
	now, err := c.store.change(call.Ctx, call.By, nil, func(reflect.Value) (reflect.Value, error) {
		return c.model.Copy(row), nil
	})
	if err != nil {
		return nil, below(call.At, err)
	}
	call.made = now
	return c.created(call, now)
}

// finishCreate goes on after the commit. A repeated request gets what the first one made, as it is now.
func (c *collection) finishCreate(call *Call, answer *Answer, replayed bool) (*Answer, error) {
	if !replayed {
		now, err := c.finish(call.Ctx, call.By, call.made)
		if err != nil {
			return nil, err
		}
		return c.created(call, now)
	}
	key, err := c.above(call)
	if err != nil {
		return nil, err
	}
	cond, _ := c.key(call.By, path.Base(answer.Location))
	row, err := c.store.get(call.Ctx, append(key, cond))
	if err != nil {
		return nil, err
	}
	if answer, err = c.created(call, row); err != nil {
		return nil, err
	}
	return answer.Set("Idempotency-Replayed", "true"), nil
}

// created is the answer that shows what was made.
func (c *collection) created(call *Call, now reflect.Value) (*Answer, error) {
	answer, err := c.show(call, c.writtenTo(call), now, http.StatusCreated)
	if err != nil {
		return nil, err
	}
	answer.Location = c.address(call, now)
	if call.Prefer.Minimal {
		answer.Body = nil
		answer.Set("Preference-Applied", "return=minimal")
	}
	if c.intake.Answer != nil {
		return c.intake.Answer(call, &now, answer)
	}
	return answer, nil
}

// unborn makes the row that a body will fill: it belongs to the caller, and to what the path says it lies under.
func (c *collection) unborn(call *Call, above []query.Cond) (reflect.Value, error) {
	row := c.model.New()
	for _, owner := range c.model.Owners {
		if owner != c.model.Key && owner != c.model.Parent {
			owner.Of(row).SetInt(call.By.ID)
		}
	}
	if len(above) > 0 {
		c.model.Parent.Of(row).Set(reflect.ValueOf(above[0].Values[0]))
	}
	switch {
	case permits(c.rights.Create, call.By, c.owned(call, row)):
		return row, nil
	case c.whole() && !c.opens(c.rights.List, call, above):
		return row, fault.NotFound() // not even to be known
	}
	return row, fault.Forbidden()
}

// replace answers PUT: the body is the whole document.
func (c *collection) replace(call *Call) (*Answer, error) {
	doc, err := parse(call.Body)
	if err != nil {
		return nil, err
	}
	answer, err := c.edit(call, false, func(any) (any, error) { return doc, nil })
	if answer != nil {
		answer.ETag = "" // what is stored is not byte for byte what was sent (RFC 9110, 9.3.4)
	}
	return answer, err
}

// patch answers PATCH in each of its three types: all become a function from the document that was to the one that will be.
func (c *collection) patch(call *Call) (*Answer, error) {
	doc, err := c.parse(call)
	if err != nil {
		return nil, err
	}
	var edit func(was any) (any, error)
	switch call.BodyType() {
	case jsonPatchType:
		patch, err := jsondoc.ParsePatch(doc)
		if err != nil {
			return nil, patchFault(err)
		}
		edit = func(was any) (any, error) {
			now, err := patch.Apply(was)
			return now, patchFault(err)
		}
	case mergePatchType:
		edit = func(was any) (any, error) { return jsondoc.Merge(was, doc), nil }
	default:
		if _, ok := doc.(*jsondoc.Object); !ok {
			return nil, fault.Invalid(fault.WrongType, "", "The body must be an object with the members to change.")
		}
		edit = func(was any) (any, error) { return jsondoc.Overlay(was, doc), nil }
	}
	return c.edit(call, true, edit)
}

// patchFault translates an error of a JSON Patch.
func patchFault(err error) error {
	var p *jsondoc.PatchError
	if !errors.As(err, &p) {
		return err
	}
	code := map[jsondoc.PatchKind]fault.Code{jsondoc.Malformed: fault.InvalidPatch, jsondoc.TestFailed: fault.PatchTestFailed, jsondoc.Conflict: fault.PatchConflict}[p.Kind]
	return fault.New(code, "%s", p.Reason).At(p.Pointer).With("operation", p.Operation)
}

// edit runs a change of one document inside the transaction: who may, then preconditions, then the new document.
func (c *collection) edit(call *Call, patched bool, edit func(was any) (any, error)) (*Answer, error) {
	key, err := c.locate(call)
	if err != nil {
		return nil, err
	}
	conditions, err := header.ReadPreconditions(call.Request.Header)
	if err != nil {
		return nil, err
	}
	at := "" // where the members stand, once the document has been found good: what comes after are faults of the rule
	now, err := c.store.change(call.Ctx, call.By, key, func(was reflect.Value) (reflect.Value, error) {
		at = ""
		if err := c.mayChange(c.rights.Change, call, was, conditions); err != nil {
			return reflect.Value{}, err
		}
		old := c.model.Tree(was, !c.hasPrivate || c.seesPrivate(call.By, was))
		whole, err := c.wrap(call, was, old)
		if err != nil {
			return reflect.Value{}, err
		}
		doc, err := edit(whole)
		if err != nil {
			return reflect.Value{}, err
		}
		row := c.model.Copy(was)
		at, err = c.fill(row, old, whole, doc, patched)
		return row, err
	})
	if err != nil {
		return nil, below(at, err)
	}
	answer, err := c.show(call, c.writtenTo(call), now, http.StatusOK)
	if err == nil && call.Prefer.Minimal {
		answer.Status, answer.Body = http.StatusNoContent, nil
		answer.Set("Preference-Applied", "return=minimal")
	}
	return answer, err
}

// wrap is the whole representation of a row whose members are old.
func (c *collection) wrap(call *Call, row reflect.Value, old *jsondoc.Object) (any, error) {
	if c.shape.Kind != "" {
		return c.documentOf(call, row)
	}
	return c.shape.Wrap(old), nil
}

// fill takes the document out of its shape and makes the row what it says. It tells where in the document the members
// stand, unless it found faults. was are the members as they were and whole the document around them, both nil at birth.
func (c *collection) fill(row reflect.Value, was *jsondoc.Object, whole, doc any, patched bool) (at string, err error) {
	var bad fault.List
	inner, ok := doc, true
	if c.shape.Kind != "" {
		if before, _ := whole.(*jsondoc.Object); !c.shape.SentBare(doc) {
			inner, at, ok = shape.OpenDocument(c.shape.Kind, doc, before, patched, &bad)
		}
		inner = c.complete(inner, was, at, &bad)
	} else {
		inner, at, ok = c.shape.Unwrap(doc, &bad)
	}
	if ok {
		c.model.Fill(row, was, inner, at, patched, &bad)
	}
	if err := bad.Err(); err != nil {
		return "", err
	}
	return at, nil
}

// below moves the pointers of a rule's faults, which knows nothing of shapes, to where the members stand in the body.
func below(at string, err error) error {
	var f *fault.Fault
	if at == "" || !errors.As(err, &f) {
		return err
	}
	for _, one := range append([]*fault.Fault{f}, f.Parts...) {
		if one.Pointer != "" {
			one.Pointer = at + one.Pointer
		}
	}
	return err
}

func (c *collection) mayChange(who Who, call *Call, was reflect.Value, conditions header.Preconditions) error {
	if err := c.mayWrite(who, call, was); err != nil {
		return err
	}
	return conditions.Check(c.state(was))
}

// remove answers DELETE. A body has no meaning and is ignored.
func (c *collection) remove(call *Call) (*Answer, error) {
	key, err := c.locate(call)
	if err != nil {
		return nil, err
	}
	conditions, err := header.ReadPreconditions(call.Request.Header)
	if err != nil {
		return nil, err
	}
	_, err = c.store.change(call.Ctx, call.By, key, func(was reflect.Value) (reflect.Value, error) {
		return reflect.Value{}, c.mayChange(c.rights.Remove, call, was, conditions)
	})
	if err != nil {
		return nil, err
	}
	return &Answer{Status: http.StatusNoContent, NoStore: c.noStore}, nil
}
