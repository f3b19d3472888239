package main

import (
	"context"
	"time"
)

// tally is what one side did in a round.
type tally struct {
	requests int
	took     time.Duration
	cpu      time.Duration
}

func (t tally) rate() float64 { return float64(t.requests) / t.took.Seconds() }

// cost is microseconds of processor time for each request.
func (t tally) cost() float64 { return t.cpu.Seconds() * 1e6 / float64(t.requests) }

// rounds measures every scenario as often as asked for, and then the memory that is left.
func (b *bench) rounds(ctx context.Context, r *report) error {
	list := b.chosen()
	r.rows = make([]row, len(list))
	for round := range b.options.rounds {
		for i, s := range list {
			r.rows[i].scenario = s
			ours, limit, err := b.compare(ctx, s)
			if err != nil {
				return err
			}
			r.rows[i].rates = append(r.rows[i].rates, pair{ours.rate(), limit.rate()})
			r.rows[i].costs = append(r.rows[i].costs, pair{ours.cost(), limit.cost()})
			say("round %d, %s: %.0f/s and %.0f/s, %.0f µs and %.0f µs", round+1, s.name, ours.rate(), limit.rate(), ours.cost(), limit.cost())
		}
		if b.only == "" || b.only == tailRow {
			tail, err := b.tails(ctx)
			if err != nil {
				return err
			}
			r.tails = append(r.tails, tail)
			say("round %d, %s: %.2f ms and %.2f ms", round+1, tailRow, tail[0], tail[1])
		}
	}
	return b.memories(r)
}

// compare lets ours and the limit take turns, so that whatever else the machine does falls on both alike.
func (b *bench) compare(ctx context.Context, s scenario) (ours, limit tally, err error) {
	sides := []struct {
		process *process
		crew    *crew
		tally   *tally
	}{{b.servers["ours"], nil, &ours}, {b.servers[s.limit], nil, &limit}}
	part := s.count / turns
	defer b.disturb(s)()
	for i := range sides {
		if sides[i].crew, err = newCrew(sides[i].process.address, s.clients, s.make(b.requests), s.status); err != nil {
			return ours, limit, err
		}
		defer sides[i].crew.close()
		var warm tally
		if err := b.turn(sides[i].process, sides[i].crew, part/2, &warm); err != nil {
			return ours, limit, err
		}
	}
	for n := range turns {
		for i := range sides {
			side := sides[(i+n)%len(sides)] // neither is always the first
			if err := ctx.Err(); err != nil {
				return ours, limit, err
			}
			if err := b.turn(side.process, side.crew, part, side.tally); err != nil {
				return ours, limit, err
			}
		}
	}
	return ours, limit, nil
}

// turn sends some requests and adds what they cost.
func (b *bench) turn(p *process, c *crew, count int, to *tally) error {
	before, err := p.cpu()
	if err != nil {
		return err
	}
	took, err := c.work(b.number+1, count)
	b.number += count
	if err != nil {
		return err
	}
	after, err := p.cpu()
	to.requests += count
	to.took += took
	to.cpu += after - before
	return err
}

// memories reads what the processes hold after all this.
func (b *bench) memories(r *report) error {
	var held [2]pair
	for i, which := range []string{"ours", "bare"} {
		now, most, err := b.servers[which].memory()
		if err != nil {
			return err
		}
		held[0][i], held[1][i] = megabytes(now), megabytes(most)
	}
	r.held, r.most = held[0], held[1]
	return nil
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }
