package main

import (
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The limit must say what the real server said, or the two do not compare.
func TestBareSendsTheSameBytes(t *testing.T) {
	kept := answers{
		"get":       {200, [][2]string{{"Content-Length", "2"}, {"Content-Type", "application/json"}, {"Etag", `"1.a"`}}, []byte("{}")},
		"304":       {304, [][2]string{{"Cache-Control", "private, no-cache"}, {"Etag", `"1.a"`}}, nil},
		"list":      {200, [][2]string{{"Content-Length", "3"}, {"Content-Type", "application/json"}, {"Link", "<x>"}, {"Link", "<y>"}}, []byte("[1]")},
		"inbox":     {200, [][2]string{{"Content-Length", "3"}, {"Content-Type", "application/json"}}, []byte("[2]")},
		"companies": {200, [][2]string{{"Content-Length", "3"}, {"Content-Type", "application/json"}}, []byte("[3]")},
	}
	server := httptest.NewServer(bare(kept))
	defer server.Close()
	c, err := dial(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	q := newRequests(&store{token: "secret", read: []string{"a"}})
	for name, request := range map[string][]byte{
		"get": q.one(0, 0), "list": q.list(0, 0), "inbox": q.inbox(0, 0), "companies": q.companies(0, 0), "304": q.bytes("GET", "/articles/a", "If-None-Match: \"1.a\"\r\n", ""),
	} {
		got, err := c.ask(request)
		if err != nil {
			t.Fatal(err)
		}
		got.Header = slices.DeleteFunc(got.Header, func(h [2]string) bool { return h[0] == "Date" })
		if !reflect.DeepEqual(got, kept[name]) {
			t.Errorf("%s: got %+v, want %+v", name, got, kept[name])
		}
	}
}
