package blob

import (
	"context"
	"errors"
)

func (a *objects) grow(ctx context.Context, name string, have Progress, keep func(Progress) error) (grower, error) {
	return nil, errors.New("blob: cannot grow in S3 yet")
}

func (a *objects) Finish(ctx context.Context, name string, have Progress, keep func(Progress) error) error {
	return errors.New("blob: cannot grow in S3 yet")
}

func (a *objects) Discard(ctx context.Context, name string, have Progress) error {
	return a.Remove(ctx, name)
}
