package uploads_test

import (
	"fmt"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/config"
)

// whole makes an upload of alice's that is there.
func whole(t testing.TB, s *apptest.Server, said, mediaType, file string) *sending {
	t.Helper()
	u := begin(t, s, said, "X-Upload-Content-Type: "+mediaType)
	u.put(200, "", file)
	return u
}

func TestContent(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		file := noise(10_000)
		u := whole(t, s, `{"snippet":{"title":"../../etc/Röntgen \"1\".png"}}`, "image/png", file)
		address := "GET " + u.item + "/content"
		a := s.Want(t, 200, s.Alice, address, "")
		for name, want := range map[string]string{"Content-Type": "image/png", "Content-Length": "10000", "Accept-Ranges": "bytes", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "sandbox; default-src 'none'", "Cache-Control": "private, no-cache",
			"Content-Disposition": "attachment; filename*=utf-8''_.._etc_R%C3%B6ntgen%20_1_.png"} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		tag := a.Header.Get("ETag")
		if string(a.Body) != file || tag == "" || strings.HasPrefix(tag, "W/") {
			t.Errorf("ETag %s, %d bytes", tag, len(a.Body))
		}
		s.Want(t, 304, s.Alice, address, "", "If-None-Match: "+tag)
		s.Want(t, 412, s.Alice, address, "", "If-Match: \"other\"")
		if a := s.Want(t, 200, s.Alice, "HEAD "+u.item+"/content", ""); a.Header.Get("Content-Length") != "10000" || len(a.Body) > 0 {
			t.Errorf("HEAD: %v", a.Header)
		}
		for header, want := range map[string]string{"bytes=0-0": file[:1], "bytes=9000-": file[9000:], "bytes=-5": file[9995:], "bytes=5-99999": file[5:]} {
			if a := s.Want(t, 206, s.Alice, address, "", "Range: "+header); string(a.Body) != want {
				t.Errorf("%s: %d bytes", header, len(a.Body))
			}
		}
		if a := s.Want(t, 416, s.Alice, address, "", "Range: bytes=10000-"); a.Header.Get("Content-Range") != "bytes */10000" {
			t.Errorf("%v", a.Header)
		}
		if a := s.Call(t, s.Alice, address, "", "Range: bytes=0-9", "If-Range: "+tag); a.Status != 206 {
			t.Errorf("got %d", a.Status)
		}
		if a := s.Call(t, s.Alice, address, "", "Range: bytes=0-9", `If-Range: "other"`); a.Status != 200 || len(a.Body) != len(file) {
			t.Errorf("got %d", a.Status)
		}
	})
}

// TestPages shows that what strangers send is not a page of this service, whatever they say it is.
func TestPages(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for _, mediaType := range []string{"text/html", "image/svg+xml", "application/xhtml+xml", "text/html; charset=utf-8", "text/javascript"} {
			u := whole(t, s, `{"status":{"privacy":"public"}}`, mediaType, "<script>alert(1)</script>")
			a := s.Want(t, 200, "", "GET "+u.item+"/content", "", "Accept: text/html")
			if !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") || !strings.HasPrefix(a.Header.Get("Content-Security-Policy"), "sandbox;") || a.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %v", mediaType, a.Header)
			}
			if a.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
				t.Errorf("%s", a.Header.Get("Cache-Control"))
			}
		}
		for _, name := range []string{`a\r\nSet-Cookie: x=1`, `\u202egpj.exe`, `  `, `...`, `a/b`, strings.Repeat("ü", 200)} {
			u := whole(t, s, `{"snippet":{"title":"`+name+`"}}`, "text/plain", "x")
			a := s.Want(t, 200, s.Alice, "GET "+u.item+"/content", "")
			if got := a.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment; filename") || strings.ContainsAny(got, "\r\n/\\") || a.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %q", name, got)
			}
		}
	})
}

func TestWhoMay(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		private := whole(t, s, `{"snippet":{"title":"mine"}}`, "text/plain", "x")
		public := whole(t, s, `{"status":{"privacy":"public"}}`, "text/plain", "x")
		unfinished := begin(t, s, `{"status":{"privacy":"public"}}`)
		for _, c := range []struct {
			token, call string
			status      int
		}{
			{s.Alice, "GET " + private.item, 200}, {s.Admin, "GET " + private.item, 200}, {s.Bob, "GET " + private.item, 404}, {"", "GET " + private.item, 401},
			{s.Alice, "GET " + public.item, 200}, {s.Bob, "GET " + public.item, 200}, {"", "GET " + public.item, 401},
			{s.Alice, "GET " + private.item + "/content", 200}, {s.Admin, "GET " + private.item + "/content", 200}, {s.Bob, "GET " + private.item + "/content", 404},
			{"", "GET " + private.item + "/content", 401}, {"wrong", "GET " + public.item + "/content", 401},
			{s.Bob, "GET " + public.item + "/content", 200}, {"", "GET " + public.item + "/content", 200},
			{"", "GET /uploads/01890000-0000-7000-8000-000000000000/content", 401}, {s.Bob, "GET /uploads/01890000-0000-7000-8000-000000000000/content", 404},
			{s.Alice, "GET " + unfinished.item + "/content", 404}, {"", "GET " + unfinished.item + "/content", 404},
			{s.Bob, "PATCH " + private.item, 404}, {s.Bob, "PATCH " + public.item, 403}, {"", "PATCH " + public.item, 401},
			{s.Bob, "DELETE " + private.item, 404}, {s.Bob, "DELETE " + public.item, 403}, {"", "DELETE " + public.item, 401},
			{"", "POST /uploads?uploadType=resumable", 401}, {"", "POST /uploads?uploadType=media", 401}, {"", "GET /uploads", 401},
			{s.Alice, "PUT " + private.item + "/content", 401}, {s.Alice, "PUT " + private.item + "/content?upload_id=guessed", 404},
			{s.Alice, "DELETE " + unfinished.item + "/content?upload_id=guessed", 404}, {s.Alice, "DELETE " + unfinished.item + "/content", 401},
			{s.Alice, "PUT /uploads/01890000-0000-7000-8000-000000000000/content?upload_id=guessed", 404}, {s.Alice, "PUT /uploads/x/content?upload_id=guessed", 404},
			{s.Alice, "PUT " + private.item, 405}, {s.Alice, "PUT /uploads", 405},
		} {
			body := ""
			if strings.HasPrefix(c.call, "PATCH") {
				body = `{"snippet":{"title":"taken"}}`
			}
			if a := s.Call(t, c.token, c.call, body); a.Status != c.status {
				t.Errorf("%s: %d, want %d\n%s", c.call, a.Status, c.status, a.Body)
			}
		}
		for token, want := range map[string]int{s.Alice: 3, s.Bob: 0, s.Admin: 3} {
			if got, _ := s.Want(t, 200, token, "GET /uploads", "").Get("uploads").([]any); len(got) != want {
				t.Errorf("%d uploads in the list, want %d", len(got), want)
			}
		}
		s.Want(t, 200, s.Alice, "PATCH "+public.item, `{"status":{"privacy":"private"}}`)
		s.Want(t, 401, "", "GET "+public.item+"/content", "")
		s.Want(t, 404, s.Bob, "GET "+public.item+"/content", "")
	})
}

func TestParts(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for part, members := range map[string]string{"part=snippet": "snippet", "part=status,content": "content status", "part=snippet&part=status": "snippet status", "x=1": "content snippet status", "": "content snippet status"} {
			a := s.Want(t, 200, s.Alice, "POST /uploads?uploadType=media&"+part, "x", "Content-Type: text/plain")
			for _, a := range []apptest.Answer{a, s.Want(t, 200, s.Alice, "GET /uploads/"+a.Text("id")+"?"+part, ""), s.Want(t, 200, s.Alice, "PATCH /uploads/"+a.Text("id")+"?"+part, `{}`)} {
				var got []string
				for _, name := range []string{"content", "snippet", "status"} {
					if a.Get(name) != nil {
						got = append(got, name)
					}
				}
				if strings.Join(got, " ") != members {
					t.Errorf("%s: %s", part, a.Body)
				}
			}
			list := s.Want(t, 200, s.Alice, "GET /uploads?limit=1&"+part, "")
			if (list.Get("uploads.0.snippet") != nil) != strings.Contains(members, "snippet") {
				t.Errorf("%s: %s", part, list.Body)
			}
		}
		item := "/uploads/" + s.Want(t, 200, s.Alice, "POST /uploads?uploadType=media", "x").Text("id")
		for _, c := range []struct{ call, body, code, pointer string }{
			{"POST /uploads?uploadType=resumable&part=snippet", `{"status":{"privacy":"public"}}`, "part_not_named", "/status"},
			{"POST /uploads?uploadType=resumable&part=status", `{"snippet":{"title":"x"},"status":{}}`, "part_not_named", "/snippet"},
			{"PATCH " + item + "?part=status", `{"snippet":{"title":"x"}}`, "part_not_named", "/snippet"},
			{"POST /uploads?uploadType=resumable", `{"content":{"size":3}}`, "read_only", "/content"},
			{"POST /uploads?uploadType=resumable", `{"snippet":{"title":5}}`, "wrong_type", "/snippet/title"},
			{"POST /uploads?uploadType=resumable", `{"snippet":{"name":"x"}}`, "unknown_field", "/snippet/name"},
			{"POST /uploads?uploadType=resumable", `{"status":{"privacy":"unlisted"}}`, "not_allowed_value", "/status/privacy"},
			{"POST /uploads?uploadType=resumable", `{"title":"x"}`, "unknown_field", "/title"},
		} {
			a := s.Want(t, 400, s.Alice, c.call, c.body)
			if a.Text("errors.0.code") != c.code || a.Text("errors.0.pointer") != c.pointer {
				t.Errorf("%s %s: %s", c.call, c.body, a.Body)
			}
		}
		for _, query := range []string{"", "?uploadType=", "?uploadType=Resumable", "?uploadType=resumable&part=everything"} {
			if a := s.Want(t, 400, s.Alice, "POST /uploads"+query, "{}"); a.Text("code") != "invalid_parameter" {
				t.Errorf("%s: %s", query, a.Body)
			}
		}
		s.Want(t, 415, s.Alice, "POST /uploads?uploadType=resumable", "title", "Content-Type: text/plain")
		s.Want(t, 400, s.Alice, "POST /uploads?uploadType=resumable", "{")
		if n := s.Count(t, `SELECT COUNT(*) FROM upload_sessions`); n != 0 {
			t.Errorf("%d sessions", n)
		}
	})
}

// related is a body with what is said of a file, and the file.
func related(said, mediaType, file string) string {
	return fmt.Sprintf("--frontier\r\nContent-Type: application/json\r\n\r\n%s\n\r\n--frontier\r\nContent-Type: %s\r\n\r\n%s\r\n--frontier--", said, mediaType, file)
}

const relatedType = `Content-Type: multipart/related; boundary="frontier"`

func TestAtOnce(t *testing.T) {
	places(t, func(t *testing.T, s *apptest.Server) {
		for _, size := range []int{0, 1, 300_000} {
			file := noise(size)
			for _, a := range []apptest.Answer{
				s.Want(t, 200, s.Alice, "POST /uploads?uploadType=multipart&alt=json&prettyPrint=false&part=snippet&part=content", related(`{"snippet":{"title":"Both"}}`, "image/png", file), relatedType),
				s.Want(t, 200, s.Alice, "POST /uploads?uploadType=multipart", related(``, "image/png", file), relatedType),
				s.Want(t, 200, s.Alice, "POST /uploads?uploadType=media&name=x", file, "Content-Type: image/png"),
			} {
				item := "/uploads/" + a.Text("id")
				if a.Header.Get("Location") != s.URL+item || a.Text("content.type") != "image/png" || a.Text("content.checksum.crc32c") != crc(file) {
					t.Errorf("%v %s", a.Header, a.Body)
				}
				if got := s.Want(t, 200, s.Alice, "GET "+item+"/content", ""); string(got.Body) != file {
					t.Errorf("%d bytes came back for %d", len(got.Body), size)
				}
			}
		}
		s.Work(t)
		if n := s.Count(t, `SELECT COUNT(*) FROM uploads WHERE content LIKE '%"sha256":"%'`); n != 9 {
			t.Errorf("%d have a SHA-256", n)
		}
		before := s.Count(t, `SELECT COUNT(*) FROM uploads`)
		good := related(`{}`, "image/png", "xyz")
		for name, body := range map[string]string{
			"no parts": "nothing", "one part": "--frontier\r\n\r\n{}\r\n--frontier--", "no end": strings.TrimSuffix(good, "--frontier--"), "cut in the file": good[:len(good)-16],
			"three parts": strings.Replace(good, "--frontier--", "--frontier\r\n\r\nmore\r\n--frontier--", 1), "base64": strings.Replace(good, "image/png\r\n", "image/png\r\nContent-Transfer-Encoding: base64\r\n", 1),
			"not JSON": related("{", "image/png", "x"), "not JSON by its type": strings.Replace(good, "application/json", "text/plain", 1),
			"unknown": related(`{"title":"x"}`, "image/png", "x"), "strange type": related(`{}`, "png", "x"), "empty": "",
		} {
			if a := s.Call(t, s.Alice, "POST /uploads?uploadType=multipart", body, relatedType); a.Status != 400 {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
		}
		s.Want(t, 415, s.Alice, "POST /uploads?uploadType=multipart", good, "Content-Type: multipart/mixed; boundary=frontier")
		s.Want(t, 415, s.Alice, "POST /uploads?uploadType=multipart", good, "Content-Type: multipart/related")
		if after := s.Count(t, `SELECT COUNT(*) FROM uploads`); after != before {
			t.Errorf("%d uploads came of nothing", after-before)
		}
	})
}

// TestAgain shows that a request with a key makes one upload, whatever way the file comes.
func TestAgain(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		for i, call := range []struct{ query, body, mediaType, other string }{
			{"uploadType=resumable", `{"snippet":{"title":"Key"}}`, "application/json", `{"snippet":{"title":"Other"}}`},
			{"uploadType=media", "0123", "text/plain", "0124"},
			{"uploadType=multipart", related("{}", "text/plain", "0123"), `multipart/related; boundary=frontier`, related("{}", "text/plain", "0124")},
		} {
			send := func(body string) apptest.Answer {
				return s.Call(t, s.Alice, "POST /uploads?"+call.query, body, "Content-Type: "+call.mediaType, fmt.Sprint("Idempotency-Key: key-", i))
			}
			first, again := send(call.body), send(call.body)
			if first.Status != 200 || again.Status != 200 || first.Header.Get("Location") != again.Header.Get("Location") || string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s: %v %s\n%v %s", call.query, first.Header, first.Body, again.Header, again.Body)
			}
			if a := send(call.other); a.Status != 422 {
				t.Errorf("%s: %d %s", call.query, a.Status, a.Body)
			}
		}
		// Clients make up a boundary for each try: it says nothing of the file. The type of the file does.
		for status, body := range map[int]string{200: related("{}", "text/plain", "0123"), 422: related("{}", "image/png", "0123")} {
			s.Want(t, status, s.Alice, "POST /uploads?uploadType=multipart", strings.ReplaceAll(body, "frontier", "other"), "Content-Type: multipart/related; boundary=other", "Idempotency-Key: key-2")
		}
		if n := s.Count(t, `SELECT COUNT(*) FROM uploads`); n != 3 {
			t.Errorf("%d uploads", n)
		}
		if n := len(files(t, s.Data)); n != 2 { // nothing was sent to the first
			t.Errorf("%d files", n)
		}
	})
}

// TestOtherOrigins shows that a page of another origin can send a file, and read how far it is.
func TestOtherOrigins(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		u := begin(t, s, "")
		const origin = "Origin: https://page.example"
		asked := s.Want(t, 204, "", "OPTIONS "+u.address, "", origin, "Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: content-range,x-guploader-no-308")
		for name, want := range map[string]string{"Access-Control-Allow-Origin": "https://page.example", "Access-Control-Allow-Methods": "PUT", "Access-Control-Allow-Headers": "content-range"} {
			if got := asked.Header.Get(name); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
				t.Errorf("%s: %s", name, got)
			}
		}
		sent := u.put(308, "bytes 0-3/*", "0123", origin)
		if got := strings.ToLower(sent.Header.Get("Access-Control-Expose-Headers")); sent.Header.Get("Access-Control-Allow-Origin") != "https://page.example" || !strings.Contains(got, "range") || !strings.Contains(got, "x-http-status-code-override") {
			t.Errorf("%v", sent.Header)
		}
		if a := u.put(308, "bytes */*", "", "Origin: https://elsewhere.example"); a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v", a.Header)
		}
	}, func(c *config.Settings) { c.CORSOrigins = "https://page.example" })
}
