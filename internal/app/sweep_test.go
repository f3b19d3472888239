package app_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"verbless/internal/apptest"
	"verbless/internal/config"
	"verbless/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// fixture is one row of a resource, and what the sweep needs to know about it. Every path that the service describes
// must have one, so a new resource is swept or the sweep fails.
type fixture struct {
	list, item string
	owner      string // token
	body       string // for POST; empty: the resource cannot be made this way
	patch      string // a change that is allowed; empty: it cannot be changed
	document   bool   // shown as data with type, id and attributes
	stranger   map[string]int
	release    func(t *testing.T) // makes the row removable
	batch      bool               // POST takes an array, and more bytes
	inside     string             // the member that holds one; empty: it stands bare
	member     string             // that is shown; created_at when left out
	id         string             // the member that identifies it; id when left out
	full       string             // the parameter that shows every member
	version    int                // 1 when left out
	query      string             // what POST needs, with its question mark
	loose      bool               // unknown parameters are ignored
}

// fixtures makes one row of every resource.
func fixtures(t *testing.T, s *apptest.Server) []fixture {
	article := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Swept"}`).Text("id")
	thrown := s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Thrown"}`).Text("id")
	s.Want(t, 204, s.Alice, "DELETE /articles/"+thrown, "")
	revised := "/articles/" + s.Want(t, 201, s.Alice, "POST /articles", `{"title":"Revised"}`).Text("id") + "/revisions"
	s.Want(t, 201, s.Alice, "POST "+revised, `{"title":"Revised again","is_current":true}`)
	token := s.Want(t, 201, s.Alice, "POST /users/alice/tokens", `{"name":"swept"}`).Text("id")
	s.Want(t, 201, s.Admin, "POST /users", `{"username":"carol"}`)
	invoice := "/invoices/" + s.Want(t, 201, s.Alice, "POST /invoices", fmt.Sprintf(draft, "swept")).Text("data.id")
	paid := "/invoices/" + s.Want(t, 201, s.Alice, "POST /invoices", fmt.Sprintf(draft, "paid")).Text("data.id")
	s.Want(t, 200, s.Alice, "PATCH "+paid, `{"data":{"attributes":{"status":"published"}}}`)
	attempt := s.Want(t, 201, s.Alice, "POST "+paid+"/payment_attempts", `{"invoice_number":"INV-000001","amount":12.5,"payment_token":"tok_ok"}`).Text("data.id")
	move := s.Want(t, 200, s.Alice, "GET "+paid+"/transitions", "").Text("data.0.id")
	notice := s.Want(t, 200, s.Alice, "GET "+paid+"/notices", "").Text("data.0.id")
	if err := apptest.Exec(s, `UPDATE notices SET status = 'dead'`); err != nil {
		t.Fatal(err)
	}
	received := s.Want(t, 201, s.Admin, "POST /users/alice/messages", `{"message":"Swept"}`).Text("id")
	s.Want(t, 201, s.Admin, "POST /users", `{"username":"dave"}`)
	sent := s.Want(t, 201, s.Alice, "POST /users/dave/messages", `{"message":"Swept"}`).Text("id")
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		png.Encode(w, image.NewGray(image.Rect(0, 0, len(r.URL.Path), 1)))
	}))
	t.Cleanup(pictures.Close)
	avatar := s.Want(t, 201, s.Alice, "POST /avatars", `{"image_url":"`+pictures.URL+`/a"}`).Text("avatars.id")
	company := s.Want(t, 201, s.Admin, "POST /companies", `{"company":{"name":"Swept"}}`).Text("company.uuid")
	twin := s.Want(t, 201, s.Admin, "POST /companies", `{"company":{"name":"Swept"}}`).Text("company.uuid")
	upload := s.Want(t, 200, s.Alice, "POST /uploads?uploadType=media", "Swept").Text("id")
	open := map[string]int{"GET": 200, "PUT": 403, "PATCH": 403, "DELETE": 403}
	hidden := map[string]int{"GET": 404, "PUT": 404, "PATCH": 404, "DELETE": 404}
	return []fixture{
		{list: "/users", item: "/users/carol", owner: s.Admin, body: `{"username":"%s"}`, patch: `{"name":"Swept"}`, stranger: open},
		{list: "/users/alice/tokens", item: "/users/alice/tokens/" + token, owner: s.Alice, body: `{"name":"%s"}`, stranger: hidden},
		{list: "/articles", item: "/articles/" + article, owner: s.Alice, body: `{"title":"%s"}`, patch: `{"title":"Swept again"}`, stranger: open},
		{list: "/avatars", item: "/avatars/" + avatar, owner: s.Alice, body: `{"image_url":"` + pictures.URL + `/%s"}`, stranger: open, inside: "avatars", member: "image_url"},
		{list: "/uploads", item: "/uploads/" + upload, owner: s.Alice, patch: `{"snippet":{"title":"Swept"}}`, stranger: hidden, query: "?uploadType=resumable", loose: true},
		{list: "/articles/trashed", item: "/articles/trashed/" + thrown, owner: s.Alice, stranger: hidden},
		{list: revised, item: revised + "/1", owner: s.Alice, body: `{"title":"%s"}`, patch: `{"is_current":true}`, stranger: open,
			release: func(t *testing.T) { s.Want(t, 200, s.Alice, "PATCH "+revised+"/2", `{"is_current":true}`) }},
		{list: "/invoices", item: invoice, owner: s.Alice, body: draft, patch: `{"data":{"attributes":{"amount":13}}}`, document: true, stranger: hidden},
		{list: paid + "/payment_attempts", item: paid + "/payment_attempts/" + attempt, owner: s.Alice, document: true, stranger: hidden},
		{list: paid + "/transitions", item: paid + "/transitions/" + move, owner: s.Alice, document: true, stranger: hidden},
		{list: paid + "/notices", item: paid + "/notices/" + notice, owner: s.Alice, patch: `{"data":{"attributes":{"status":"queued"}}}`, document: true, stranger: hidden},
		{item: paid + "/status", owner: s.Alice, document: true, stranger: hidden},
		{list: "/users/alice/messages", item: "/users/alice/messages/" + received, owner: s.Alice, body: `{"message":"%s"}`, patch: `{"is_read":true}`, stranger: hidden},
		{list: "/messages", item: "/users/dave/messages/" + sent, owner: s.Alice, body: `[{"user":{"username":"dave"},"message":"%s"}]`, batch: true,
			patch: `{"message":"Swept again"}`, stranger: hidden},
		{list: "/api/v3/companies", item: "/api/v3/companies/" + company, owner: s.Admin, body: `{"company":{"name":"%s"}}`, patch: `{"company":{"name":"Swept again"}}`,
			stranger: open, inside: "company", id: "uuid", full: "partials=full", version: 3},
		{list: "/companies", item: "/companies/" + twin, owner: s.Admin, body: `{"company":{"name":"%s"}}`, patch: `{"company":{"name":"Swept again"}}`,
			stranger: open, inside: "company", id: "uuid", full: "partials=full", version: 3},
	}
}

// draft is a new invoice.
const draft = `{"data":{"attributes":{"amount":12.5,"currency":"EUR","description":"%s"}}}`

// described are the paths that belong to no resource.
var described = []string{"/", "/docs", "/docs/{file}", "/openapi.json", "/schemas/{schema}", "/problems", "/problems/{problem}", "/healthz", "/readyz", "/media/{name}", "/uploads/{upload}/content", "/metrics"}

func TestSweep(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) {
		covered := map[string]bool{}
		for _, path := range described {
			covered[path] = true
		}
		for _, f := range fixtures(t, s) {
			covered[s.Routes.Pattern(f.list)], covered[s.Routes.Pattern(f.item)] = true, true
			sweep := swept{s, f}
			t.Run(strings.ReplaceAll(f.item[1:], "/", "."), func(t *testing.T) {
				t.Run("refusing", sweep.refusing)
				if f.list == "" { // one that is alone
					t.Run("alone", sweep.alone)
					t.Run("coding", sweep.coding)
					t.Run("strangers", sweep.strangers)
					return
				}
				t.Run("reading", sweep.reading)
				t.Run("listing", sweep.listing)
				t.Run("sparse", sweep.sparse)
				t.Run("strangers", sweep.strangers)
				t.Run("creating", sweep.creating)
				t.Run("changing", sweep.changing)
				t.Run("coding", sweep.coding)
				t.Run("removing", sweep.removing)
			})
		}
		for pattern := range s.Routes.Paths {
			if !covered[pattern] {
				t.Errorf("%s is served but not swept: give it a fixture", pattern)
			}
		}
	}, func(s *config.Settings) { s.FetchAllow = "127.0.0.1/32" })
}

type swept struct {
	*apptest.Server
	fixture
}

func (s swept) methods(path string) map[string]any { return s.Routes.Paths[s.Routes.Pattern(path)] }

// members wraps members of the resource in its shape.
func (s swept) members(text string) string {
	if s.document {
		return `{"data":{"attributes":` + text + `}}`
	}
	if s.inside != "" {
		return `{"` + s.inside + `":` + text + `}`
	}
	return text
}

// operation is a JSON Patch, whose %s is where the members are.
func (s swept) operation(text string) string {
	at := ""
	switch {
	case s.document:
		at = "/data/attributes"
	case s.inside != "":
		at = "/" + s.inside
	}
	return strings.ReplaceAll(text, "%s", at)
}

func (s swept) has(path, method string) bool {
	return s.methods(path)[strings.ToLower(method)] != nil
}

// largest is how many bytes a body to the path may have.
func (s swept) largest(path string) int {
	if s.batch && path == s.list {
		return 8 << 20
	}
	return 2 << 20
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func (s swept) reading(t *testing.T) {
	first := s.Want(t, 200, s.owner, "GET "+s.item, "")
	tag := first.Header.Get("ETag")
	cache := "private, no-cache"
	if strings.Contains(s.list, "/tokens") || strings.Contains(s.list, "/payment_attempts") {
		cache = "no-store"
	}
	expect(t, "Cache-Control", first.Header.Get("Cache-Control"), cache)
	expect(t, "Vary", first.Header.Get("Vary"), "Authorization, Accept, Accept-Encoding, Prefer")
	same := s.Want(t, 304, s.owner, "GET "+s.item, "", "If-None-Match: "+`"other.tag", W/`+tag)
	expect(t, "304 ETag", same.Header.Get("ETag"), tag)
	expect(t, "304 Vary", same.Header.Get("Vary"), first.Header.Get("Vary"))
	expect(t, "304 body", len(same.Body), 0)
	head := s.Want(t, 200, s.owner, "HEAD "+s.item, "")
	expect(t, "HEAD ETag", head.Header.Get("ETag"), tag)
	expect(t, "HEAD Content-Length", head.Header.Get("Content-Length"), fmt.Sprint(len(first.Body)))
	member := cmp.Or(s.member, "created_at")
	sparse := s.Want(t, 200, s.owner, "GET "+s.item+"?fields="+member+"&"+s.full, "")
	var members map[string]any
	err := json.Unmarshal(sparse.Body, &members)
	if s.document && err == nil {
		data := members["data"].(map[string]any)
		members = data["attributes"].(map[string]any)
		members["id"] = data["id"]
	}
	if s.inside != "" {
		members, _ = members[s.inside].(map[string]any)
	}
	if err != nil || len(members) != 2 || members[cmp.Or(s.id, "id")] == nil || members[member] == nil {
		t.Errorf("fields=%s gave %s", member, sparse.Body)
	}
	if sparse.Header.Get("ETag") == tag {
		t.Error("another view has the same ETag")
	}
	accept := fmt.Sprintf("application/vnd.verbless+v%d+json", cmp.Or(s.version, 1))
	versioned := s.Want(t, 200, s.owner, "GET "+s.item, "", "Accept: "+accept)
	expect(t, "versioned type", versioned.Header.Get("Content-Type"), accept)
	s.Want(t, 406, s.owner, "GET "+s.item, "", "Accept: application/vnd.verbless+v99+json")
	options := s.Want(t, 200, s.owner, "OPTIONS "+s.item, "")
	if options.Header.Get("Allow") == "" || options.Get("methods.GET.allowed") != true {
		t.Errorf("OPTIONS: %v %s", options.Header, options.Body)
	}
}

// alone reads what is no part of a collection.
func (s swept) alone(t *testing.T) {
	first := s.Want(t, 200, s.owner, "GET "+s.item, "")
	same := s.Want(t, 304, s.owner, "GET "+s.item, "", "If-None-Match: "+first.Header.Get("ETag"))
	expect(t, "304 ETag", same.Header.Get("ETag"), first.Header.Get("ETag"))
	expect(t, "Cache-Control", first.Header.Get("Cache-Control"), "private, no-cache")
	head := s.Want(t, 200, s.owner, "HEAD "+s.item, "")
	expect(t, "HEAD Content-Length", head.Header.Get("Content-Length"), fmt.Sprint(len(first.Body)))
	s.Want(t, 406, s.owner, "GET "+s.item, "", "Accept: application/vnd.verbless+v99+json")
	expect(t, "OPTIONS", s.Want(t, 200, s.owner, "OPTIONS "+s.item, "").Get("methods.GET.allowed"), true)
}

func (s swept) listing(t *testing.T) {
	page := s.Want(t, 200, s.owner, "GET "+s.list+"?limit=1", "", "Prefer: count=exact")
	if total, ok := page.Get("meta.total").(float64); !ok || total < 1 {
		t.Errorf("no total: %s", page.Body)
	}
	s.Want(t, 304, s.owner, "GET "+s.list+"?limit=1", "", "Prefer: count=exact", "If-None-Match: "+page.Header.Get("ETag"))
	order, other := "sort=created_at", "sort=created_at&sort-dir=desc"
	if s.member != "" { // there is nothing to sort by; another list is that of its owner
		order, other = "fields=id", "fields=id&user=1"
	}
	seen, next := 0, s.URL+s.list+"?limit=1&"+order
	for next != "" && seen < 20 {
		answer := s.Want(t, 200, s.owner, "GET "+next, "")
		next = answer.Text("links.next")
		seen++
		if next != "" {
			s.Want(t, 400, s.owner, "GET "+next[:len(next)-3]+"AAA", "")
			s.Want(t, 400, s.owner, "GET "+strings.Replace(next, order, other, 1), "")
		}
	}
	expect(t, "pages", float64(seen), page.Get("meta.total"))
	for _, bad := range []string{"limit=0", "limit=101", "limit=x", "sort=nope", "sort-dir=up", "cursor=AAAA", "nope=1", "fields=nope", "include=nope", "limit=1&limit=1", "created_at=yesterday"} {
		if bad == "nope=1" && s.loose {
			continue
		}
		if bad == "include=nope" && s.version == 3 { // another spelling of partials there, which drops what it does not know
			continue
		}
		answer := s.Want(t, 400, s.owner, "GET "+s.list+"?"+bad, "")
		if len(answer.Get("errors").([]any)) == 0 {
			t.Errorf("%s: no errors listed", bad)
		}
	}
}

func (s swept) refusing(t *testing.T) {
	for _, path := range []string{s.list, s.item} {
		if path == "" {
			continue
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if !s.has(path, method) {
				answer := s.Want(t, 405, s.owner, method+" "+path, "")
				if allow := answer.Header.Get("Allow"); strings.Contains(allow, method) || allow == "" {
					t.Errorf("%s %s: Allow is %q", method, path, allow)
				}
				continue
			}
			answer := s.Want(t, 401, "", method+" "+path, "")
			if answer.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: no challenge", method, path)
			}
			s.Want(t, 401, "vbl_nobody", method+" "+path, "")
			s.Want(t, 401, "", method+" "+path, "", "Authentication: Bearer "+s.owner)
			call := method + " " + path
			if method == "POST" {
				call += s.query
			}
			if method != "DELETE" && method != "GET" {
				s.Want(t, 415, s.owner, call, "x", "Content-Type: text/plain")
				s.Want(t, 400, s.owner, call, `{"a":1,"a":2}`)
				s.Want(t, 400, s.owner, call, `[]`)
				s.Want(t, 413, s.owner, call, `"`+strings.Repeat("x", s.largest(path))+`"`)
			}
			if !s.loose {
				s.Want(t, 400, s.owner, method+" "+path+"?nope=1", "{}")
			}
		}
		s.Want(t, 401, "", "OPTIONS "+path, "")
	}
	if s.list == "" {
		return
	}
	parent := s.item[:strings.LastIndex(s.item, "/")+1]
	for _, id := range []string{"9223372036854775808", "-1", "0", "01", "+1", "1.0", "%D9%A1", "%00", "..%2f..%2fetc", "%ff", "00000000-0000-0000-0000-000000000000", strings.Repeat("x", 3000), "'--"} {
		s.Want(t, 404, s.owner, "GET "+parent+id, "")
	}
}

func (s swept) strangers(t *testing.T) {
	bodies := map[string]string{"PUT": `{}`, "PATCH": `{}`}
	tag := s.Want(t, 200, s.owner, "GET "+s.item, "").Header.Get("ETag")
	for method, status := range s.stranger {
		if !s.has(s.item, method) {
			continue
		}
		s.Want(t, status, s.Bob, method+" "+s.item, bodies[method])
		if method != "GET" { // who may not change it does not learn whether it has changed
			s.Want(t, status, s.Bob, method+" "+s.item, bodies[method], `If-Match: "stale.tag"`)
		}
	}
	if s.stranger["GET"] == http.StatusNotFound {
		s.Want(t, 404, s.Bob, "GET "+s.item, "", "If-None-Match: "+tag)
		s.Want(t, 404, s.Bob, "OPTIONS "+s.item, "")
		s.Want(t, 404, s.Bob, "HEAD "+s.item, "")
	}
}

func (s swept) creating(t *testing.T) {
	if s.body == "" {
		return
	}
	body, key := fmt.Sprintf(s.body, "swept-one"), strings.ReplaceAll(s.list, "/", ".")
	made := s.Want(t, 201, s.owner, "POST "+s.list, body, "Idempotency-Key: "+key)
	again := s.Want(t, 201, s.owner, "POST "+s.list, body, `Idempotency-Key: "`+key+`"`)
	expect(t, "replayed", again.Header.Get("Idempotency-Replayed"), "true")
	expect(t, "replayed body", string(again.Body), string(made.Body))
	expect(t, "replayed Location", again.Header.Get("Location"), made.Header.Get("Location"))
	s.Want(t, 422, s.owner, "POST "+s.list, fmt.Sprintf(s.body, "swept-other"), "Idempotency-Key: "+key)
	s.Want(t, 400, s.owner, "POST "+s.list, fmt.Sprintf(s.body, "swept-other"), "Idempotency-Key: ")
	minimal := s.Want(t, 201, s.owner, "POST "+s.list, fmt.Sprintf(s.body, "swept-two"), "Prefer: return=minimal")
	expect(t, "minimal body", len(minimal.Body), 0)
	brace, depth := len(body), 1 // of the brace that closes the members
	if s.document {
		depth = 3
	} else if s.inside != "" && strings.HasPrefix(body, `{"`+s.inside+`"`) {
		depth = 2
	}
	for range depth {
		brace = strings.LastIndex(body[:brace], "}")
	}
	bad := body[:brace] + `,"id":"x","nope":1,"created_at":"2020-01-01 00:00:00Z","metadata":[]` + body[brace:]
	if faults := s.Want(t, 400, s.owner, "POST "+s.list, bad).Get("errors").([]any); len(faults) < 3 {
		t.Errorf("not all faults were reported: %v", faults)
	}
	if s.batch { // many have no one address
		return
	}
	if made.Header.Get("ETag") == "" || !strings.HasPrefix(made.Header.Get("Location"), s.URL+"/") {
		t.Errorf("201 without ETag or Location: %v", made.Header)
	}
	expect(t, "Location", s.Routes.Pattern(strings.TrimPrefix(made.Header.Get("Location"), s.URL)), s.Routes.Pattern(s.item))
	s.Want(t, 200, s.owner, "GET "+made.Header.Get("Location"), "")
}

// firstOf gives the members of the first row of a page, as they were written.
func (s swept) firstOf(t *testing.T, page apptest.Answer) map[string]json.RawMessage {
	t.Helper()
	var body map[string]json.RawMessage
	if err := json.Unmarshal(page.Body, &body); err != nil {
		t.Fatal(err)
	}
	for name, text := range body {
		var rows []map[string]json.RawMessage
		if name == "included" || json.Unmarshal(text, &rows) != nil || len(rows) == 0 {
			continue
		}
		members := rows[0]
		if s.document {
			members = nil
			if err := json.Unmarshal(rows[0]["attributes"], &members); err != nil {
				t.Fatal(err)
			}
		}
		return members
	}
	t.Fatalf("no rows: %s", page.Body)
	return nil
}

// sparse asks for each member alone: it must be what it is among the others, though less is read.
func (s swept) sparse(t *testing.T) {
	whole := s.firstOf(t, s.Want(t, 200, s.owner, "GET "+s.list+"?limit=1&"+s.full, ""))
	for name, want := range whole {
		alone := s.firstOf(t, s.Want(t, 200, s.owner, "GET "+s.list+"?limit=1&fields="+name+"&"+s.full, ""))
		expect(t, name+" alone", string(alone[name]), string(want))
	}
}

func (s swept) changing(t *testing.T) {
	if s.patch == "" {
		return
	}
	before := s.Want(t, 200, s.owner, "GET "+s.item, "")
	tag := before.Header.Get("ETag")
	sparse := s.Want(t, 200, s.owner, "GET "+s.item+"?fields=created_at&"+s.full, "").Header.Get("ETag")
	after := s.Want(t, 200, s.owner, "PATCH "+s.item, s.patch, "If-Match: "+sparse)
	if after.Header.Get("ETag") == tag {
		t.Error("a change kept the ETag")
	}
	s.Want(t, 412, s.owner, "PATCH "+s.item, s.patch, "If-Match: "+tag)
	s.Want(t, 412, s.owner, "PATCH "+s.item, s.patch, "If-None-Match: *")
	s.Want(t, 400, s.owner, "PATCH "+s.item, s.patch, "If-Match: unquoted")
	same := s.Want(t, 200, s.owner, "PATCH "+s.item, s.patch, "Content-Type: application/merge-patch+json", "If-Match: *")
	expect(t, "ETag after a change of nothing", same.Header.Get("ETag"), after.Header.Get("ETag"))
	s.Want(t, 400, s.owner, "PATCH "+s.item, s.members(`{"nope":1}`))
	s.Want(t, 400, s.owner, "PATCH "+s.item, s.members(`{"created_at":"2020-01-01 00:00:00Z"}`))
	s.Want(t, 200, s.owner, "PATCH "+s.item, s.operation(`[{"op":"copy","from":"%s/created_at","path":"%s/created_at"}]`), "Content-Type: application/json-patch+json")
	s.Want(t, 400, s.owner, "PATCH "+s.item, s.operation(`[{"op":"remove","path":"%s/created_at"}]`), "Content-Type: application/json-patch+json")
	failed := s.Want(t, 409, s.owner, "PATCH "+s.item, s.operation(`[{"op":"test","path":"%s/created_at","value":1}]`), "Content-Type: application/json-patch+json")
	expect(t, "code", failed.Text("code"), "patch_test_failed")
	s.Want(t, 409, s.owner, "PATCH "+s.item, s.operation(`[{"op":"remove","path":"%s/nope"}]`), "Content-Type: application/json-patch+json")
	s.Want(t, 400, s.owner, "PATCH "+s.item, `[{"op":"nope","path":""}]`, "Content-Type: application/json-patch+json")
	if s.has(s.item, "PUT") {
		whole := s.Want(t, 200, s.owner, "GET "+s.item+"?"+s.full, "")
		put := s.Want(t, 200, s.owner, "PUT "+s.item, string(whole.Body))
		expect(t, "ETag of a PUT", put.Header.Get("ETag"), "")
		expect(t, "ETag after a PUT of the same", s.Want(t, 200, s.owner, "GET "+s.item+"?"+s.full, "").Header.Get("ETag"), whole.Header.Get("ETag"))
		s.Want(t, 400, s.owner, "PUT "+s.item, `{}`)
	}
}

func (s swept) removing(t *testing.T) {
	if !s.has(s.item, "DELETE") {
		return
	}
	s.Want(t, 412, s.owner, "DELETE "+s.item, "", `If-Match: "stale.tag"`)
	if s.release != nil {
		s.release(t)
	}
	s.Want(t, 204, s.owner, "DELETE "+s.item, "", "If-Match: *")
	if gone := s.Call(t, s.owner, "GET "+s.item, ""); gone.Status != 404 && gone.Status != 410 {
		t.Errorf("after DELETE: %d", gone.Status)
	}
}

func TestConventions(t *testing.T) {
	apptest.Each(t, func(t *testing.T, s *apptest.Server) { s.Transcript(t, "testdata/conventions.http") })
}
