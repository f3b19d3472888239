// Package transcript replays whole HTTP conversations kept as text and compares the whole answers.
//
// A file holds exchanges, parted by a line "###". Each is a request as it would be typed, a blank line, and the
// answer that is expected. Comments before the request line are its title. What differs from run to run (ids,
// times, tags, cursors, tokens, the base address) stands as a numbered placeholder, and a placeholder in a
// request stands for the value seen before, so that a wrong id is a difference and a right one is not.
//
// A request body of one line "< name" is sent from the file of that name beside the transcript. Blanks at the end of
// a line, and blank lines at the end of a body, do not count.
//
// With -update the answers in the file are written anew; requests and comments stay. The package does not judge
// answers: whoever reads the change to the file does. It sends well-formed requests only, one after the other;
// broken framing and concurrency need tests of their own.
package transcript

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the answers of transcripts anew from what the server says")

// Server is what a transcript is replayed against, and how its answers are read.
type Server struct {
	Handler http.Handler // served on a port of its own; or:
	URL     string       // a server that runs already

	// Base is the address that the service builds its links from, where it is not the one it listens at.
	Base string

	// Vars are values that requests name as <name>. In answers they become <name> again, unless they are
	// shorter than six bytes, which would match by accident.
	Vars map[string]string

	// Check sees every exchange, with bodies that can be read again. It runs before the comparison.
	Check func(t testing.TB, request *http.Request, response *http.Response, body []byte)
}

// Run replays the conversation in file, and fails t at the first answer that differs, because later ones build on it.
func Run(t testing.TB, file string, server Server) {
	t.Helper()
	if server.Handler != nil {
		s := httptest.NewServer(server.Handler)
		defer s.Close()
		server.URL = s.URL
	}
	if err := replay(t, file, server, *update); err != nil {
		t.Fatal(err)
	}
}

// replay is Run without the end of the test, so that failures can be tested too.
func replay(t testing.TB, file string, server Server, write bool) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	exchanges, err := parse(file, string(text))
	if err != nil {
		return err
	}
	run := &conversation{file: file, server: server, names: newNames(server)}
	defer run.transport.CloseIdleConnections()
	var failed error
	for _, e := range exchanges {
		answer, err := run.exchange(t, e)
		if err != nil {
			failed = err
			break
		}
		if write {
			e.answer = answer
		} else if failed = compare(file, e, answer); failed != nil {
			break
		}
	}
	if !write {
		return failed
	}
	// What was answered before a failure is kept: new transcripts grow one exchange at a time.
	return errors.Join(failed, save(file, string(text), format(exchanges)))
}

func compare(file string, e *exchange, answer string) error {
	if e.answer == answer {
		return nil
	}
	title := e.title
	if title != "" {
		title = " (" + title + ")"
	}
	return fmt.Errorf("%s:%d: %s%s: the answer differs; - is the file, + is the server, -update takes the server's\n%s",
		file, e.line, e.requestLine(), title, diff(e.answer, answer))
}

// save replaces the file in one step, because the same conversation may run in parallel over two engines.
func save(file, old, text string) error {
	if old == text {
		return nil
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(text)
	if err := errors.Join(err, temp.Chmod(0o644), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

// lines splits text without its trailing blank lines.
func lines(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
