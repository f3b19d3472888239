package uploads

import "verbless/internal/metric"

// counts are what operators see of uploads.
type counts struct {
	bytes                       *metric.Counter
	receiving                   *metric.Level
	whole, cancelled, abandoned *metric.Counter
}

func countsIn(r *metric.Registry) counts {
	ended := func(outcome string) *metric.Counter {
		return r.Counter("verbless_uploads_total", "Uploads that ended: whole, cancelled or removed by their owner, or abandoned.", "outcome", outcome)
	}
	return counts{
		bytes:     r.Counter("verbless_upload_received_bytes_total", "Bytes of files that were made durable."),
		receiving: r.Level("verbless_uploads_receiving", "Requests that bring bytes of files just now."),
		whole:     ended("whole"), cancelled: ended("cancelled"), abandoned: ended("abandoned"),
	}
}
