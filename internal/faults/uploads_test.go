//go:build linux

package faults

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verbless/internal/db/dbtest"
)

// file is what a test sends: the same bytes for the same number, without keeping them.
type file struct {
	seed uint64
	size int64
}

func (f file) bytes() []byte {
	b := make([]byte, f.size)
	io.ReadFull(f.reader(), b)
	return b
}

func (f file) reader() io.Reader {
	var seed [32]byte
	seed[0], seed[1] = byte(f.seed), byte(f.seed>>8)
	return io.LimitReader(rand.NewChaCha8(seed), f.size)
}

// upload opens an upload and gives its address on any server of the same store, without the part that is the server's.
func upload(t testing.TB, s *server, headers ...string) string {
	t.Helper()
	location := s.want(t, http.StatusOK, "POST /uploads?uploadType=resumable", `{}`, headers...).header.Get("Location")
	_, path, found := strings.Cut(location, "/uploads/")
	if !found {
		t.Fatalf("Location %q", location)
	}
	return "/uploads/" + path
}

// held is how many bytes a Range says are there.
func held(a answer) (n int64) {
	if _, err := fmt.Sscanf(a.header.Get("Range"), "bytes=0-%d", &n); err == nil {
		n++
	}
	return n
}

// putPart sends bytes of a file from one place to another. last says that they end it.
func (s *server) putPart(client *http.Client, address string, content []byte, from, to int64) (answer, error) {
	total := "*"
	if to == int64(len(content)) {
		total = fmt.Sprint(to)
	}
	return send(client, s.url, "", "PUT "+address, string(content[from:to]), fmt.Sprintf("Content-Range: bytes %d-%d/%s", from, to-1, total), "Content-Type: ")
}

// isWhole compares what is stored with what was sent.
func isWhole(t testing.TB, s *server, address string, want []byte) {
	t.Helper()
	item, _, _ := strings.Cut(address, "?")
	got := s.want(t, http.StatusOK, "GET "+item, "")
	if !bytes.Equal(got.body, want) {
		t.Errorf("%d bytes came back, with SHA-256 %x; want %d with %x", len(got.body), sha256.Sum256(got.body), len(want), sha256.Sum256(want))
	}
}

// TestUploadKill ends the server at random moments while files are being sent. What it said it has, it has; nothing else counts.
func TestUploadKill(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return dbtest.Postgres(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, launch{database: database()})
			random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
			var senders []*sender
			for i := range 4 {
				senders = append(senders, &sender{address: upload(t, s), content: file{uint64(i), 16<<20 + int64(i)}.bytes()})
			}
			kills, midway := pick(12, 100), 0
			for round := range kills {
				var sending sync.WaitGroup
				for i, u := range senders {
					sending.Go(func() { u.send(s, i%2 == 0) })
				}
				eventually(t, "a chunk has arrived", func() bool {
					return slices.ContainsFunc(senders, func(u *sender) bool { return u.told.Load() > 0 })
				})
				time.Sleep(time.Duration(random.Int64N(int64(60 * time.Millisecond))))
				s.kill()
				sending.Wait()
				s = s.again(t)
				for i, u := range senders {
					u.check(t, s)
					if u.told.Load() > 0 && !u.whole {
						midway++
					}
					if u.whole || round == kills-1 {
						u.finish(t, s)
						senders[i] = &sender{address: upload(t, s), content: file{uint64(round*10 + i), 16<<20 + int64(i)}.bytes()}
					}
				}
			}
			for _, u := range senders {
				u.finish(t, s)
			}
			t.Logf("%d kills, %d times a file went on from the middle", kills, midway)
			if midway < kills/4 {
				t.Errorf("%d kills met a file in the middle %d times, which proves nothing", kills, midway)
			}
		})
	}
}

// sender sends one file over several starts of the server.
type sender struct {
	address string
	content []byte
	told    atomic.Int64 // that are there, by the last answer
	whole   bool
}

// send goes on until all is there or the server is gone: in chunks, or all the rest at once.
func (u *sender) send(s *server, chunks bool) {
	client := newClient()
	defer client.CloseIdleConnections()
	for !u.whole {
		to := int64(len(u.content))
		if chunks {
			to = min(to, u.told.Load()+256<<10)
		}
		a, err := s.putPart(client, u.address, u.content, u.told.Load(), to)
		if err != nil {
			return
		}
		switch a.status {
		case http.StatusPermanentRedirect:
			u.told.Store(held(a))
		case http.StatusOK:
			u.told.Store(int64(len(u.content)))
			u.whole = true
		default:
			return
		}
	}
}

// check asks the server that came back how far the file is.
func (u *sender) check(t testing.TB, s *server) {
	t.Helper()
	a, err := send(newClient(), s.url, "", "PUT "+u.address, "", "Content-Range: bytes */*")
	switch {
	case err != nil:
		t.Error(err)
	case a.status == http.StatusOK:
		u.told.Store(int64(len(u.content)))
		u.whole = true
	case a.status != http.StatusPermanentRedirect || held(a) < u.told.Load() || u.whole:
		t.Errorf("%d, Range %q, but %d bytes were told (whole: %v): %s", a.status, a.header.Get("Range"), u.told.Load(), u.whole, a)
	default:
		u.told.Store(held(a))
	}
}

// finish sends the rest.
func (u *sender) finish(t testing.TB, s *server) {
	t.Helper()
	u.send(s, false)
	if !u.whole {
		t.Errorf("%s is not whole after %d bytes", u.address, u.told.Load())
		return
	}
	isWhole(t, s, u.address, u.content)
}

// TestUploadSyncedBeforeTold: an offset is told when the bytes and the row that says so are durable, in this order.
func TestUploadSyncedBeforeTold(t *testing.T) {
	t.Parallel()
	program := strace(t)
	const chunks = 20
	trace := filepath.Join(t.TempDir(), "trace")
	s := start(t, launch{front: traceFlags(program, trace)})
	awaitJobs(t, s)
	address := upload(t, s)
	s.want(t, http.StatusCreated, "POST /articles", `{"title":"Before all chunks"}`)
	content := file{1, chunks * 10_000}.bytes()
	for i := range int64(chunks) {
		if a, err := s.putPart(newClient(), address, content, i*10_000, (i+1)*10_000); err != nil || a.status != http.StatusPermanentRedirect && a.status != http.StatusOK {
			t.Fatalf("%v: %s", err, a)
		}
	}
	s.want(t, http.StatusCreated, "POST /articles", `{"title":"After all chunks"}`)
	calls := traceOf(t, trace, 2)
	told, early := untold(calls)
	if told != chunks || len(early) > 0 {
		t.Errorf("%d answers of %d; %q", told, chunks, early)
	}
	withoutSync := calls[:0:0]
	for _, c := range calls {
		if !c.sync() || c.log() {
			withoutSync = append(withoutSync, c)
		}
	}
	if _, early := untold(withoutSync); len(early) != chunks {
		t.Errorf("without the syncs of files, %d of %d answers are found early", len(early), chunks)
	}
}

// untold counts the answers that tell an offset, and says what is wrong with those whose bytes were not durable before the row.
func untold(calls []*syscallLine) (told int, early []string) {
	previous := 0
	for _, c := range calls {
		if c.ack() {
			previous = c.end // of something else
		}
		tells := c.name == "write" && (strings.Contains(c.args, `"HTTP/1.1 308`) || strings.Contains(c.args, `"HTTP/1.1 200`)) && previous > 0
		if !tells {
			continue
		}
		told++
		written, synced, row, durable := 0, 0, 0, 0
		for _, earlier := range calls {
			if earlier.begin <= previous || earlier.end == 0 || earlier.end > c.begin {
				continue
			}
			content := strings.Contains(earlier.args, "/blobs/uploads/")
			switch {
			case earlier.name == "write" && content:
				written = earlier.end
			case earlier.sync() && earlier.result == "0" && content && earlier.begin > written && written > 0 && synced == 0:
				synced = earlier.end
			case earlier.name == "pwrite64" && earlier.log() && synced > 0 && row == 0:
				row = earlier.begin
			case earlier.sync() && earlier.result == "0" && earlier.log() && row > 0:
				durable = earlier.end
			}
		}
		if written == 0 || synced == 0 || row < synced || durable == 0 {
			early = append(early, fmt.Sprintf("answer %d in line %d: written %d, synced %d, row %d, durable %d", told, c.begin, written, synced, row, durable))
		}
		previous = c.end
	}
	return told, early
}

// TestUploadMemory: memory does not grow with the size of a file, and little with the number of files.
func TestUploadMemory(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	warm := file{1, 64 << 20}
	s.stream(t, upload(t, s), warm)
	before := s.memory(t, "VmHWM:")
	large := file{2, int64(pick(1, 10)) << 30}
	s.stream(t, upload(t, s), large)
	grown := s.memory(t, "VmHWM:") - before
	t.Logf("a file of %d MB: %d MB more", large.size>>20, grown>>20)
	if grown >= 16<<20 {
		t.Errorf("a file of %d MB took %d MB more", large.size>>20, grown>>20)
	}

	var sending sync.WaitGroup
	gate := make(chan struct{})
	for i := range 200 {
		address := upload(t, s)
		sending.Go(func() {
			r, w := io.Pipe()
			go func() { // half of it, then a pause until all are there, then the rest
				content := file{uint64(i), 1 << 20}.bytes()
				w.Write(content[:512<<10])
				<-gate
				w.Write(content[512<<10:])
				w.Close()
			}()
			s.streamed(t, address, r, 1<<20)
		})
	}
	eventually(t, "200 files are being received", func() bool { return established(t, s) >= 200 })
	close(gate)
	sending.Wait()
	peak := s.memory(t, "VmHWM:")
	t.Logf("200 files at once: at most %d MB in all", peak>>20)
	if peak >= 200<<20 {
		t.Errorf("200 files at once took %d MB", peak>>20)
	}
}

// established counts the connections of the server.
func established(t testing.TB, s *server) int {
	t.Helper()
	_, port, _ := strings.Cut(s.address(), ":")
	var number int
	fmt.Sscan(port, &number)
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", s.pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(table), fmt.Sprintf("0100007F:%04X 0100007F:", number)) - strings.Count(string(table), fmt.Sprintf("0100007F:%04X 00000000:", number))
}

// stream sends a file in one request, without keeping it.
func (s *server) stream(t testing.TB, address string, f file) {
	t.Helper()
	s.streamed(t, address, f.reader(), f.size)
}

func (s *server) streamed(t testing.TB, address string, body io.Reader, size int64) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPut, s.url+address, body)
	if err != nil {
		t.Error(err)
		return
	}
	r.ContentLength = size
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
		t.Errorf("%d %s", response.StatusCode, text)
	}
}

// TestUploadDiskFull: a file that does not fit is refused, what was told stays, and it goes on when there is space.
func TestUploadDiskFull(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t)
	s := start(t, launch{dir: dir})
	u := &sender{address: upload(t, s), content: file{1, 8 << 20}.bytes()}
	client := newClient()
	a, err := s.putPart(client, u.address, u.content, 0, 1<<20)
	if err != nil || held(a) != 1<<20 {
		t.Fatalf("%v: %s", err, a)
	}
	u.told.Store(1 << 20)
	ballast := filepath.Join(dir, "ballast")
	fill(t, ballast)
	a, err = s.putPart(client, u.address, u.content, 1<<20, 8<<20)
	if err == nil && (a.status != http.StatusServiceUnavailable || !strings.Contains(string(a.body), `"storage_full"`)) {
		t.Errorf("%s", a)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	u.check(t, s)
	u.finish(t, s)
}

// TestUploadsElsewhere runs the service and, beside it on the same store, one that takes files alone.
func TestUploadsElsewhere(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return dbtest.Postgres(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main := start(t, launch{database: database(), flags: []string{"--upload-url", "http://files.test/"}})
			how := main.how
			how.flags = []string{"--only", "uploads"}
			alone := start(t, how)
			content := file{1, 3 << 20}.bytes()
			location := main.want(t, http.StatusOK, "POST /uploads?uploadType=resumable", `{"snippet":{"title":"elsewhere"}}`).header.Get("Location")
			address, found := strings.CutPrefix(location, "http://files.test")
			if !found {
				t.Fatalf("Location %q", location)
			}
			u := &sender{address: address, content: content}
			if a, err := alone.putPart(newClient(), address, content, 0, 1<<20); err != nil || held(a) != 1<<20 {
				t.Fatalf("%v: %s", err, a)
			}
			u.told.Store(1 << 20)
			alone.kill()
			alone = start(t, how)
			u.check(t, alone)
			u.finish(t, alone)
			isWhole(t, main, address, content)
			if a := alone.call(t, main.token, "GET /articles", ""); a.status != http.StatusNotFound {
				t.Errorf("%s", a)
			}
			if code := alone.stop(t); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if a := main.want(t, http.StatusOK, "GET /uploads", ""); !strings.Contains(string(a.body), `"size":3145728`) {
				t.Errorf("%s", a)
			}
			eventually(t, "the SHA-256 is there", func() bool {
				return strings.Contains(string(main.want(t, http.StatusOK, "GET /uploads", "").body), fmt.Sprintf(`"sha256":"%x"`, sha256.Sum256(content)))
			})
		})
	}
}
