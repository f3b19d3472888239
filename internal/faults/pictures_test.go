//go:build linux

package faults

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"verbless/internal/db/dbtest"
)

// pictureOf is a PNG of its own for each number, with some noise so that it is not tiny.
func pictureOf(n int) string {
	m := image.NewGray16(image.Rect(0, 0, 100, 100))
	random := rand.New(rand.NewPCG(uint64(n), 0))
	for at := range m.Pix {
		m.Pix[at] = uint8(random.UintN(256))
	}
	m.SetGray16(0, 0, color.Gray16{Y: uint16(n)})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // into memory
	}
	return b.String()
}

// TestPictureSyncedBeforeItsRow: the bytes are durable, then their name, then the row, and only then the answer.
func TestPictureSyncedBeforeItsRow(t *testing.T) {
	t.Parallel()
	path := strace(t)
	const uploads = 30
	file := filepath.Join(t.TempDir(), "trace")
	s := start(t, launch{front: traceFlags(path, file)})
	awaitJobs(t, s)
	s.want(t, http.StatusCreated, "POST /articles", `{"title":"Before all pictures"}`)
	for i := range uploads {
		s.want(t, http.StatusCreated, "POST /avatars", pictureOf(i), "Content-Type: image/png")
	}
	calls := traceOf(t, file, uploads+1)
	calls = calls[slices.IndexFunc(calls, (*syscallLine).ack)+1:]
	acks, early := unsynced(calls)
	if files := unsyncedFiles(calls); acks != uploads || len(early) > 0 || len(files) > 0 {
		t.Errorf("%d answers of %d; %q; %q", acks, uploads, early, files)
	}
}

// unsyncedFiles says what is wrong with each answer whose picture was not durable before its row was begun.
func unsyncedFiles(calls []*syscallLine) (wrong []string) {
	previous, acks := 0, 0
	for _, ack := range calls {
		if !ack.ack() {
			continue
		}
		acks++
		written, synced, named, row := 0, 0, 0, 0
		for _, c := range calls {
			if c.begin <= previous || c.end == 0 || c.end > ack.begin {
				continue
			}
			folder := strings.Contains(c.args, "/blobs/avatars/") && !strings.Contains(c.args, "/incoming/")
			switch {
			case c.name == "write" && strings.Contains(c.args, "/incoming/"):
				written = c.end
			case c.sync() && c.result == "0" && strings.Contains(c.args, "/incoming/") && c.begin > written && written > 0:
				synced = c.end
			case c.sync() && c.result == "0" && folder && c.begin > synced && synced > 0:
				named = c.end
			case c.name == "pwrite64" && c.log() && row == 0:
				row = c.begin
			}
		}
		if written == 0 || synced == 0 || named == 0 || row < named {
			wrong = append(wrong, fmt.Sprintf("answer %d: bytes in line %d, synced in %d, their name in %d, the row in %d", acks, written, synced, named, row))
		}
		previous = ack.begin
	}
	return wrong
}

func TestPictureTraceOrder(t *testing.T) {
	t.Parallel()
	const (
		bytes  = "7 write(5</d/blobs/avatars/incoming/X>, \"x\", 10) = 10\n"
		synced = "7 fsync(5</d/blobs/avatars/incoming/X>) = 0\n"
		failed = "7 fsync(5</d/blobs/avatars/incoming/X>) = -1 EIO (Input/output error)\n"
		named  = "7 fsync(6</d/blobs/avatars/ab>) = 0\n"
		row    = "7 pwrite64(5</d/v.db-wal>, \"x\", 10, 0) = 10\n"
		ack    = "8 write(9<socket:[1]>, \"HTTP/1.1 201 Cre\"..., 500) = 500\n"
	)
	for text, wrong := range map[string]int{
		bytes + synced + named + row + ack:                                      0,
		bytes + synced + named + row + ack + bytes + synced + named + row + ack: 0,
		bytes + named + row + ack:                                               1,
		bytes + failed + named + row + ack:                                      1,
		bytes + synced + row + ack:                                              1,
		bytes + synced + row + named + ack:                                      1,
		row + bytes + synced + named + ack:                                      1,
		synced + bytes + named + row + ack:                                      1,
		bytes + named + synced + row + ack:                                      1,
		bytes + synced + named + row + ack + row + ack:                          1,
		bytes + synced + named + row + ack + bytes + synced + named + ack + row: 1,
	} {
		if got := unsyncedFiles(readTrace(text)); len(got) != wrong {
			t.Errorf("%d wrong, want %d:\n%s%q", len(got), wrong, text, got)
		}
	}
}

// TestKillWhileUploading: after a kill every avatar has its whole picture, and none that was acknowledged is missing.
func TestKillWhileUploading(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{"sqlite": func(testing.TB) string { return "" }, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killWhileUploading(t, start(t, launch{database: database(t)}), pick(5, 40))
		})
	}
}

func killWhileUploading(t *testing.T, s *server, kills int) {
	var mu sync.Mutex
	kept, lost := map[string]bool{}, 0
	for kill := range kills {
		var uploading sync.WaitGroup
		enough, once := make(chan struct{}), sync.Once{}
		for worker := range 4 {
			uploading.Go(func() {
				client := newClient()
				defer client.CloseIdleConnections()
				for i := 0; ; i++ {
					a, err := send(client, s.url, s.token, "POST /avatars", pictureOf(kill*4000+worker*1000+i), "Content-Type: image/png")
					mu.Lock()
					if err != nil || a.status != http.StatusCreated {
						lost++
						mu.Unlock()
						return
					}
					kept[location(a)] = true
					if len(kept) >= (kill+1)*10 {
						once.Do(func() { close(enough) })
					}
					mu.Unlock()
				}
			})
		}
		<-enough
		s.kill()
		uploading.Wait()
		s = s.again(t)
	}
	found := pictures(t, s)
	for place := range kept {
		if !found[place] {
			t.Errorf("%s was acknowledged and is gone", place)
		}
	}
	t.Logf("%d kills, %d acknowledged, %d without an answer, %d there", kills, len(kept), lost, len(found))
	if lost < kills {
		t.Error("hardly any upload was cut off, so this proves little")
	}
}

func location(a answer) string {
	at := a.header.Get("Location")
	return at[strings.LastIndex(at, "/")+1:]
}

// pictures reads every avatar, and fails the test for each whose picture is not there as it was.
func pictures(t *testing.T, s *server) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for next := "/avatars?limit=100"; next != ""; {
		var page struct {
			Avatars []struct {
				ID    string
				Image string `json:"image_url"`
			}
			Links struct{ Next string }
		}
		if err := json.Unmarshal(s.want(t, http.StatusOK, "GET "+next, "").body, &page); err != nil {
			t.Fatal(err)
		}
		for _, avatar := range page.Avatars {
			found[avatar.ID] = true
			name := avatar.Image[strings.LastIndex(avatar.Image, "/")+1:]
			if a := s.call(t, "", "GET /media/"+name, ""); a.status != http.StatusOK || !strings.HasPrefix(name, fmt.Sprintf("%x-", sha256.Sum256(a.body))) {
				t.Errorf("avatar %s: %d, and %d bytes that are not what was stored", avatar.ID, a.status, len(a.body))
			}
		}
		next = strings.TrimPrefix(page.Links.Next, "http://verbless.test")
	}
	return found
}
