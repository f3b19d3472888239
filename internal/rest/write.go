package rest

import (
	"errors"
	"net/http"
	"reflect"

	"verbless/internal/fault"
	"verbless/internal/field"
	"verbless/internal/jsondoc"
	"verbless/internal/query"
)

// create answers POST. What the body says is judged before the transaction begins.
func (c *collection) create(call *Call) (*Answer, error) {
	above, err := c.above(call)
	if err != nil {
		return nil, err
	}
	row, err := c.unborn(call, above)
	if err != nil {
		return nil, err
	}
	doc, err := parse(call.Body)
	if err != nil {
		return nil, err
	}
	if err := c.fill(row, nil, doc, false); err != nil {
		return nil, err
	}
	now, err := c.store.change(call.Ctx, call.By, nil, func(reflect.Value) (reflect.Value, error) {
		return c.model.Copy(row), nil
	})
	if err != nil {
		return nil, err
	}
	answer, err := c.show(call, c.written, now, http.StatusCreated)
	if err != nil {
		return nil, err
	}
	answer.Location = c.api.Base + call.Request.URL.EscapedPath() + "/" + field.Text(c.model.ID.Of(now))
	if call.Prefer.minimal {
		answer.Body = nil
		answer.Set("Preference-Applied", "return=minimal")
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
	doc, err := parse(call.Body)
	if err != nil {
		return nil, err
	}
	var edit func(was any) (any, error)
	switch call.bodyType() {
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
	conditions, err := readPreconditions(call.Request.Header)
	if err != nil {
		return nil, err
	}
	now, err := c.store.change(call.Ctx, call.By, key, func(was reflect.Value) (reflect.Value, error) {
		if err := c.mayChange(c.rights.Change, call, was, conditions); err != nil {
			return reflect.Value{}, err
		}
		old := c.model.Tree(was, !c.hasPrivate || c.seesPrivate(call.By, was))
		doc, err := edit(c.shape.wrap(old))
		if err != nil {
			return reflect.Value{}, err
		}
		row := c.model.Copy(was)
		return row, c.fill(row, old, doc, patched)
	})
	if err != nil {
		return nil, err
	}
	answer, err := c.show(call, c.written, now, http.StatusOK)
	if err == nil && call.Prefer.minimal {
		answer.Status, answer.Body = http.StatusNoContent, nil
		answer.Set("Preference-Applied", "return=minimal")
	}
	return answer, err
}

// fill takes the document out of its shape and makes the row what it says.
func (c *collection) fill(row reflect.Value, was *jsondoc.Object, doc any, patched bool) error {
	var bad fault.List
	if inner, at, ok := c.shape.unwrap(doc, &bad); ok {
		c.model.Fill(row, was, inner, at, patched, &bad)
	}
	return bad.Err()
}

func (c *collection) mayChange(who Who, call *Call, was reflect.Value, conditions preconditions) error {
	if err := c.mayWrite(who, call, was); err != nil {
		return err
	}
	return conditions.check(c.state(was))
}

// remove answers DELETE. A body has no meaning and is ignored.
func (c *collection) remove(call *Call) (*Answer, error) {
	key, err := c.locate(call)
	if err != nil {
		return nil, err
	}
	conditions, err := readPreconditions(call.Request.Header)
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
