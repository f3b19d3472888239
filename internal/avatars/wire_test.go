package avatars_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"verbless/internal/apptest"
)

// limit is the largest avatar, as delivered.
const limit = 3 * 1024 * 1024

// wire is a connection on which a test writes just what it wants.
type wire struct {
	t    testing.TB
	conn *net.TCPConn
	in   *bufio.Reader
}

func dial(t testing.TB, s *apptest.Server) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	return &wire{t, conn.(*net.TCPConn), bufio.NewReader(conn)}
}

// post writes the head of an upload.
func (w *wire) post(token string, headers ...string) *wire {
	w.t.Helper()
	head := "POST /avatars HTTP/1.1\r\nHost: localhost\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	return w.write(head + strings.Join(append(headers, "", ""), "\r\n"))
}

func (w *wire) write(text string) *wire {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, text); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// read takes one answer, and gives its status, its headers and the code of its problem.
func (w *wire) read() (int, http.Header, string) {
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
	if response.Close {
		response.Header.Set("Connection", "close") // the parser takes it out
	}
	answer := apptest.Answer{Body: body}
	return response.StatusCode, response.Header, answer.Text("code")
}

func length(n int) string { return "Content-Length: " + strconv.Itoa(n) }

const (
	chunked = "Transfer-Encoding: chunked"
	expects = "Expect: 100-continue"
)

// TestRefusedByTheHead: of all that is wrong the first counts, and none of the body is waited for.
func TestRefusedByTheHead(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		const over = limit + 1
		for _, test := range []struct {
			name    string
			token   string
			headers []string
			status  int
			code    string
		}{
			{"all wrong", "", []string{"Content-Type: text/plain", chunked}, 401, "unauthenticated"},
			{"bad token, too large", "vbl_nobody", []string{isPNG, length(over)}, 401, "invalid_token"},
			{"wrong type, no length", s.Alice, []string{"Content-Type: text/plain", chunked}, 415, "unsupported_media_type"},
			{"wrong type, too large", s.Alice, []string{"Content-Type: image/svg+xml", length(over)}, 415, "unsupported_media_type"},
			{"no type", s.Alice, []string{length(10)}, 415, "unsupported_media_type"},
			{"compressed", s.Alice, []string{isPNG, "Content-Encoding: gzip", length(10)}, 415, "unsupported_media_type"},
			{"chunked", s.Alice, []string{isPNG, chunked}, 411, "length_required"},
			{"chunked, with a length", s.Alice, []string{isPNG, length(10), chunked}, 411, "length_required"},
			{"no length at all", s.Alice, []string{isPNG}, 411, "length_required"},
			{"one byte too many", s.Alice, []string{isPNG, length(over)}, 413, "avatar_too_large"},
			{"far too large", s.Alice, []string{"Content-Type: image/gif", "Content-Length: 9000000000000000000"}, 413, "avatar_too_large"},
			{"json of more than JSON may have", s.Alice, []string{"Content-Type: application/json", length(2<<20 + 1)}, 413, "body_too_large"},
		} {
			for _, expect := range []string{"", expects} {
				headers := test.headers
				if expect != "" {
					headers = append([]string{expect}, headers...)
				}
				status, header, code := dial(t, s).post(test.token, headers...).read()
				if status != test.status || code != test.code {
					t.Errorf("%s %s: got %d %s, want %d %s", test.name, expect, status, code, test.status, test.code)
				}
				if test.name != "no length at all" && header.Get("Connection") != "close" { // what comes next on it is the body
					t.Errorf("%s %s: the connection stays", test.name, expect)
				}
				if status == 415 && test.name != "compressed" && header.Get("Accept-Post") != "application/json, image/jpeg, image/png, image/gif" {
					t.Errorf("%s: Accept-Post is %q", test.name, header.Get("Accept-Post"))
				}
			}
		}
		if n := count(t, s); n != 0 {
			t.Errorf("%d avatars were made", n)
		}
	})
}

func TestJustAsLargeAsAllowed(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, size := range []int{limit - 1, limit} {
			w := dial(t, s).post(s.Alice, isPNG, length(size), expects)
			if status, _, _ := w.read(); status != http.StatusContinue {
				t.Fatalf("%d bytes: got %d, and was not told to go on", size, status)
			}
			if status, _, code := w.write(padded(t, size)).read(); status != 201 {
				t.Errorf("%d bytes: %d %s", size, status, code)
			}
		}
		s.Want(t, 413, s.Alice, "POST /avatars", padded(t, limit+1), isPNG)
		s.Want(t, 400, s.Alice, "POST /avatars", "", isPNG, "Content-Length: 0")
	})
}

// TestCutOff: a body that ends early leaves nothing behind.
func TestCutOff(t *testing.T) {
	each(t, func(t *testing.T, s *apptest.Server, dir string) {
		data := padded(t, 200_000)
		for _, sent := range []int{0, 1, len(data) / 2, len(data) - 1} {
			w := dial(t, s).post(s.Alice, isPNG, length(len(data))).write(data[:sent])
			if err := w.conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if status, _, code := w.read(); status != 400 || code != "upload_incomplete" {
				t.Errorf("%d bytes of %d: %d %s", sent, len(data), status, code)
			}
		}
		if n := count(t, s); n != 0 {
			t.Errorf("%d avatars were made", n)
		}
		if left := files(t, dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// TestWhatFollowsIsAnotherRequest: bytes beyond the length are not part of the picture.
func TestWhatFollowsIsAnotherRequest(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		data := drawing(t, 1)
		w := dial(t, s).post(s.Alice, isPNG, length(len(data))).write(data + fmt.Sprintf("GET /avatars HTTP/1.1\r\nHost: localhost\r\n%s\r\n", ""))
		if status, _, _ := w.read(); status != 201 {
			t.Errorf("got %d", status)
		}
		if status, _, code := w.read(); status != 401 || code != "unauthenticated" {
			t.Errorf("the next request was answered %d %s, as if it had the token of the first", status, code)
		}
	})
}
