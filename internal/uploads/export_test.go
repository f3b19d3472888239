package uploads

import "context"

// End gives an upload up, as the job does with one that was not finished in time.
func (u *Uploads) End(ctx context.Context, id string) (bool, error) { return u.end(ctx, id) }
