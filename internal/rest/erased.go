package rest

import (
	"context"
	"reflect"

	"verbless/internal/change"
	"verbless/internal/query"
)

// store is a change.Store with its type erased.
type store interface {
	get(ctx context.Context, key []query.Cond, columns ...string) (reflect.Value, error)
	list(ctx context.Context, q query.List) (rows []reflect.Value, more bool, total int64, err error)
	change(ctx context.Context, by change.Actor, key []query.Cond, edit func(was reflect.Value) (reflect.Value, error)) (now reflect.Value, err error)
}

type typed[T any] struct{ change.Store[T] }

func (s typed[T]) get(ctx context.Context, key []query.Cond, columns ...string) (reflect.Value, error) {
	row, err := s.Get(ctx, key, columns...)
	return reflect.ValueOf(row).Elem(), err
}

func (s typed[T]) list(ctx context.Context, q query.List) ([]reflect.Value, bool, int64, error) {
	page, err := s.List(ctx, q)
	rows := make([]reflect.Value, len(page.Rows))
	for i, row := range page.Rows {
		rows[i] = reflect.ValueOf(row).Elem()
	}
	return rows, page.More, page.Total, err
}

// change passes the zero Value where there is nothing: before a birth, after a removal.
func (s typed[T]) change(ctx context.Context, by change.Actor, key []query.Cond, edit func(reflect.Value) (reflect.Value, error)) (reflect.Value, error) {
	done, err := s.Change(ctx, by, key, func(was *T) (*T, error) {
		var row reflect.Value
		if was != nil {
			row = reflect.ValueOf(was).Elem()
		}
		now, err := edit(row)
		if err != nil || !now.IsValid() {
			return nil, err
		}
		return now.Addr().Interface().(*T), nil
	})
	if err != nil || done.Now == nil {
		return reflect.Value{}, err
	}
	return reflect.ValueOf(done.Now).Elem(), nil
}
