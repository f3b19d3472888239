package rest

import (
	"context"
	"reflect"
	"slices"

	"verbless/internal/field"
	"verbless/internal/jsondoc"
)

// Outside is a member that another system keeps. It is asked only when the member is shown, once for all rows of an answer.
// What cannot be had is null, and a warning says so; such an answer is kept by no cache.
type Outside[T any] struct {
	Member string
	Load   func(ctx context.Context, rows []*T) []Warning
}

// Warning says what is missing from an answer that is otherwise good.
type Warning struct{ Code, Message string }

// outside is an Outside with its type erased.
type outside struct {
	field *field.Field
	load  func(ctx context.Context, rows []reflect.Value) []Warning
}

func (o *Outside[T]) erase(c *collection) *outside {
	if o == nil {
		return nil
	}
	f := c.model.Named(o.Member)
	if f == nil || f.Partial == "" || c.shape.One == "" {
		panic("rest: " + c.name + " cannot show " + o.Member + " from outside")
	}
	return &outside{f, func(ctx context.Context, rows []reflect.Value) []Warning {
		all := make([]*T, len(rows))
		for i, row := range rows {
			all[i] = row.Addr().Interface().(*T)
		}
		return o.Load(ctx, all)
	}}
}

// showsOutside tells whether the view shows the member that another system keeps.
func (v *view) showsOutside() bool {
	return v.c.outside != nil && slices.Contains(v.fields, v.c.outside.field)
}

// keepsOut tells whether a member is one that another system keeps, which is never asked on behalf of another resource.
func (v *view) keepsOut(name string) bool {
	return v.inner && v.c.outside != nil && v.c.outside.field.Name == name
}

// borrows tells whether the view shows what the versions of its rows do not stand for.
func (v *view) borrows() bool { return len(v.includes) > 0 || v.showsOutside() }

// fetch asks the other system, when the view shows what it keeps.
func (v *view) fetch(ctx context.Context, rows []reflect.Value) []Warning {
	if !v.showsOutside() || len(rows) == 0 {
		return nil
	}
	return v.c.outside.load(ctx, rows)
}

// appendWarnings writes the member warnings between two texts, or nothing when there are none.
func appendWarnings(dst []byte, before string, warnings []Warning, after string) []byte {
	if len(warnings) == 0 {
		return dst
	}
	dst = append(append(dst, before...), `"warnings":[`...)
	for i, w := range warnings {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsondoc.AppendString(append(dst, `{"code":`...), w.Code)
		dst = append(jsondoc.AppendString(append(dst, `,"message":`...), w.Message), '}')
	}
	return append(append(dst, ']'), after...)
}
