package blob

import (
	"context"
	"errors"
)

func (a *objects) grow(ctx context.Context, name string, have Progress) (grower, error) {
	return nil, errors.New("blob: cannot grow in S3 yet")
}

func (a *objects) Finish(ctx context.Context, name string, have Progress) error {
	return errors.New("blob: cannot grow in S3 yet")
}

func (a *objects) Discard(ctx context.Context, name string, have Progress) error {
	return a.Remove(ctx, name)
}
