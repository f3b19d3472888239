package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseRefusesWhatIsNoRequest(t *testing.T) {
	tests := map[string]string{
		"":                          "f:1: there is no request here",
		"GET /a\n\n###\n\n###\n":    "f:4: there is no request here",
		"# title\nget /a\n":         `f:2: a request starts with a line like "GET /path", not "get /a"`,
		"GET /a\n###\nGET a b\n":    `f:3: a request starts with a line like "GET /path", not "GET a b"`,
		"GET http://elsewhere/a\n":  `f:1: a request starts with a line like "GET /path", not "GET http://elsewhere/a"`,
		"\n\n# one\n\n# two\nGET\n": `f:6: a request starts with a line like "GET /path", not "GET"`,
	}
	for text, want := range tests {
		if _, err := parse("f", text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestParseAndFormatAreInverse(t *testing.T) {
	text := "# A\n# B\nPOST /a\nX: 1\n\none\n\ntwo\n\nHTTP/1.1 200 OK\n\nthree\n\n###\n\nGET /b\n"
	all, err := parse("f", strings.ReplaceAll(text, "\n", "\r\n")+"\n###\n")
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	if got := format(all); got != text {
		t.Errorf("got\n%s", got)
	}
	headers, body := all[0].parts()
	if all[0].title != "A B" || all[0].line != 3 || len(headers) != 1 || body != "one\n\ntwo" || all[0].answer != "HTTP/1.1 200 OK\n\nthree" {
		t.Errorf("got %+v", all[0])
	}
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	tests := map[string]string{
		"GET /a\nnonsense\n":                               `"nonsense" is not a header`,
		"GET /a\nIf-Match: \"<tag-1>\"\n":                  "no answer before this one has shown <tag-1>",
		"PUT /a\nContent-Length: 3\n\nfour\n":              "Content-Length says 3, but the body has 4 bytes",
		"PUT /a\nTransfer-Encoding: gzip\n\nfour\n":        "Transfer-Encoding can only be chunked, and needs a body",
		"POST /a\n\n<token-2>\n":                           "no answer before this one has shown <token-2>",
		"POST /a\n\n< missing.bin\n":                       "missing.bin: no such file or directory",
		"GET /%zz\n":                                       `invalid URL escape "%zz"`,
		"GET /a?cursor=<cursor-1>\nAuthorization: <bob>\n": "no answer before this one has shown <cursor-1>",
	}
	for text, want := range tests {
		file := filepath.Join(t.TempDir(), "a.http")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := replay(t, file, serve(t, nil), false); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.http:1: ") {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestVariables(t *testing.T) {
	n := newNames(Server{URL: "http://127.0.0.1:80", Vars: map[string]string{"a": "secret-one", "b": "secret-one-more", "n": "1"}})
	got := n.strip("secret-one secret-one-more secret-ones xsecret-one 1 http://127.0.0.1:80/x http://127.0.0.1:8080/x")
	want := "<a> <b> secret-ones xsecret-one 1 <base>/x http://127.0.0.1:8080/x"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	filled, err := n.fill("<a>/<n>/<base>/<time>/<b>")
	if err != nil || filled != "secret-one/1/http://127.0.0.1:80/<time>/secret-one-more" {
		t.Errorf("got %s, %v", filled, err)
	}
}

func TestUploadAddressesAreCapabilities(t *testing.T) {
	n := newNames(Server{})
	got := n.strip("/uploads?upload_id=AbC_9-x&part=a /uploads?upload_id=other /uploads?upload_id=AbC_9-x")
	if got != "/uploads?upload_id=<upload-1>&part=a /uploads?upload_id=<upload-2> /uploads?upload_id=<upload-1>" {
		t.Errorf("got %s", got)
	}
}

func TestDiffShowsBothSides(t *testing.T) {
	if got := diff("", "a\nb"); got != "+ a\n+ b\n" {
		t.Errorf("got\n%s", got)
	}
	if got := diff("a\nb\nc", "a\nc\nd"); got != "  a\n- b\n  c\n+ d\n" {
		t.Errorf("got\n%s", got)
	}
}
