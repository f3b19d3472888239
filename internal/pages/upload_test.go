package pages_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"verbless/internal/config"
)

// TestExplorerUploads: what a file is about first, then a click on the address that was answered, then the file.
func TestExplorerUploads(t *testing.T) {
	t.Parallel()
	upload(t, browse(t))
}

// TestExplorerUploadsElsewhere: the same where files go to a service of their own, which is never shown the token.
func TestExplorerUploadsElsewhere(t *testing.T) {
	t.Parallel()
	var address string
	asked := make(chan string, 100)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + r.Header.Get("Authorization")
		httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address}).ServeHTTP(w, r)
	}))
	t.Cleanup(other.Close)
	b := browse(t, func(s *config.Settings) { s.UploadURL = other.URL })
	b.elsewhere = other.URL
	address = b.Beside(t, func(s *config.Settings) { s.Data, s.Only, s.BaseURL, s.CORSOrigins = b.Data, "uploads", b.URL, b.URL }).Addr
	upload(t, b)
	close(asked)
	puts := 0
	for call := range asked {
		switch call {
		case "PUT":
			puts++
		case "OPTIONS":
		default:
			t.Errorf("the other service was asked for %s", call)
		}
	}
	if puts != 1 {
		t.Errorf("%d times a file was sent there", puts)
	}
}

func upload(t *testing.T, b *browser) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "greeting.txt")
	if err := os.WriteFile(file, []byte("Hello, file"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.explorer()
	b.do(chromedp.SendKeys(chromedp.CSS("#token"), b.Alice))
	b.open("createUpload")
	b.write(`[name="uploadType"]`, "resumable")
	b.write(".body textarea", `{"snippet":{"title":"Greeting"}}`)
	if got := b.send(); got != "200 OK" {
		t.Fatal(got, b.text(".answer"))
	}
	b.do(chromedp.Click(chromedp.CSS(`.answer dd a[href="#sendUploadContent"]`))) // Location
	b.until("document.querySelector('.heading .method').textContent === 'PUT'")
	b.do(chromedp.SetUploadFiles(chromedp.CSS(".body input[type=file]"), []string{file}))
	if got := b.send(); got != "200 OK" {
		t.Fatal(got, b.text(".answer"))
	}
	id := eval[string](b, `document.querySelector('[name="upload"]').value`)
	if got := string(b.Want(t, 200, b.Alice, "GET /uploads/"+id+"/content", "", "Accept: */*").Body); got != "Hello, file" {
		t.Errorf("kept: %q", got)
	}
	b.quiet()
}
