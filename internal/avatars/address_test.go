package avatars_test

import (
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"verbless/internal/apptest"
)

func byAddress(address string) string { return fmt.Sprintf(`{"image_url":%q}`, address) }

var requestID = regexp.MustCompile(`"request_id":"[^"]*"`)

// TestAddressesThatLeadInward: nothing inside is reached with the settings as delivered, and no answer tells one from the other.
func TestAddressesThatLeadInward(t *testing.T) {
	var hits atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		w.Write([]byte(drawing(t, 1)))
	}))
	t.Cleanup(inside.Close)
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		first := ""
		for _, host := range []string{
			"127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "localhost", "localhost.", "169.254.169.254", "100.64.0.1",
			"[fd00::1]", "[64:ff9b::7f00:1]", "10.0.0.1", "192.168.1.1", "nothing.invalid",
		} {
			for _, address := range []string{"http://" + host + ":" + port + "/a.png", "http://" + host + "/", "https://" + host + ":22/"} {
				answer := s.Want(t, 400, s.Alice, "POST /avatars", byAddress(address))
				told := requestID.ReplaceAllString(string(answer.Body), "")
				if first == "" {
					first = told
				}
				if told != first || answer.Text("code") != "image_not_fetched" {
					t.Errorf("%s is told apart: %s", address, answer.Body)
				}
			}
		}
		for _, address := range []string{"file:///etc/passwd", "gopher://127.0.0.1:" + port, "http://me:word@example.com/a.png", "http://ok@127.0.0.1:" + port, "ftp://example.com/a.png", "data:image/png;base64,AAAA", "https:///a.png"} {
			if answer := s.Want(t, 400, s.Alice, "POST /avatars", byAddress(address)); answer.Text("errors.0.code") != "not_allowed_value" || answer.Text("errors.0.pointer") != "/image_url" {
				t.Errorf("%s: %s", address, answer.Body)
			}
		}
		for body, code := range map[string]string{`{}`: "required", `{"image_url":1}`: "wrong_type", `{"image_url":"here"}`: "bad_format", byAddress("http://x/" + strings.Repeat("a", 2048)): "out_of_range", `{"avatars":{}}`: "required"} {
			if answer := s.Want(t, 400, s.Alice, "POST /avatars", body); answer.Text("errors.0.code") != code {
				t.Errorf("%.40s: %s", body, answer.Body)
			}
		}
		if answer := s.Want(t, 400, s.Alice, "POST /avatars", `{"avatars":`+byAddress("ftp://x/")+`}`); answer.Text("errors.0.pointer") != "/avatars/image_url" {
			t.Errorf("the pointer is %s", answer.Text("errors.0.pointer"))
		}
		if n := count(t, s); n != 0 || hits.Load() != 0 {
			t.Errorf("%d avatars, %d requests inside", n, hits.Load())
		}
	})
}

// TestWhatAddressesLeadTo: the bytes are judged like those of an upload, and errors tell nothing of what was there.
func TestWhatAddressesLeadTo(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(answers(t)))
	t.Cleanup(elsewhere.Close)
	each(t, func(t *testing.T, s *apptest.Server, dir string) {
		for path, code := range map[string]string{
			"png": "", "unnamed": "", "octets": "", "redirect": "", "moving": "", "largest": "",
			"html": "image_mismatch", "misnamed": "image_mismatch", "svg": "image_mismatch", "text": "image_mismatch", "empty": "image_mismatch",
			"corrupt": "image_corrupt", "bomb": "image_too_many_pixels",
			"404": "image_not_fetched", "500": "image_not_fetched", "204": "image_not_fetched", "large": "image_not_fetched", "short": "image_not_fetched", "around": "image_not_fetched",
			"inward": "image_not_fetched", "gzip": "image_not_fetched",
		} {
			status := 400
			if code == "" {
				status = 201
			}
			answer := s.Want(t, status, s.Alice, "POST /avatars", byAddress(elsewhere.URL+"/"+path))
			if answer.Text("code") != code || strings.Contains(string(answer.Body), "secret") {
				t.Errorf("%s: %s", path, answer.Body)
			}
			if code == "" {
				url := answer.Text("avatars.image_url")
				if !strings.HasPrefix(url, s.URL+"/media/") || s.Want(t, 200, "", "GET "+url, "").Body == nil {
					t.Errorf("%s is shown at %s", path, url)
				}
			}
		}
		if n := count(t, s); n != 6 || len(files(t, dir)) != 2 { // without its comment, the largest is the same as the others
			t.Errorf("%d avatars, %v", n, files(t, dir))
		}
	}, allowLoopback)
}

// answers plays servers of all kinds. All pictures but two are the same.
func answers(t *testing.T) http.HandlerFunc {
	moving, err := os.ReadFile("testdata/moving.gif")
	if err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, r *http.Request) {
		data := drawing(t, 1)
		send := func(mediaType, body string) {
			w.Header()["Content-Type"] = []string{mediaType}
			if mediaType == "" {
				w.Header()["Content-Type"] = nil
			}
			w.Write([]byte(body))
		}
		switch path := r.URL.Path[1:]; path {
		case "png":
			send("image/png; charset=binary", data)
		case "unnamed":
			send("", data)
		case "octets":
			send("application/octet-stream", data)
		case "redirect":
			http.Redirect(w, r, "/png", http.StatusFound)
		case "moving":
			send("image/gif", string(moving))
		case "largest":
			send("image/png", padded(t, limit))
		case "html":
			send("text/html", "<html>secret")
		case "misnamed":
			send("text/html", data)
		case "svg":
			send("image/svg+xml", "<svg>secret</svg>")
		case "text":
			send("", "secret")
		case "empty":
			send("image/png", "")
		case "corrupt":
			send("image/png", data[:len(data)-5])
		case "bomb":
			gif.Encode(w, image.NewPaletted(image.Rect(0, 0, 9000, 1), color.Palette{color.Black}), nil)
		case "large":
			send("image/png", padded(t, limit+1))
		case "short":
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(data))
		case "around":
			http.Redirect(w, r, "/around", http.StatusFound)
		case "inward":
			http.Redirect(w, r, "http://127.0.0.2/secret", http.StatusFound)
		case "gzip":
			w.Header().Set("Content-Encoding", "gzip")
			send("image/png", data)
		default:
			var status int
			fmt.Sscan(path, &status)
			w.WriteHeader(status)
		}
	}
}
