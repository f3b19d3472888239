package app_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"verbless/internal/apptest"
)

// coding reads everything in every content coding. Refusing identity makes short answers coded too.
func (s swept) coding(t *testing.T) {
	for _, path := range []string{s.item, s.list} {
		if path == "" || s.methods(path)["get"] == nil {
			continue
		}
		as := s.Want(t, 200, s.owner, "GET "+path, "")
		if as.Header.Get("Cache-Control") == "no-store" {
			never := s.Want(t, 200, s.owner, "GET "+path, "", "Accept-Encoding: gzip, zstd, identity;q=0")
			expect(t, "coding of what may hold a secret", never.Header.Get("Content-Encoding"), "")
			continue
		}
		for _, coding := range []string{"gzip", "zstd"} {
			s.coded(t, path, coding, as)
		}
		s.Want(t, 406, s.owner, "GET "+path, "", "Accept-Encoding: br, identity;q=0")
	}
	if s.patch != "" {
		tag := s.Want(t, 200, s.owner, "GET "+s.item, "", "Accept-Encoding: zstd, identity;q=0").Header.Get("ETag")
		s.Want(t, 412, s.owner, "PATCH "+s.item, s.patch, "If-Match: "+`"stale`+tag[1:])
		s.Want(t, 200, s.owner, "PATCH "+s.item, s.patch, "If-Match: "+tag, "Accept-Encoding: gzip")
	}
}

func (s swept) coded(t *testing.T, path, coding string, as apptest.Answer) {
	only := "Accept-Encoding: " + coding + ", identity;q=0"
	got := s.Want(t, 200, s.owner, "GET "+path, "", only)
	plain := as.Header.Get("ETag")
	tag := strings.TrimSuffix(plain, `"`) + "." + coding + `"`
	expect(t, "Content-Encoding", got.Header.Get("Content-Encoding"), coding)
	expect(t, "ETag", got.Header.Get("ETag"), tag)
	expect(t, "body", string(got.Body), string(as.Body))
	expect(t, "Content-Length", got.Header.Get("Content-Length"), fmt.Sprint(got.Sent))
	for _, name := range []string{"Vary", "Content-Type", "Cache-Control", "Link"} {
		expect(t, name, got.Header.Get(name), as.Header.Get(name))
	}
	head := s.Want(t, 200, s.owner, "HEAD "+path, "", only)
	for _, name := range []string{"Content-Encoding", "Content-Length", "ETag", "Vary"} {
		expect(t, "HEAD "+name, head.Header.Get(name), got.Header.Get(name))
	}
	for _, accept := range []string{coding, "", "*"} { // who still takes the coding has a good copy
		headers := []string{"If-None-Match: " + tag}
		if accept != "" {
			headers = append(headers, "Accept-Encoding: "+accept)
		}
		same := s.Want(t, 304, s.owner, "GET "+path, "", headers...)
		expect(t, "304 ETag", same.Header.Get("ETag"), tag)
		expect(t, "304 Vary", same.Header.Get("Vary"), as.Header.Get("Vary"))
		expect(t, "304 Content-Encoding", same.Header.Get("Content-Encoding"), "")
	}
	expect(t, "304 ETag of the plain one", s.Want(t, 304, s.owner, "GET "+path, "", "If-None-Match: "+plain, "Accept-Encoding: "+coding).Header.Get("ETag"), plain)
	s.Want(t, 200, s.owner, "GET "+path, "", "If-None-Match: "+tag, "Accept-Encoding: identity")
	s.Want(t, 200, s.owner, "GET "+path, "", "If-None-Match: "+plain, only)
}

// TestWhatIsNotCoded: secrets, problems, images, and what is short anyway.
func TestWhatIsNotCoded(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		const all = "Accept-Encoding: gzip, deflate, br, zstd"
		plain := func(what string, a apptest.Answer) {
			t.Helper()
			expect(t, what, a.Header.Get("Content-Encoding"), "")
		}
		plain("a new token", s.Want(t, 201, s.Alice, "POST /users/me/tokens", `{"name":"`+strings.Repeat("n", 100)+`"}`, "Accept-Encoding: gzip, identity;q=0"))
		plain("a problem", s.Want(t, 400, s.Alice, "POST /articles", `{"`+strings.Repeat("x", 3000)+`":1}`, all))
		made := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Short"}`, all)
		plain("a short answer", made)
		long := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Long","body":"`+strings.Repeat("words ", 1000)+`"}`, all)
		expect(t, "a long answer", long.Header.Get("Content-Encoding"), "zstd")
		if !strings.HasSuffix(long.Header.Get("ETag"), `.zstd"`) || long.Sent > 1000 {
			t.Errorf("%d bytes with ETag %s", long.Sent, long.Header.Get("ETag"))
		}
		at := long.Header.Get("Location")
		plain("without the header", s.Want(t, 200, s.Alice, "GET "+at, ""))
		expect(t, "gzip alone", s.Want(t, 200, s.Alice, "GET "+at, "", "Accept-Encoding: gzip").Header.Get("Content-Encoding"), "gzip")
		s.Want(t, 304, s.Alice, "GET "+at, "", "If-None-Match: "+long.Header.Get("ETag"), all)
		s.Want(t, 200, s.Alice, "PATCH "+at, `{"title":"Longer"}`, "If-Match: "+long.Header.Get("ETag"), all)
		s.Want(t, 412, s.Alice, "PATCH "+at, `{"title":"Longest"}`, "If-Match: "+long.Header.Get("ETag"), all)
		for _, path := range []string{"/openapi.json", "/problems", "/schemas/article.json"} {
			static := s.Want(t, 200, "", "GET "+path, "", all)
			expect(t, path, static.Header.Get("Content-Encoding"), "zstd")
			s.Want(t, 304, "", "GET "+path, "", all, "If-None-Match: "+static.Header.Get("ETag"))
		}
		var picture bytes.Buffer
		if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 200, 200))); err != nil {
			t.Fatal(err)
		}
		shown := s.Want(t, 201, s.Alice, "POST /avatars", picture.String(), "Content-Type: image/png").Text("avatars.image_url")
		plain("an image", s.Want(t, 200, "", "GET "+shown, "", all))
		plain("a part of an image", s.Want(t, 206, "", "GET "+shown, "", all, "Range: bytes=0-9"))
		again := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Kept","body":"`+strings.Repeat("words ", 1000)+`"}`, "Idempotency-Key: kept", "Accept-Encoding: gzip")
		replayed := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Kept","body":"`+strings.Repeat("words ", 1000)+`"}`, "Idempotency-Key: kept")
		plain("the answer kept, to who takes no coding", replayed)
		expect(t, "the answer kept", string(replayed.Body), string(again.Body))
	})
}
