// Package meter limits how much each token may ask, and how many wrong tokens each address may show.
//
// It counts in this process alone, and keeps seeded hashes of tokens, never tokens. It does not look at tokens itself: who holds
// one, and whether it is good, it is told.
package meter

import (
	"hash/maphash"
	"math"
	"net/http"
	"strconv"
	"time"

	"verbless/internal/fault"
	"verbless/internal/forward"
	"verbless/internal/limit"
	"verbless/internal/stamp"
)

// window is the time that limits are given for.
const window = time.Minute

// lately is how long a token that was good is known, so that its holder does not suffer from wrong tokens of neighbours.
const lately = time.Hour

// Meter counts requests of tokens and wrong tokens of addresses. A nil Meter limits nothing.
type Meter struct {
	seed   maphash.Seed
	tokens *limit.Table
	wrong  *limit.Table // nil: wrong tokens are not limited
	quota  int          // 0: requests are not limited
	policy []string
}

// New lets each token make quota requests a minute, and each address show so many wrong tokens; 0 is no limit. It reads the
// address of the client from RemoteAddr.
func New(quota, wrong int, clock stamp.Clock) *Meter {
	m := &Meter{seed: maphash.MakeSeed(), quota: quota, tokens: limit.New(quota, window, clock)}
	if quota == 0 { // counted all the same, so that good tokens are known
		m.tokens = limit.New(math.MaxInt32, window, clock)
	}
	m.policy = []string{`"token";q=` + strconv.Itoa(quota) + ";w=" + strconv.Itoa(int(window.Seconds()))}
	if wrong > 0 {
		m.wrong = limit.New(wrong, window, clock)
	}
	return m
}

// Pass is a request that was counted. The zero Pass was not.
type Pass struct {
	meter *Meter
	key   uint64
}

// Identify lets look find out whose token it is, unless the address has shown too many wrong ones, and counts the request, unless the
// token has made too many. A fault of look that is about the token counts against the address.
func (m *Meter) Identify(r *http.Request, token string, look func() error) (Pass, error) {
	if m == nil {
		return Pass{}, look()
	}
	key := maphash.String(m.seed, token)
	if err := m.admit(r, key); err != nil {
		return Pass{}, err
	}
	if err := look(); err != nil {
		if m.wrong != nil && (fault.Is(err, fault.InvalidToken) || fault.Is(err, fault.TokenExpired)) {
			if address, ok := m.address(r); ok {
				m.wrong.Take(address, limit.Unit)
			}
		}
		return Pass{}, err
	}
	left, ok := m.tokens.Take(key, limit.Unit)
	if !ok {
		return Pass{m, key}, fault.New(fault.TooManyRequests, "This token may make %d requests in a minute, and has.", m.quota).After(left.Reset)
	}
	return Pass{m, key}, nil
}

// admit refuses who has shown too many wrong tokens, unless this one was good of late.
func (m *Meter) admit(r *http.Request, key uint64) error {
	if m.wrong == nil || m.wrong.Quiet() {
		return nil
	}
	address, ok := m.address(r)
	wait, spent := m.wrong.Spent(address)
	if !ok || !spent || m.tokens.Known(key, lately) {
		return nil
	}
	return fault.New(fault.TooManyRequests, "Too many tokens that are not valid came from this address.").After(wait)
}

// Settle says in headers what is left, before an answer is sent. One without content counts a tenth: asking whether something has
// changed is what we want.
func (p Pass) Settle(status int, h http.Header) {
	if p.meter == nil || p.meter.quota == 0 {
		return
	}
	var back int64
	if status == http.StatusNotModified {
		back = limit.Unit - 1
	}
	left := p.meter.tokens.Give(p.key, back)
	h["Ratelimit-Policy"] = p.meter.policy
	h["Ratelimit"] = []string{`"token";r=` + strconv.FormatInt(left.Uses, 10) + ";t=" + strconv.Itoa(int(math.Ceil(left.Reset.Seconds())))}
}

func (m *Meter) address(r *http.Request) (uint64, bool) {
	network := forward.Network(forward.Peer(r.RemoteAddr))
	return maphash.Comparable(m.seed, network), network.IsValid()
}
