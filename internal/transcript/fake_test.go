package transcript

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const alice = "vbl_alices-own-token"

// fake is a service whose every id, tag, cursor and token is another one each time it starts.
type fake struct {
	base          string
	first, second string // ids
	cursor, start string
	token         string
	tag           string
	text          string
}

func newFake(base string) *fake {
	return &fake{
		base: base, first: newID(), second: newID(), text: "Hello",
		cursor: random() + "%3D", start: random(), token: "vbl_" + random(), tag: random()[:6] + ".9f",
	}
}

func random() string {
	var raw [12]byte
	rand.Read(raw[:])
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

func newID() string {
	var raw [16]byte
	rand.Read(raw[:])
	h := hex.EncodeToString(raw[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Request-Id", "req-"+random())
	body, _ := io.ReadAll(r.Body)
	switch call := r.Method + " " + r.URL.Path; {
	case call == "POST /notes" && r.Header.Get("Authorization") == "Bearer "+alice:
		f.created(w)
	case call == "GET /notes/"+f.first && r.Header.Get("If-None-Match") == `"`+f.tag+`"`:
		f.send(w, 304, "", "", "ETag", `"`+f.tag+`"`, "Cache-Control", "private, no-cache")
	case call == "PUT /notes/"+f.first && strings.Contains(string(body), f.first):
		f.send(w, 200, "application/vnd.notes+json", fmt.Sprintf(`{"id":%q,"after":%q,"text":"Bye, <b>all</b>"}`, f.first, f.second), "ETag", `W/"`+random()+`"`)
	case call == "GET /notes" && r.URL.Query().Has("cursor"):
		f.send(w, 200, "text/plain", "the page at "+strings.TrimPrefix(r.URL.RawQuery, "limit=1&")+"  \r\n\n")
	case call == "GET /notes":
		next := f.base + "/notes?limit=1&cursor=" + f.cursor
		f.send(w, 200, "application/json", fmt.Sprintf(`{"next":%q,"first":%q}`, next, f.base+"/notes?cursor="+f.start+"&limit=1"), "Link", "<"+next+`>; rel="next"`)
	case call == "POST /tokens":
		f.send(w, 201, "application/json", fmt.Sprintf(`{"token":%q,"again":%q,"yours":%q}`, f.token, f.token, alice))
	case call == "GET /whoami" && r.Header.Get("Authorization") == "Bearer "+f.token:
		id := w.Header().Get("X-Request-Id")
		f.send(w, 401, "application/problem+json", fmt.Sprintf(`{"code":"invalid_token","request_id":%q,"message":"Ask about %s."}`, id, id), "WWW-Authenticate", "Bearer")
	case call == "HEAD /echo":
		f.send(w, 200, "text/plain", "")
	case call == "POST /echo":
		f.send(w, 200, "text/plain", string(body)+"\n###", "X-Length", fmt.Sprint(r.ContentLength), "Last-Modified", time.Now().Format(http.TimeFormat))
	case call == "PUT /echo":
		f.send(w, 200, r.Header.Get("Content-Type"), string(body), "Last-Modified", time.Now().Format(http.TimeFormat))
	default:
		http.NotFound(w, r)
	}
}

func (f *fake) created(w http.ResponseWriter) {
	self := f.base + "/notes/" + f.first
	w.Header().Add("Vary", "Authorization")
	w.Header().Add("Vary", "Accept")
	f.send(w, 201, "application/json", fmt.Sprintf(
		`{"id":%q,"text":%q,"seen":null,"tags":[],"created_at":%q,"links":{"self":%q,"author":%q}}`,
		f.first, f.text, time.Now().UTC().Format("2006-01-02 15:04:05Z"), self, f.base+"/users/alice"),
		"Location", self, "ETag", `"`+f.tag+`"`, "Cache-Control", "private, no-cache")
}

func (f *fake) send(w http.ResponseWriter, status int, kind, body string, headers ...string) {
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	for i := 0; i < len(headers); i += 2 {
		w.Header().Set(headers[i], headers[i+1])
	}
	w.WriteHeader(status)
	io.WriteString(w, body)
}
