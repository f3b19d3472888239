package main

import (
	"context"
	"slices"
	"time"
)

const (
	tailRow   = "companies-p99"
	tailCount = 8000 // requests of a round, with and without the others
)

// tails measures how long the slowest of a hundred lists of companies takes beside others who wait for slow locations, and
// without them. The two take turns, on the same server with the same clients.
func (b *bench) tails(ctx context.Context) (pair, error) {
	s := scenario{beside: locatedQuery}
	clients, err := newCrew(b.servers["ours"].address, 4, b.requests.companies, 200)
	if err != nil {
		return pair{}, err
	}
	defer clients.close()
	clients.timed = true
	count := tailCount
	if b.quick {
		count /= 20
	}
	var times [2][]time.Duration
	for n := range 2 * turns {
		which := n % 2 // 0 is beside the others
		stop := func() {}
		if which == 0 {
			stop = b.disturb(s)
		}
		if n < 2 { // let it warm up, and the others begin to wait
			_, err = clients.work(b.number+1, count/turns)
			b.number += count / turns
			clients.forget()
		}
		if err == nil {
			_, err = clients.work(b.number+1, count/turns)
			b.number += count / turns
		}
		stop()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return pair{}, err
		}
		times[which] = append(times[which], clients.forget()...)
	}
	return pair{milliseconds(slowest(times[0], 99)), milliseconds(slowest(times[1], 99))}, nil
}

// slowest is the time within which so many out of a hundred were answered.
func slowest(times []time.Duration, percent int) time.Duration {
	slices.Sort(times)
	return times[(len(times)*percent+99)/100-1]
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }
