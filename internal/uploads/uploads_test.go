package uploads_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/blob/blobtest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTranscripts(t *testing.T) { apptest.Transcripts(t) }

// places runs a test on both engines with files on disk, and on one with files in S3.
func places(t *testing.T, fn func(t *testing.T, s *apptest.Server), adjust ...func(*config.Settings)) {
	t.Helper()
	apptest.Each(t, fn, adjust...)
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		s3 := blobtest.Start(t).Options
		fn(t, apptest.Start(t, dbtest.SQLite(t), append(adjust, func(s *config.Settings) {
			s.Blobs, s.S3Endpoint, s.S3Region, s.S3Key, s.S3Secret = s3.URL, s3.Endpoint, s3.Region, s3.Key, s3.Secret
		})...))
	})
}

// sending is an upload on its way: the address to send to, and the upload's own.
type sending struct {
	*apptest.Server
	t       testing.TB
	address string
	item    string
}

// begin opens an upload of alice's.
func begin(t testing.TB, s *apptest.Server, body string, headers ...string) *sending {
	t.Helper()
	a := s.Want(t, 200, s.Alice, "POST /uploads?uploadType=resumable", body, headers...)
	location := a.Header.Get("Location")
	address, found := strings.CutPrefix(location, s.URL)
	if !found || len(a.Body) != 0 || a.Header.Get("Content-Length") != "0" || !strings.Contains(address, "upload_id=") {
		t.Fatalf("Location %q, body %q", location, a.Body)
	}
	item, _, _ := strings.Cut(address, "/content?")
	return &sending{s, t, address, item}
}

// put sends bytes, with the range they are.
func (u *sending) put(status int, contentRange, body string, headers ...string) apptest.Answer {
	u.t.Helper()
	headers = append([]string{"Content-Type: "}, headers...)
	if contentRange != "" {
		headers = append(headers, "Content-Range: "+contentRange)
	}
	return u.Want(u.t, status, "", "PUT "+u.address, body, headers...)
}

// holds asks how far it is.
func (u *sending) holds(want string) {
	u.t.Helper()
	a := u.put(308, "bytes */*", "")
	if got := a.Header.Get("Range"); got != want || a.Header.Get("Location") != "" || len(a.Body) > 0 {
		u.t.Errorf("Range %q, want %q; Location %q, body %q", got, want, a.Header.Get("Location"), a.Body)
	}
}

// content reads the file back as alice.
func (u *sending) content() string {
	u.t.Helper()
	return string(u.Want(u.t, 200, u.Alice, "GET "+u.item+"/content", "").Body)
}

func noise(n int) string {
	b := make([]byte, n)
	random := rand.NewChaCha8([32]byte{byte(n)})
	random.Read(b)
	return string(b)
}

func crc(text string) string {
	sum := crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
	return base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, sum))
}

func md5Of(text string) string {
	sum := md5.Sum([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func TestOnePut(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		for _, size := range []int{0, 1, 1 << 18, 600 << 10} {
			file := noise(size)
			u := begin(t, s, `{"snippet":{"title":"One"}}`, fmt.Sprint("X-Upload-Content-Length: ", size), "X-Upload-Content-Type: image/png")
			a := u.put(200, "", file, "Content-Type: image/png")
			if a.Get("content.size") != float64(size) || a.Text("content.type") != "image/png" || a.Text("content.checksum.crc32c") != crc(file) || a.Text("snippet.title") != "One" {
				t.Errorf("%d: %s", size, a.Body)
			}
			if u.content() != file {
				t.Errorf("%d: other bytes came back", size)
			}
			if n := s.Work(t); n != 1 {
				t.Errorf("%d tasks", n)
			}
			sum := sha256.Sum256([]byte(file))
			if got := s.Want(t, 200, s.Alice, "GET "+u.item, "").Text("content.checksum.sha256"); got != hex.EncodeToString(sum[:]) {
				t.Errorf("sha256 %q", got)
			}
		}
	})
}

// TestAnyChunks sends a file in pieces of any size and any form of range, some of them twice.
func TestAnyChunks(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		random := rand.New(rand.NewPCG(1, 2))
		for round := range 12 {
			file := noise(random.IntN(700<<10) + 1)
			var announced []string
			if round%2 == 0 {
				announced = []string{fmt.Sprint("X-Upload-Content-Length: ", len(file))}
			}
			u := begin(t, s, "", announced...)
			at := 0
			for at < len(file) {
				from := random.IntN(at + 1)
				to := min(len(file), at+1+random.IntN(300<<10))
				total := "*"
				if to == len(file) || random.IntN(3) == 0 {
					total = fmt.Sprint(len(file))
				}
				status := 308
				if to == len(file) {
					status = 200
				}
				a := u.put(status, fmt.Sprintf("bytes %d-%d/%s", from, to-1, total), file[from:to])
				if status == 308 && a.Header.Get("Range") != fmt.Sprintf("bytes=0-%d", to-1) {
					t.Fatalf("Range %q after %d", a.Header.Get("Range"), to)
				}
				at = to
			}
			if u.content() != file {
				t.Fatalf("round %d: other bytes came back", round)
			}
		}
	})
}

func TestProtocol(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		t.Run("nothing held", func(t *testing.T) { begin(t, s, "").holds("") })
		t.Run("gap", func(t *testing.T) {
			u := begin(t, s, "")
			a := u.put(503, "bytes 5-9/*", "56789")
			if a.Text("code") != "upload_gap" || a.Header.Get("Range") != "" {
				t.Errorf("%s", a.Body)
			}
			u.put(308, "bytes 0-3/*", "0123")
			if a := u.put(503, "bytes 5-9/*", "56789"); a.Header.Get("Range") != "bytes=0-3" {
				t.Errorf("Range %q", a.Header.Get("Range"))
			}
			u.holds("bytes=0-3")
		})
		t.Run("post without 308", func(t *testing.T) {
			u := begin(t, s, "")
			for _, chunk := range []string{"0-3/*", "4-7/*"} {
				a := u.Want(t, 200, "not a token", "POST "+u.address, "0123", "Content-Range: bytes "+chunk, "X-GUploader-No-308: yes", "Content-Type: text/plain")
				if a.Header.Get("X-Http-Status-Code-Override") != "308" || a.Header.Get("Range") == "" || len(a.Body) > 0 {
					t.Errorf("%v %s", a.Header, a.Body)
				}
			}
			a := u.Want(t, 200, "", "POST "+u.address, "", "Content-Range: bytes */8", "X-GUploader-No-308: yes", "Content-Type: text/plain")
			if a.Header.Get("X-Http-Status-Code-Override") != "" || a.Text("content.type") != "text/plain" || u.content() != "01230123" {
				t.Errorf("%v %s", a.Header, a.Body)
			}
		})
		t.Run("last answer again", func(t *testing.T) {
			u := begin(t, s, `{"snippet":{"title":"Again"}}`)
			first := u.put(200, "bytes 0-3/4", "0123")
			s.Want(t, 200, s.Alice, "PATCH "+u.item, `{"snippet":{"title":"Later"}}`)
			for _, again := range []apptest.Answer{u.put(200, "bytes 0-3/4", "0123"), u.put(200, "bytes */4", ""), u.put(200, "bytes */*", ""), u.put(200, "", "0123")} {
				if !bytes.Equal(first.Body, again.Body) || first.Header.Get("ETag") != again.Header.Get("ETag") {
					t.Errorf("first %s\nthen %s", first.Body, again.Body)
				}
			}
			if a := u.Want(t, 410, "", "DELETE "+u.address, ""); a.Text("code") != "upload_ended" {
				t.Errorf("%s", a.Body)
			}
			s.Want(t, 200, s.Alice, "GET "+u.item, "")
		})
		t.Run("cancel", func(t *testing.T) {
			u := begin(t, s, "")
			u.put(308, "bytes 0-3/*", "0123")
			for range 2 {
				if a := u.Want(t, 499, "", "DELETE "+u.address, ""); len(a.Body) > 0 {
					t.Errorf("%s", a.Body)
				}
			}
			u.put(499, "bytes */*", "")
			u.put(499, "bytes 4-7/8", "4567")
			s.Want(t, 404, s.Alice, "GET "+u.item, "")
		})
		t.Run("removed", func(t *testing.T) {
			u, whole := begin(t, s, ""), begin(t, s, "")
			u.put(308, "bytes 0-3/*", "0123")
			whole.put(200, "", "0123")
			for _, gone := range []*sending{u, whole} {
				s.Want(t, 204, s.Alice, "DELETE "+gone.item, "")
				s.Want(t, 404, s.Alice, "GET "+gone.item+"/content", "")
			}
			u.put(499, "bytes 4-7/8", "4567")
			whole.put(410, "bytes */*", "")
		})
		t.Run("chunked", func(t *testing.T) {
			for _, form := range []string{"", "bytes 0-*/*", "bytes 0-*/600", "bytes 0-599/600"} {
				u, file := begin(t, s, ""), noise(600)
				if status, body := u.stream(form, file); status != 200 || u.content() != file {
					t.Errorf("%q: %d %s", form, status, body)
				}
			}
			for form, status := range map[string]int{"bytes 0-599/600": 400, "bytes 0-599/*": 400, "bytes 0-*/600": 308} { // fewer than said
				u := begin(t, s, "")
				if got, body := u.stream(form, noise(500)); got != status {
					t.Errorf("%q: %d %s", form, got, body)
				}
				u.holds("bytes=0-499")
			}
			for _, form := range []string{"bytes 0-599/600", "bytes 0-599/*", "bytes 0-*/600"} { // more than said
				u := begin(t, s, "")
				if got, body := u.stream(form, noise(700)); got != 400 {
					t.Errorf("%q: %d %s", form, got, body)
				}
				u.put(200, "bytes */600", "") // what was said is here
			}
		})
		t.Run("too often", func(t *testing.T) {
			u, often := begin(t, s, ""), 0
			for range 200 {
				if a := u.Call(t, "", "PUT "+u.address, "", "Content-Range: bytes */9"); a.Status == 429 {
					if often++; a.Header.Get("Retry-After") == "" {
						t.Error("no Retry-After")
					}
				}
			}
			if often < 50 {
				t.Errorf("%d of 200 were refused", often)
			}
		})
	})
}

// stream sends a body without a length.
func (u *sending) stream(contentRange, body string) (int, string) {
	u.t.Helper()
	r, err := http.NewRequest("PUT", u.URL+u.address, io.MultiReader(strings.NewReader(body)))
	if err != nil {
		u.t.Fatal(err)
	}
	if contentRange != "" {
		r.Header.Set("Content-Range", contentRange)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		u.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		u.t.Fatal(err)
	}
	u.Routes.Check(u.t, r, response, text)
	return response.StatusCode, string(text)
}

func TestAnnounced(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		u := begin(t, s, "", "X-Upload-Content-Length: 8", "X-Upload-Content-Type: text/plain; charset=utf-8")
		for form, body := range map[string]string{"": "012345678", "bytes 0-3/9": "0123", "bytes */9": "", "bytes 0-8/*": "012345678", "bytes 0-*/7": "0123"} {
			if a := u.put(400, form, body); a.Text("code") != "invalid_header" {
				t.Errorf("%q: %s", form, a.Body)
			}
		}
		u.put(415, "", "01234567", "Content-Type: text/html")
		u.holds("")
		u.put(308, "bytes 0-3/*", "0123", "Content-Type: text/plain;charset=utf-8")
		if a := u.put(200, "bytes 4-7/*", "4567"); a.Text("content.type") != "text/plain; charset=utf-8" { // all that was announced is here
			t.Errorf("%s", a.Body)
		}
		late := begin(t, s, "")
		late.put(308, "bytes 0-3/8", "0123")
		late.put(400, "bytes 4-7/9", "4567")
		late.put(400, "bytes */3", "")
		for _, header := range []string{"X-Upload-Content-Length: -1", "X-Upload-Content-Length: many", "X-Upload-Content-Type: plain", "X-Upload-Content-Type: text/plain; x"} {
			if a := s.Want(t, 400, s.Alice, "POST /uploads?uploadType=resumable", "{}", header); a.Text("code") != "invalid_header" {
				t.Errorf("%s: %s", header, a.Body)
			}
		}
		if n := s.Count(t, `SELECT COUNT(*) FROM uploads`); n != 2 {
			t.Errorf("%d uploads", n)
		}
	})
}

func TestTooLarge(t *testing.T) {
	const most = 1 << 20
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		s.Want(t, 413, s.Alice, "POST /uploads?uploadType=resumable", "{}", fmt.Sprint("X-Upload-Content-Length: ", most+1))
		s.Want(t, 413, s.Alice, "POST /uploads?uploadType=media", noise(most+1), "Content-Type: image/png")
		u := begin(t, s, "")
		for form, body := range map[string]string{"": noise(most + 1), fmt.Sprintf("bytes 0-0/%d", most+1): "0", fmt.Sprintf("bytes %d-%d/*", most, most): "0", fmt.Sprintf("bytes */%d", most+1): ""} {
			if a := u.put(413, form, body); a.Text("code") != "upload_too_large" {
				t.Errorf("%q: %s", form, a.Body)
			}
		}
		if status, _ := u.stream("bytes 0-*/*", noise(most+1)); status != 413 {
			t.Errorf("got %d", status)
		}
		u.put(200, "", noise(most))
	}, func(c *config.Settings) { c.MaxUpload = most })
}

func TestExpiry(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		u, whole := begin(t, s, ""), begin(t, s, "")
		u.put(308, "bytes 0-3/*", "0123")
		whole.put(200, "", "0123")
		s.Clock.Move(7*24*60*60*1e9 + 1e9)
		if a := u.put(410, "bytes */*", ""); a.Text("code") != "upload_ended" { // though the job has not run
			t.Errorf("%s", a.Body)
		}
		if err := s.App.Uploads.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		u.put(410, "bytes */*", "")
		s.Want(t, 404, s.Alice, "GET "+u.item, "")
		if whole.content() != "0123" {
			t.Error("a whole file went")
		}
		s.Clock.Move(31 * 24 * 60 * 60 * 1e9)
		if err := s.App.Uploads.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		u.put(404, "bytes */*", "")
		whole.put(404, "bytes */*", "")
		if whole.content() != "0123" {
			t.Error("a whole file went")
		}
	})
}

func TestHash(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		file := noise(1000)
		good := begin(t, s, "")
		good.put(308, "bytes 0-499/*", file[:500])
		good.put(200, "bytes 500-999/1000", file[500:], "X-Goog-Hash: crc32c="+crc(file)+",md5="+md5Of(file))
		for _, bad := range []string{"crc32c=" + crc("other"), "md5=" + md5Of("other"), "crc32c=" + crc(file) + ", md5=" + md5Of("other")} {
			u := begin(t, s, "")
			u.put(308, "bytes 0-499/*", file[:500])
			if a := u.put(400, "bytes 500-999/1000", file[500:], "X-Goog-Hash: "+bad); a.Text("code") != "checksum_mismatch" {
				t.Errorf("%s", a.Body)
			}
			u.put(410, "bytes */*", "")
			s.Want(t, 404, s.Alice, "GET "+u.item, "")
			s.Want(t, 400, s.Alice, "POST /uploads?uploadType=media", file, "Content-Type: image/png", "X-Goog-Hash: "+bad)
		}
		if n := s.Count(t, `SELECT COUNT(*) FROM uploads`); n != 1 {
			t.Errorf("%d uploads", n)
		}
	})
}

func TestCounts(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		begin(t, s, "").put(200, "", noise(1000))
		u := begin(t, s, "")
		u.put(308, "bytes 0-9/*", "0123456789")
		u.Want(t, 499, "", "DELETE "+u.address, "")
		s.Want(t, 200, s.Alice, "POST /uploads?uploadType=media", "0123", "Content-Type: text/plain")
		begin(t, s, "")
		s.Clock.Move(8 * 24 * 60 * 60 * 1e9)
		if err := s.App.Uploads.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		text := string(s.Want(t, 200, "", "GET /metrics", "").Body)
		for _, line := range []string{`verbless_uploads_total{outcome="whole"} 2`, `verbless_uploads_total{outcome="cancelled"} 1`, `verbless_uploads_total{outcome="abandoned"} 1`,
			"verbless_upload_received_bytes_total 1014", "verbless_uploads_receiving 0"} {
			if !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("%s is missing in\n%s", line, text)
			}
		}
	})
}

// TestEndsOnlyWhatIsOpen: the job that ends old uploads may meet one whose last byte has just been acknowledged.
func TestEndsOnlyWhatIsOpen(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		whole, begun := begin(t, s, ""), begin(t, s, "")
		whole.put(200, "", "0123")
		for u, want := range map[*sending]bool{whole: false, begun: true} {
			if gone, err := s.App.Uploads.End(t.Context(), path.Base(u.item)); err != nil || gone != want {
				t.Errorf("%v, %v; want %v", gone, err, want)
			}
		}
		if whole.content() != "0123" {
			t.Error("a whole file went")
		}
		whole.put(200, "bytes */*", "")
		begun.put(410, "bytes */*", "")
	})
}

// TestOwnerGone: with their owner, uploads end; nobody goes on filling the store for a user who is gone.
func TestOwnerGone(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		whole, begun, cancelled := begin(t, s, ""), begin(t, s, ""), begin(t, s, "")
		whole.put(200, "", "0123")
		begun.put(308, "bytes 0-3/*", "0123")
		cancelled.Want(t, 499, "", "DELETE "+cancelled.address, "")
		s.Want(t, 204, s.Admin, "DELETE /users/alice", "")
		begun.put(410, "bytes 4-7/8", "4567")
		begun.put(410, "bytes */*", "")
		whole.put(410, "bytes */*", "")
		cancelled.put(499, "bytes */*", "")
		s.Want(t, 404, s.Admin, "GET "+whole.item+"/content", "")
	})
}

// TestStrangeAddresses: whatever stands in the place of an upload, nobody is told more than that there is nothing.
func TestStrangeAddresses(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		u := begin(t, s, "")
		_, query, _ := strings.Cut(u.address, "?")
		for _, id := range []string{"%00", "%ff", "x", "'--", "..%2f..%2fetc", strings.ToUpper(path.Base(u.item)), strings.Repeat("9", 3000), "00000000-0000-0000-0000-000000000000"} {
			for _, method := range []string{"PUT", "POST", "DELETE"} {
				s.Want(t, 404, "", method+" /uploads/"+id+"/content?"+query, "")
			}
			s.Want(t, 404, s.Alice, "GET /uploads/"+id+"/content", "")
			s.Want(t, 401, "", "GET /uploads/"+id+"/content", "")
		}
		s.Want(t, 404, "", "PUT "+u.item+"/content?upload_id=%00", "")
		s.Want(t, 404, "", "PUT "+u.item+"/content?upload_id="+strings.Repeat("A", 5000), "")
		u.holds("")
	})
}
