package avatars_test

import (
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/blob/blobtest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

// TestServing: pictures are served as pictures and nothing else, from disk and from S3 alike.
func TestServing(t *testing.T) {
	for name, adjust := range map[string]func(t *testing.T) func(*config.Settings){
		"disk": func(*testing.T) func(*config.Settings) { return func(*config.Settings) {} },
		"s3":   func(t *testing.T) func(*config.Settings) { return onS3(blobtest.Start(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			serving(t, apptest.Start(t, dbtest.SQLite(t), adjust(t)))
		})
	}
}

func serving(t *testing.T, s *apptest.Server) {
	data := drawing(t, 1)
	_, url := add(t, s, s.Alice, data)
	whole := s.Want(t, 200, "", "GET "+url, "")
	tag := whole.Header.Get("ETag")
	if string(whole.Body) != data {
		t.Fatalf("%d bytes came back, not %d", len(whole.Body), len(data))
	}
	for header, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'", "Accept-Ranges": "bytes",
		"Cache-Control": "public, max-age=31536000, immutable", "Content-Disposition": "inline",
	} {
		if got := whole.Header.Get(header); got != want {
			t.Errorf("%s is %q, want %q", header, got, want)
		}
	}
	size := len(data)
	for _, test := range []struct {
		call    string
		headers []string
		status  int
		body    string
	}{
		{"GET", []string{"Range: bytes=0-7"}, 206, data[:8]},
		{"GET", []string{"Range: bytes=-4"}, 206, data[size-4:]},
		{"GET", []string{"Range: bytes=10-"}, 206, data[10:]},
		{"GET", []string{"Range: bytes=0-7", "If-Range: " + tag}, 206, data[:8]},
		{"GET", []string{"Range: bytes=0-7", `If-Range: "other"`}, 200, data},
		{"GET", []string{"Range: lines=1-2"}, 416, ""},
		{"GET", []string{"Range: bytes=100000-"}, 416, ""},
		{"GET", []string{"If-None-Match: " + tag}, 304, ""},
		{"GET", []string{`If-None-Match: "a", W/` + tag}, 304, ""},
		{"GET", []string{`If-None-Match: "a"`}, 200, data},
		{"GET", []string{"If-Match: " + tag}, 200, data},
		{"GET", []string{`If-Match: "a"`}, 412, ""},
		{"GET", []string{"Accept: image/png"}, 200, data},
		{"GET", []string{"Accept: image/*"}, 200, data},
		{"GET", []string{"Accept: application/json"}, 406, ""},
		{"GET", []string{"Authorization: Bearer nonsense"}, 200, data},
		{"HEAD", nil, 200, ""},
		{"OPTIONS", nil, 200, ""},
		{"POST", nil, 405, ""},
		{"DELETE", nil, 405, ""},
	} {
		answer := s.Want(t, test.status, "", test.call+" "+url, "", test.headers...)
		if test.status < 300 && test.call == "GET" && string(answer.Body) != test.body {
			t.Errorf("%s %v: %q", test.call, test.headers, answer.Body)
		}
		if test.status >= 400 && answer.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %v: a problem of type %q", test.call, test.headers, answer.Header.Get("Content-Type"))
		}
	}
	if got := s.Want(t, 200, "", "HEAD "+url, "").Header.Get("Content-Length"); got != whole.Header.Get("Content-Length") {
		t.Errorf("HEAD says %s bytes", got)
	}
	name := url[strings.LastIndex(url, "/")+1:]
	for _, strange := range []string{"x", name[:len(name)-4], name[:len(name)-4] + ".gif", strings.ToUpper(name), name + "%00", "..%2f" + name, "..%2f..%2fverbless.db", "%2e%2e", name + ".png", strings.Repeat("a", 3000), "incoming"} {
		s.Want(t, 404, "", "GET /media/"+strange, "")
	}
	s.Want(t, 400, "", "GET "+url+"?size=small", "")
}
