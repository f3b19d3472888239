package rest

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"verbless/internal/change"
	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// Batch lets POST take an array of what one POST would take: all of it is done, or nothing. The answer keeps the order.
// The store must be a change.Nursery.
type Batch struct {
	ID, Summary string
	Max         int      // most that one request may hold
	MaxBody     int64    // most bytes of the body
	Required    []string // what each must have, although one sent alone gets it from its path
}

// prepare makes POST of the collection take a batch.
func (b *Batch) prepare(c *collection, post *Operation) {
	if c.births == nil || c.shape.One != "" {
		panic("rest: " + c.name + " cannot be made in batches")
	}
	post.ID, post.Summary, post.MaxBody, post.Handle, post.batch = b.ID, b.Summary, b.MaxBody, c.createMany, b
}

// createMany answers POST of a batch. Each item is judged as if it were sent alone, and all their faults are told at once.
func (c *collection) createMany(call *Call) (*Answer, error) {
	above, err := c.above(call)
	if err != nil {
		return nil, err
	}
	fresh, err := c.unborn(call, above)
	if err != nil {
		return nil, err
	}
	rows, judged, err := c.readMany(call.Body, fresh)
	if err != nil {
		return nil, err
	}
	made, err := c.births(call.Ctx, call.By, rows, judged)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Status: http.StatusCreated, NoStore: c.noStore}
	if call.Prefer.Minimal {
		return answer.Set("Preference-Applied", "return=minimal"), nil
	}
	body := c.shape.WriteMany(make([]byte, 0, len(call.Body)+len(made)*256), len(made), func(dst []byte, i int) []byte {
		return c.plain.write(dst, made[i], call.By)
	})
	answer.Body = append(body, "}\n"...)
	return answer, nil
}

// readMany reads one item after the other, so that no more of them exist than a request may hold. Whatever is wrong with
// an item is kept beside it; the store adds what it knows.
func (c *collection) readMany(body []byte, fresh reflect.Value) (rows []reflect.Value, judged []error, err error) {
	err = jsondoc.Elements(body, func(i int, doc any) error {
		if i >= c.batch.Max {
			return fault.New(fault.BatchTooLarge, "One request may hold %d at most.", c.batch.Max).With("limit", c.batch.Max)
		}
		row := c.model.Copy(fresh)
		rows = append(rows, row)
		var bad fault.List
		c.model.Fill(row, nil, doc, "", false, &bad)
		judged = append(judged, bad.Err())
		return nil
	})
	switch {
	case errors.Is(err, jsondoc.ErrNoArray):
		err = fault.Invalid(fault.WrongType, "", "The body must be an array.")
	case err == nil && len(rows) == 0:
		err = fault.Invalid(fault.OutOfRange, "", "This must have 1 to %d items; it has none.", c.batch.Max)
	default:
		err = syntaxFault(err)
	}
	return rows, judged, err
}

// births is change.Nursery.CreateMany with its type erased.
type births func(ctx context.Context, by change.Actor, rows []reflect.Value, judged []error) ([]reflect.Value, error)

// birthsIn is nil for a store that cannot make many at once.
func birthsIn[T any](store change.Store[T]) births {
	nursery, ok := store.(change.Nursery[T])
	if !ok {
		return nil
	}
	return func(ctx context.Context, by change.Actor, rows []reflect.Value, judged []error) ([]reflect.Value, error) {
		list := make([]*T, len(rows))
		for i, row := range rows {
			list[i] = row.Addr().Interface().(*T)
		}
		list, err := nursery.CreateMany(ctx, by, list, judged)
		made := make([]reflect.Value, len(list))
		for i, row := range list {
			made[i] = reflect.ValueOf(row).Elem()
		}
		return made, err
	}
}
