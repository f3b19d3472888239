package coding

import (
	"bytes"
	stdgzip "compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// decode reads with another implementation where there is one.
func decode(t testing.TB, coding string, coded []byte) []byte {
	t.Helper()
	var in io.Reader
	if coding == "gzip" {
		r, err := stdgzip.NewReader(bytes.NewReader(coded))
		if err != nil {
			t.Fatal(err)
		}
		in = r
	} else {
		r, err := zstd.NewReader(bytes.NewReader(coded), zstd.WithDecoderMaxWindow(8<<20)) // what browsers take at most
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		in = r
	}
	body, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// page looks like an answer with so many rows.
func page(rows int) []byte {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, `{"id":"0192f1c2-%04x-7abc-8def-0123456789ab","title":"Article number %d","body":"%s","status":"published","created_at":"2026-01-01 00:00:%02dZ"},`, i*7919%65536, i, strings.Repeat("words and more words ", i%50), i%60)
	}
	return []byte(b.String())
}

// TestWhatGoesInComesOut, with many at once on the same encoders, and sizes that grow and shrink.
func TestWhatGoesInComesOut(t *testing.T) {
	t.Parallel()
	c := New()
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i, size := range []int{0, 1, 25, 400, 3, 2000, 100} {
				body := page(size + worker)
				for _, coding := range []string{"gzip", "zstd"} {
					c.Encode(coding, body, func(coded []byte) {
						if got := decode(t, coding, coded); !bytes.Equal(got, body) {
							t.Errorf("%s of %d bytes, turn %d, came back as %d bytes", coding, len(body), i, len(got))
						}
						if len(body) > 4000 && len(coded) > len(body)/2 {
							t.Errorf("%s made %d of %d bytes", coding, len(coded), len(body))
						}
					})
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkEncode(b *testing.B) {
	body := page(25)
	for _, coding := range []string{"gzip", "zstd"} {
		b.Run(coding, func(b *testing.B) {
			c := New()
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			n := 0
			for b.Loop() {
				c.Encode(coding, body, func(coded []byte) { n = len(coded) })
			}
			b.ReportMetric(float64(n)/float64(len(body)), "ratio")
		})
	}
}
