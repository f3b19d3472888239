package transcript

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const notes = "testdata/notes.http"

// serve starts a fake that builds its links from a fixed address, as a service behind a proxy does.
func serve(t *testing.T, change func(*fake)) Server {
	t.Helper()
	f := newFake("https://notes.example.com")
	if change != nil {
		change(f)
	}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return Server{URL: s.URL, Base: f.base, Vars: map[string]string{"alice": alice, "short": "OK"}}
}

func copyOf(t *testing.T, edit func(string) string) string {
	t.Helper()
	text := read(t, notes)
	if edited := edit(text); edited != text {
		text = edited
	} else {
		t.Fatal("the edit changed nothing")
	}
	file := filepath.Join(t.TempDir(), "copy.http")
	bin := read(t, "testdata/four.bin")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "four.bin"), []byte(bin), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestConversationMatches(t *testing.T) {
	var seen []string
	server := Server{Handler: newFake("https://notes.example.com"), Base: "https://notes.example.com", Vars: map[string]string{"alice": alice}}
	server.Check = func(t testing.TB, request *http.Request, response *http.Response, body []byte) {
		again, err := io.ReadAll(response.Body)
		if err != nil || string(again) != string(body) {
			t.Errorf("the answer cannot be read again: %q, %v", again, err)
		}
		sent := []byte{}
		if request.Body != nil {
			sent, _ = io.ReadAll(request.Body)
		}
		seen = append(seen, request.Method+" "+response.Status+" "+string(sent))
	}
	Run(t, notes, server)
	if len(seen) != 10 || seen[0] != `POST 201 Created {"text": "Hello"}` {
		t.Errorf("Check saw %d exchanges, first %q", len(seen), seen[0])
	}
}

func TestBaseIsTheListeningAddressUnlessGiven(t *testing.T) {
	f := newFake("")
	s := httptest.NewServer(f)
	defer s.Close()
	f.base = s.URL
	Run(t, notes, Server{URL: s.URL, Vars: map[string]string{"alice": alice}})
}

func TestMismatchShowsWhereAndWhat(t *testing.T) {
	err := replay(t, notes, serve(t, func(f *fake) { f.text = "Goodbye" }), false)
	if err == nil {
		t.Fatal("another text passed")
	}
	want := "testdata/notes.http:2: POST /notes (Alice writes a note): the answer differs; - is the file, + is the server, -update takes the server's\n" +
		"  HTTP/1.1 201 Created\n" +
		"  … 5 equal lines\n" +
		"  Vary: Accept\n" +
		"  \n" +
		"  {\n" +
		"    \"id\": \"<id-1>\",\n" +
		"-   \"text\": \"Hello\",\n" +
		"+   \"text\": \"Goodbye\",\n" +
		"    \"seen\": null,\n" +
		"    \"tags\": [],\n" +
		"    \"created_at\": \"<time>\",\n" +
		"    \"links\": {\n" +
		"  … 4 equal lines\n"
	if err.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", err, want)
	}
}

func TestEveryPartOfAnAnswerCounts(t *testing.T) {
	tests := map[string][2]string{
		"status":           {"201 Created", "200 OK"},
		"wrong id":         {`"after": "<id-2>"`, `"after": "<id-1>"`},
		"same tag":         {`W/"<tag-2>"`, `W/"<tag-1>"`},
		"strong tag":       {`W/"<tag-2>"`, `"<tag-2>"`},
		"other cursor":     {"the page at cursor=<cursor-1>", "the page at cursor=<cursor-2>"},
		"header value":     {"Vary: Accept\n", "Vary: Prefer\n"},
		"missing header":   {"Vary: Accept\n", ""},
		"header not there": {"Vary: Accept\n", "Vary: Accept\nX-Odd: 1\n"},
		"member order":     {"  \"seen\": null,\n  \"tags\": [],\n", "  \"tags\": [],\n  \"seen\": null,\n"},
		"body not there":   {"ETag: \"<tag-1>\"\n\n###", "ETag: \"<tag-1>\"\n\n{}\n\n###"},
		"bytes of a file":  {"sha256 0", "sha256 1"},
		"base":             {`"<base>/users/alice"`, `"https://notes.example.com/users/alice"`},
		"no answer yet":    {"HTTP/1.1 200 OK\nContent-Type: text/plain\n\n###", "###"},
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			file := copyOf(t, func(s string) string { return strings.Replace(s, edit[0], edit[1], 1) })
			if err := replay(t, file, serve(t, nil), false); err == nil || !strings.Contains(err.Error(), "the answer differs") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestUpdateWritesAnswersAndNothingElse(t *testing.T) {
	spoilt := copyOf(t, func(s string) string {
		s = strings.Replace(s, "HTTP/1.1 201 Created", "HTTP/1.1 500 Internal Server Error", 1)
		return strings.Replace(s, `"seen": null,`, `"seen": true,`, 1)
	})
	if err := replay(t, spoilt, serve(t, nil), true); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, spoilt), read(t, notes); got != want {
		t.Errorf("the update differs from the original:\n%s", diff(want, got))
	}
	if err := replay(t, spoilt, serve(t, nil), false); err != nil {
		t.Errorf("the update does not replay: %v", err)
	}
}

func TestUpdateKeepsWhatItReached(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.http")
	text := "# New\nPOST /notes\nAuthorization: Bearer <alice>\n###\n\n# Too early\nGET /notes/<id-9>\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	err := replay(t, file, serve(t, nil), true)
	if err == nil || !strings.HasSuffix(err.Error(), "new.http:7: GET /notes/<id-9>: no answer before this one has shown <id-9>") {
		t.Errorf("got %v", err)
	}
	got := read(t, file)
	if !strings.HasPrefix(got, "# New\nPOST /notes\nAuthorization: Bearer <alice>\n\nHTTP/1.1 201 Created\n") ||
		!strings.HasSuffix(got, "\n}\n\n###\n\n# Too early\nGET /notes/<id-9>\n") {
		t.Errorf("got\n%s", got)
	}
}
