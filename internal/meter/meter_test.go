package meter

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"verbless/internal/fault"
)

func good() error { return nil }

func wrong() error { return fault.New(fault.InvalidToken, "No.") }

// TestOtherFaults: only wrong tokens count against an address, not a store or an issuer that is down.
func TestOtherFaults(t *testing.T) {
	t.Parallel()
	m := New(0, 2, time.Now)
	r := httptest.NewRequest("GET", "/", nil)
	for range 5 {
		if _, err := m.Identify(r, "x", func() error { return fault.New(fault.Unavailable, "Down.") }); !fault.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := m.Identify(r, "x", wrong); !fault.Is(err, fault.InvalidToken) {
			t.Fatal(err)
		}
	}
	looked := false
	if _, err := m.Identify(r, "x", func() error { looked = true; return nil }); !fault.Is(err, fault.TooManyRequests) || looked {
		t.Fatalf("%v, looked up: %v", err, looked)
	}
	nowhere := httptest.NewRequest("GET", "/", nil)
	nowhere.RemoteAddr = "@"
	for range 5 { // who has no address cannot be told from others
		if _, err := m.Identify(nowhere, "x", wrong); !fault.Is(err, fault.InvalidToken) {
			t.Fatal(err)
		}
	}
}

func TestNoMeter(t *testing.T) {
	t.Parallel()
	var m *Meter
	pass, err := m.Identify(nil, "x", good)
	h := http.Header{}
	pass.Settle(200, h)
	if err != nil || len(h) != 0 {
		t.Errorf("%v %v", err, h)
	}
}

// BenchmarkIdentify is what every request with a token pays.
func BenchmarkIdentify(b *testing.B) {
	r, h := httptest.NewRequest("GET", "/", nil), http.Header{}
	for name, m := range map[string]*Meter{"as delivered": New(0, 100, time.Now), "with a quota": New(1<<30, 100, time.Now)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				pass, _ := m.Identify(r, "vbl_0123456789abcdef0123456789abcdef0123456789a", good)
				pass.Settle(200, h)
			}
		})
	}
}
