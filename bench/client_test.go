package main

import (
	"bufio"
	"reflect"
	"strings"
	"testing"
)

func TestReadAnswer(t *testing.T) {
	tests := []struct {
		name, in string
		want     answer
		left     string // what must still be there to be read
		bad      bool
	}{
		{name: "a body", in: "HTTP/1.1 200 OK\r\nETag: \"a:b\"\r\nContent-Length: 4\r\n\r\nbodyHTTP", left: "HTTP",
			want: answer{200, [][2]string{{"ETag", `"a:b"`}, {"Content-Length", "4"}}, []byte("body")}},
		{name: "a length in another case", in: "HTTP/1.1 201 Created\r\ncontent-length:2\r\n\r\nok",
			want: answer{201, [][2]string{{"content-length", "2"}}, []byte("ok")}},
		{name: "304 has no body, whatever its length says", in: "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\nnext", left: "next",
			want: answer{304, [][2]string{{"Content-Length", "9"}}, nil}},
		{name: "204 has no body", in: "HTTP/1.1 204 No Content\r\n\r\nnext", left: "next", want: answer{Status: 204}},
		{name: "an empty body", in: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", want: answer{200, [][2]string{{"Content-Length", "0"}}, []byte{}}},
		{name: "chunks are not understood", in: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", bad: true},
		{name: "a body that ends early", in: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbod", bad: true},
		{name: "a length that is none", in: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", bad: true},
		{name: "a header that is none", in: "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", bad: true},
		{name: "another protocol", in: "SSH-2.0-Something\r\n\r\n", bad: true},
		{name: "a status that is none", in: "HTTP/1.1 2x0 OK\r\n\r\n", bad: true},
		{name: "nothing", in: "", bad: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, keep := range []bool{true, false} {
				in := bufio.NewReader(strings.NewReader(test.in))
				got, err := readAnswer(in, keep)
				if (err != nil) != test.bad {
					t.Fatalf("error %v", err)
				}
				if test.bad {
					continue
				}
				want := test.want
				if !keep {
					want = answer{Status: want.Status}
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("got %+v, want %+v", got, want)
				}
				left := make([]byte, in.Buffered())
				in.Read(left)
				if string(left) != test.left {
					t.Errorf("left %q, want %q", left, test.left)
				}
			}
		})
	}
}

func TestRequestsAreWhole(t *testing.T) {
	q := newRequests(&store{token: "secret", read: []string{"a"}, mine: make([]string, fewestArticles)})
	got := string(q.bytes("PATCH", "/articles/a", "X: y\r\n", "{}"))
	want := "PATCH /articles/a HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nAuthorization: Bearer secret\r\nX: y\r\nContent-Length: 2\r\n\r\n{}"
	if got != want {
		t.Errorf("got %q", got)
	}
	if string(q.create(0, 1)) == string(q.create(0, 2)) {
		t.Error("two new articles have the same title")
	}
}
