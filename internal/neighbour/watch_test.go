package neighbour

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verbless/internal/metric"
)

// TestOutcomesAreCounted: calls by what came of them, values by where they came from, and the state of the breaker.
func TestOutcomesAreCounted(t *testing.T) {
	o := start(t, good)
	r := metric.New()
	c, clock := client(o, func(o *Options[[]string]) { o.Name, o.Metrics, o.Limit = "x", r, 2*time.Second })
	told := func(lines ...string) {
		t.Helper()
		text := string(r.Text())
		for _, line := range lines {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("%s is not in\n%s", line, text)
			}
		}
	}
	get(c, "a", "b")
	get(c, "a")
	told(`verbless_neighbour_calls_total{neighbour="x",outcome="answered"} 1`, `verbless_neighbour_values_total{neighbour="x",from="call"} 2`,
		`verbless_neighbour_values_total{neighbour="x",from="cache"} 1`, `verbless_neighbour_breaker{neighbour="x",state="closed"} 1`)
	clock.nanos.Add(int64(c.Fresh) + 1)
	o.now(status(http.StatusBadRequest)) // not tried again
	get(c, "a")
	get(c, "never heard of")
	told(`verbless_neighbour_calls_total{neighbour="x",outcome="failed"} 2`, `verbless_neighbour_values_total{neighbour="x",from="stale"} 1`, `verbless_neighbour_values_total{neighbour="x",from="nowhere"} 1`)
	c.breaker.Open()
	get(c, "a")
	told(`verbless_neighbour_calls_total{neighbour="x",outcome="refused"} 1`, `verbless_neighbour_breaker{neighbour="x",state="open"} 1`, `verbless_neighbour_breaker{neighbour="x",state="closed"} 0`,
		`verbless_neighbour_call_duration_seconds_count{neighbour="x"} 3`)
	c.breaker.Close()
	c.Limit = 50 * time.Millisecond
	o.now(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	get(c, "a")
	for range 1000 { // who waited has left a moment before the call ends
		if strings.Contains(string(r.Text()), `outcome="timeout"} 1`) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	told(`verbless_neighbour_calls_total{neighbour="x",outcome="timeout"} 1`)
}
