// Package trace tells an OpenTelemetry collector how a request went: as spans with W3C Trace Context, over OTLP/HTTP.
//
// A span begins below the one that its context carries. Where the context carries none, nothing is begun, which costs one look
// into the context: so without a collector there is no tracing anywhere, and nobody has to ask. Ending a span never waits: spans
// lie in a bounded queue until they are sent, and what finds it full is counted and dropped.
//
// Attributes are for names and numbers of ours. Nothing that a caller sent goes into one: no body, token, query or path.
package trace

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Kind is which side of a call a span is, in OTLP's numbers.
type Kind int

// Internal is for work that is no call.
const (
	Internal Kind = 1
	Server   Kind = 2
	Client   Kind = 3
)

// Span is one piece of work. A nil one is allowed everywhere and does nothing. One goroutine at a time may use it.
type Span struct {
	tracer  *Tracer
	trace   [16]byte
	id      [8]byte
	parent  [8]byte // zero at the top
	state   string  // tracestate, passed on as it came
	sampled bool
	remote  bool // the parent is another process's

	name       string
	kind       Kind
	start, end time.Time
	attributes []attribute
	failed     string // why; empty: it did not
	dropped    bool
}

type attribute struct {
	key, text string
	number    int64
	isNumber  bool
}

type spanKey struct{}

// From is the span that ctx carries, or nil.
func From(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// With lets ctx carry a span, for work that outlives the context it was begun in.
func With(ctx context.Context, s *Span) context.Context {
	if s == nil {
		return ctx
	}
	return context.WithValue(ctx, spanKey{}, s)
}

// Start begins a span below the one in ctx. Without one, or below one that is not recorded, there is nothing to begin.
func Start(ctx context.Context, name string, kind Kind) (context.Context, *Span) {
	above := From(ctx)
	if above == nil || !above.sampled {
		return ctx, nil
	}
	s := &Span{tracer: above.tracer, trace: above.trace, parent: above.id, state: above.state, sampled: true, name: name, kind: kind, start: time.Now()}
	s.id = newID()
	return With(ctx, s), s
}

// Root begins a trace of its own: work that nobody asked for just now.
func (t *Tracer) Root(ctx context.Context, name string) (context.Context, *Span) {
	return t.Receive(ctx, name, Internal, "", "")
}

// Receive begins the span of work that another process asked for, below the span that traceparent names. Whether it is recorded, the
// other process has decided. A header that cannot be read counts as none, and begins a trace. A nil tracer begins nothing.
func (t *Tracer) Receive(ctx context.Context, name string, kind Kind, traceparent, tracestate string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	s := &Span{tracer: t, name: name, kind: kind, start: time.Now()}
	if Parse(traceparent) != "" {
		hex.Decode(s.trace[:], []byte(traceparent[3:35]))
		hex.Decode(s.parent[:], []byte(traceparent[36:52]))
		flags, _ := strconv.ParseUint(traceparent[53:55], 16, 8)
		s.sampled, s.remote = flags&1 == 1, true
		if len(tracestate) <= maxState && !strings.ContainsFunc(tracestate, unprintable) {
			s.state = tracestate
		}
	} else {
		high, low := rand.Uint64(), rand.Uint64()|1 // never zero
		put(s.trace[:8], high)
		put(s.trace[8:], low)
		s.sampled = t.sample >= 1 || rand.Float64() < t.sample
	}
	s.id = newID()
	return With(ctx, s), s
}

// maxState is how much of a tracestate is passed on; more may be dropped whole.
const maxState = 512

// unprintable tells what a tracestate may not hold: a collector would refuse a whole batch for it.
func unprintable(r rune) bool { return r < ' ' || r > '~' }

func newID() (id [8]byte) {
	put(id[:], rand.Uint64()|1)
	return id
}

func put(to []byte, v uint64) {
	for i := range to {
		to[i] = byte(v >> (56 - 8*i))
	}
}

// Parse gives the trace that a traceparent header names, empty when it is not well formed (W3C Trace Context, 3.2).
func Parse(traceparent string) string {
	h := traceparent
	if len(h) < 55 || h[2] != '-' || h[35] != '-' || h[52] != '-' || h[:2] == "ff" || h[:2] == "00" && len(h) != 55 || len(h) > 55 && h[55] != '-' {
		return ""
	}
	for i := range 55 {
		if i != 2 && i != 35 && i != 52 && (h[i] < '0' || h[i] > '9') && (h[i] < 'a' || h[i] > 'f') {
			return ""
		}
	}
	if h[3:35] == "00000000000000000000000000000000" || h[36:52] == "0000000000000000" {
		return ""
	}
	return h[3:35]
}

// TraceID is the name of the whole trace.
func (s *Span) TraceID() string {
	if s == nil {
		return ""
	}
	return hex.EncodeToString(s.trace[:])
}

// Parent is the traceparent header that continues the trace elsewhere.
func (s *Span) Parent() string {
	flags := "-00"
	if s.sampled {
		flags = "-01"
	}
	return "00-" + hex.EncodeToString(s.trace[:]) + "-" + hex.EncodeToString(s.id[:]) + flags
}

// Name gives it the name that is known only now.
func (s *Span) Name(name string) {
	if s != nil {
		s.name = name
	}
}

// Set adds an attribute. Its value is a name of ours.
func (s *Span) Set(key, value string) {
	if s != nil && s.sampled {
		s.attributes = append(s.attributes, attribute{key: key, text: value})
	}
}

// SetInt adds an attribute that is a number.
func (s *Span) SetInt(key string, value int) {
	if s != nil && s.sampled {
		s.attributes = append(s.attributes, attribute{key: key, number: int64(value), isNumber: true})
	}
}

// Fail marks it as failed. kind is a short word of ours: the text of an error may hold anything.
func (s *Span) Fail(kind string) {
	if s != nil {
		s.failed = kind
		s.Set("error.type", kind)
	}
}

// Drop lets it end without being told.
func (s *Span) Drop() {
	if s != nil {
		s.dropped = true
	}
}

// End is the end of the work. Nothing may be done with the span afterwards.
func (s *Span) End() {
	if s == nil || !s.sampled || s.dropped {
		return
	}
	s.end = time.Now()
	s.tracer.take(s)
}

// Finish ends a span whose work came to err.
func (s *Span) Finish(err error) {
	if s != nil && err != nil {
		s.Fail("failed")
	}
	s.End()
}
