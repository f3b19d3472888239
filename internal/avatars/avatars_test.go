package avatars_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func TestTranscripts(t *testing.T) {
	elsewhere := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	defer elsewhere.Close()
	t.Run("replay", func(t *testing.T) {
		apptest.Each(t, func(t *testing.T, s *apptest.Server) {
			s.Vars = map[string]string{"elsewhere": elsewhere.URL}
			s.Transcript(t, "testdata/avatars.http")
		}, allowLoopback)
	})
}

// allowLoopback lets pictures be fetched from servers of a test.
func allowLoopback(s *config.Settings) { s.FetchAllow = "127.0.0.1/32" }

// each runs a test on both engines, with the folder of the data to look into.
func each(t *testing.T, fn func(t *testing.T, s *apptest.Server, dir string), adjust ...func(*config.Settings)) {
	t.Helper()
	for name, address := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := apptest.Start(t, address(t), append(adjust, func(s *config.Settings) { s.Data = dir })...)
			fn(t, s, dir)
		})
	}
}

// files lists the files that are stored.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(filepath.Join(dir, "blobs"), func(file string, entry os.DirEntry, err error) error {
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

// drawing is a PNG that no other number gives.
func drawing(t testing.TB, n int) string {
	t.Helper()
	m := image.NewGray16(image.Rect(0, 0, 8, 8))
	m.SetGray16(0, 0, color.Gray16{uint16(n)})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// padded is a drawing of just so many bytes, most of them a comment.
func padded(t testing.TB, size int) string {
	t.Helper()
	data := drawing(t, 1)
	comment := append([]byte("tEXtComment\x00"), bytes.Repeat([]byte("x"), size-len(data)-12-8)...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(comment)-4))
	chunk = binary.BigEndian.AppendUint32(append(chunk, comment...), crc32.ChecksumIEEE(comment))
	whole := data[:33] + string(chunk) + data[33:]
	if len(whole) != size {
		t.Fatalf("%d bytes", len(whole))
	}
	return whole
}

const isPNG = "Content-Type: image/png"

// add makes an avatar and gives its id and where its picture is.
func add(t testing.TB, s *apptest.Server, token, data string) (id, url string) {
	t.Helper()
	answer := s.Want(t, 201, token, "POST /avatars", data, isPNG)
	return answer.Text("avatars.id"), answer.Text("avatars.image_url")
}

// count is how many avatars there are.
func count(t testing.TB, s *apptest.Server) int {
	t.Helper()
	n, _ := s.Want(t, 200, s.Admin, "GET /avatars", "", "Prefer: count=exact").Get("meta.total").(float64)
	return int(n)
}

func TestPlacesAndCommentsAreNotKept(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		photo, err := os.ReadFile("testdata/gps.jpg")
		if err != nil || !bytes.Contains(photo, []byte("52.5200 N")) {
			t.Fatal("the sample has no place in it", err)
		}
		answer := s.Want(t, 201, s.Alice, "POST /avatars", string(photo), "Content-Type: image/jpeg")
		kept := s.Want(t, 200, "", "GET "+answer.Text("avatars.image_url"), "")
		if bytes.Contains(kept.Body, []byte("52.5200")) || !bytes.Contains(kept.Body, []byte("Exif\x00\x00MM")) {
			t.Errorf("the place is there, or the orientation is not: %q", kept.Body[:80])
		}
		if name := fmt.Sprintf("/%x-", sha256.Sum256(kept.Body)); !strings.Contains(answer.Text("avatars.image_url"), name) {
			t.Errorf("%s is not named after its content", answer.Text("avatars.image_url"))
		}
	})
}

func TestTheNewestOfAUser(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		if got := s.Want(t, 200, s.Bob, "GET /users/alice?include=avatar", ""); got.Get("avatar") != nil {
			t.Errorf("without a picture: %s", got.Body)
		}
		add(t, s, s.Alice, drawing(t, 1))
		add(t, s, s.Bob, drawing(t, 2))
		second, _ := add(t, s, s.Alice, drawing(t, 3))
		for call, path := range map[string]string{
			"/users/alice?include=avatar": "avatar.id", "/users?include=avatar&username=alice": "users.0.avatar.id", "/users/alice?include=avatar.user&fields=name,avatar.image_url": "avatar.id",
		} {
			if got := s.Want(t, 200, s.Admin, "GET "+call, ""); got.Text(path) != second {
				t.Errorf("%s: %s", call, got.Body)
			}
		}
		s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Mine"}`)
		if got := s.Want(t, 200, s.Bob, "GET /articles?include=author.avatar", ""); got.Text("articles.0.author.avatar.id") != second {
			t.Errorf("the author's: %s", got.Body)
		}
		s.Want(t, 204, s.Alice, "DELETE /avatars/"+second, "")
		if got := s.Want(t, 200, s.Bob, "GET /users/alice?include=avatar", ""); got.Get("avatar") == nil || got.Text("avatar.id") == second {
			t.Errorf("after the newest is gone: %s", got.Body)
		}
		if got := s.Want(t, 200, s.Bob, "GET /avatars?user=2&include=user", ""); len(got.Get("avatars").([]any)) != 1 || got.Text("avatars.0.user.username") != "alice" {
			t.Errorf("alice's: %s", got.Body)
		}
	})
}

func TestUnderACDN(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		id, url := add(t, s, s.Alice, drawing(t, 1))
		if !strings.HasPrefix(url, "https://cdn.example.com/o'hare/") || strings.Count(url, "/") != 4 {
			t.Errorf("shown at %s", url)
		}
		if got := s.Want(t, 200, s.Bob, "GET /avatars/"+id, "").Text("avatars.image_url"); got != url {
			t.Errorf("read later: %s", got)
		}
		s.Want(t, 200, "", "GET /media/"+url[strings.LastIndex(url, "/")+1:], "")
	}, func(s *config.Settings) { s.CDNURL = "https://cdn.example.com/o'hare/" })
}

func TestRepeatedWithAKey(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		fetched := 0
		elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fetched++
			w.Write([]byte(drawing(t, 7)))
		}))
		defer elsewhere.Close()
		first := s.Want(t, 201, s.Alice, "POST /avatars", drawing(t, 1), isPNG, "Idempotency-Key: one")
		again := s.Want(t, 201, s.Alice, "POST /avatars", drawing(t, 1), isPNG, "Idempotency-Key: one")
		if string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s, then %s", first.Body, again.Body)
		}
		s.Want(t, 422, s.Alice, "POST /avatars", drawing(t, 2), isPNG, "Idempotency-Key: one")
		body := `{"image_url":"` + elsewhere.URL + `/a.png"}`
		s.Want(t, 201, s.Alice, "POST /avatars", body, "Idempotency-Key: two")
		elsewhere.CloseClientConnections()
		s.Want(t, 201, s.Alice, "POST /avatars", body, "Idempotency-Key: two")
		if fetched != 1 || count(t, s) != 2 {
			t.Errorf("fetched %d times, %d avatars", fetched, count(t, s))
		}
	}, allowLoopback)
}
