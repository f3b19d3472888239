package uploads_test

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verbless/internal/apptest"
	"verbless/internal/config"
)

// files lists what lies in the store of files on disk.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(dir), "blobs", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, filepath.Base(file))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// wire is a connection on which a request is sent bit by bit.
type wire struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

// dial begins to send a body of a length to the address.
func (u *sending) dial(length int, headers ...string) *wire {
	u.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(u.URL, "http://"))
	if err != nil {
		u.t.Fatal(err)
	}
	u.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	w := &wire{u.t, conn, bufio.NewReader(conn)}
	head := append([]string{"PUT " + u.address + " HTTP/1.1", "Host: localhost", fmt.Sprint("Content-Length: ", length)}, headers...)
	w.write(strings.Join(append(head, "", ""), "\r\n"))
	return w
}

func (w *wire) write(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, text); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) read() (status int, code string) {
	w.t.Helper()
	response, err := http.ReadResponse(w.in, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode, apptest.Answer{Body: body}.Text("code")
}

// await waits until so much is kept. It looks into the store: to ask would end the request that is still read.
func (u *sending) await(size int) {
	u.t.Helper()
	for range 1000 {
		if u.Count(u.t, `SELECT COUNT(*) FROM upload_sessions WHERE upload_id = ? AND progress LIKE ?`, path.Base(u.item), fmt.Sprintf(`{"size":%d,%%`, size)) == 1 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	u.t.Fatalf("%d bytes are not kept", size)
}

func TestDroppedConnection(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		file := noise(1 << 20)
		for _, cut := range []int{1, 300_000, len(file) - 1} {
			u := begin(t, s, "")
			w := u.dial(len(file))
			w.write(file[:cut])
			w.conn.Close()
			u.await(cut)
			u.holds(fmt.Sprintf("bytes=0-%d", cut-1))
			if a := u.put(200, fmt.Sprintf("bytes %d-%d/%d", cut, len(file)-1, len(file)), file[cut:]); a.Text("content.checksum.crc32c") != crc(file) || u.content() != file {
				t.Errorf("cut at %d: %s", cut, a.Body)
			}
		}
	})
}

// received waits until so many requests bring bytes.
func (u *sending) received(n int) {
	u.t.Helper()
	for range 1000 {
		if strings.Contains(string(u.Want(u.t, 200, "", "GET /metrics", "").Body), fmt.Sprintf("\nverbless_uploads_receiving %d\n", n)) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	u.t.Fatalf("%d requests do not bring bytes", n)
}

func TestSecondWriterEndsTheFirst(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		file := noise(200_000)
		u := begin(t, s, "")
		first := u.dial(len(file))
		first.write(file[:100_000])
		u.received(1)
		u.put(308, fmt.Sprintf("bytes 0-49999/%d", len(file)), file[:50_000]) // whatever of the first has arrived
		if status, code := first.read(); status != 409 || code != "upload_overtaken" {
			t.Errorf("the first got %d %s", status, code)
		}
		if a := u.put(200, "", file); a.Text("content.checksum.crc32c") != crc(file) || u.content() != file {
			t.Errorf("%s", a.Body)
		}
	})
}

// TestManyWriters shows that requests that overtake each other make the file that was sent, and one answer.
func TestManyWriters(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		file := noise(300_000)
		u := begin(t, s, "", fmt.Sprint("X-Upload-Content-Length: ", len(file)))
		counts := apptest.Parallel(8, func(int) int {
			for range 50 {
				a := u.Call(t, "", "PUT "+u.address, file, "Content-Type: ")
				if a.Status != 409 && a.Status != 429 {
					return a.Status
				}
			}
			return 0
		})
		if counts[200] != 8 {
			t.Errorf("%v", counts)
		}
		if u.content() != file {
			t.Error("other bytes came back")
		}
	})
}

// TestOtherProcess shows that two services on one store hand an upload over, and that the one that was overtaken keeps nothing more.
func TestOtherProcess(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		other := s.Beside(t, func(c *config.Settings) { c.Data, c.BaseURL = s.Data, s.URL })
		file := noise(400_000)
		u := begin(t, s, "")
		there := &sending{other, t, u.address, u.item}
		there.URL = "http://" + other.Addr
		u.put(308, "bytes 0-99999/*", file[:100_000])
		there.put(308, "bytes 100000-199999/*", file[100_000:200_000])
		u.put(308, "bytes 200000-299999/*", file[200_000:300_000])

		slow := u.dial(100_000, "Content-Range: bytes 300000-399999/400000")
		slow.write(file[300_000:350_000])
		u.received(1)
		if a := there.put(200, "bytes 300000-399999/400000", file[300_000:]); a.Text("content.checksum.crc32c") != crc(file) {
			t.Errorf("%s", a.Body)
		}
		if status, code := slow.read(); status != 409 && status != 410 {
			t.Errorf("the first got %d %s", status, code)
		}
		if u.content() != file {
			t.Error("other bytes came back")
		}
	})
}

func TestOnlyUploads(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		alone := s.Beside(t, func(c *config.Settings) { c.Data, c.Only, c.BaseURL = s.Data, "uploads", s.URL })
		main := s.Beside(t, func(c *config.Settings) { c.Data, c.UploadURL = s.Data, "http://"+alone.Addr+"/" })
		a := main.Want(t, 200, s.Alice, "POST /uploads?uploadType=resumable", `{}`)
		address := a.Header.Get("Location")
		if !strings.HasPrefix(address, "http://"+alone.Addr+"/uploads/") {
			t.Fatalf("Location %s", address)
		}
		if a := main.Call(t, "", "PUT "+address, "0123", "Content-Type: text/plain"); a.Status != 200 || a.Text("content.size") != "" {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		list := main.Want(t, 200, s.Alice, "GET /uploads", "")
		if list.Text("uploads.0.content.type") != "text/plain" {
			t.Errorf("%s", list.Body)
		}
		for path, status := range map[string]int{"/articles": 404, "/users/me": 404, "/invoices": 404, "/healthz": 200, "/readyz": 200, "/openapi.json": 200, "/uploads": 200, "/problems/not_found": 200} {
			if a := main.Call(t, s.Alice, "GET http://"+alone.Addr+path, ""); a.Status != status {
				t.Errorf("%s: %d", path, a.Status)
			}
		}
	})
}

func TestStopKeepsWhatCame(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		file := noise(100_000)
		u := begin(t, s, "")
		w := u.dial(len(file))
		w.write(file[:60_000])
		u.received(1)
		s.App.Uploads.Stop()
		if status, code := w.read(); status != 503 || code != "unavailable" {
			t.Errorf("got %d %s", status, code)
		}
		a := u.put(308, "bytes */*", "")
		var held int
		if _, err := fmt.Sscanf(a.Header.Get("Range"), "bytes=0-%d", &held); err != nil && a.Header.Get("Range") != "" || held >= 60_000 {
			t.Errorf("Range %q", a.Header.Get("Range"))
		}
		if a.Header.Get("Range") != "" {
			held++
		}
		u.put(200, fmt.Sprintf("bytes %d-%d/%d", held, len(file)-1, len(file)), file[held:])
		if u.content() != file {
			t.Error("other bytes came back")
		}
	})
}
