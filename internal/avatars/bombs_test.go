package avatars_test

import (
	"bytes"
	"encoding/binary"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/db/dbtest"
)

// bomb is a grey progressive JPEG: few bytes, and 20 for each pixel while it is decoded.
func bomb(width, height int) string {
	segment := func(marker byte, body []byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
	}
	out := []byte{0xff, 0xd8}
	out = append(out, segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...))...)
	out = append(out, segment(0xc2, []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0})...)
	out = append(out, segment(0xc4, append([]byte{0, 1}, make([]byte, 16)...))...)
	out = append(out, segment(0xda, []byte{3, 1, 0, 2, 0, 3, 0, 0, 0, 0})...)
	out = append(out, make([]byte, ((width/8)*(height/8)*3+7)/8)...)
	return string(append(out, 0xff, 0xd9))
}

// TestFiftyBombsAtOnce: they need little more memory than one alone, and the others are served meanwhile.
func TestFiftyBombsAtOnce(t *testing.T) {
	const bombs, width, height = 50, 3000, 2000
	const alone = width * height * 3 * 5 // bytes: coefficients of four, samples of one, for three components
	s := apptest.Start(t, dbtest.SQLite(t))
	data := bomb(width, height)
	done := make(chan struct{})
	var most atomic.Uint64
	var watching sync.WaitGroup
	watching.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(sample)
			most.Store(max(most.Load(), sample[0].Value.Uint64()))
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	var all sync.WaitGroup
	var taken, later atomic.Int64
	for range bombs {
		all.Go(func() {
			switch answer := s.Call(t, s.Alice, "POST /avatars", data, "Content-Type: image/jpeg"); answer.Status {
			case 201:
				taken.Add(1)
			case 503:
				later.Add(1)
			default:
				t.Errorf("%d %s", answer.Status, answer.Body)
			}
		})
	}
	exploded := make(chan struct{})
	go func() { all.Wait(); close(exploded) }()
	others := 0
	for waiting := true; waiting; others++ {
		s.Want(t, 201, s.Bob, "POST /articles", `{"title":"Meanwhile"}`)
		s.Want(t, 200, s.Bob, "GET /articles?limit=1", "")
		select {
		case <-exploded:
			waiting = false
		default:
		}
	}
	close(done)
	watching.Wait()
	t.Logf("%d taken, %d told to come later, %d other requests served; %d MiB at most, one alone needs %d MiB", taken.Load(), later.Load(), others, most.Load()>>20, alone>>20)
	if taken.Load() < 5 {
		t.Error("few bombs went off, so this proves nothing")
	}
	if most.Load() > 6*alone {
		t.Errorf("%d MiB were needed at once, and all of them together would have taken %d", most.Load()>>20, bombs*alone>>20)
	}
	if others < 5 {
		t.Error("the others were not served")
	}
}
