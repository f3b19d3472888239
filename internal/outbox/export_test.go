package outbox

import "time"

// Hurry sets how long a lease lasts, and how often the queue looks by itself.
func (q *Queue) Hurry(lease, poll time.Duration) { q.lease, q.poll = lease, poll }
