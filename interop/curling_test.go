package interop

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// curl sends one file with the curl of the machine.
type curl struct {
	*service
	t       *testing.T
	dir     string
	file    string
	size    int
	address string // to send to, once there is one
}

// told is how a run of curl ended.
type told struct {
	exit, status int
	header       http.Header
	complaint    string
}

func newCurl(t *testing.T, size int, at plan) (*curl, []byte) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		missing(t, "there is no curl")
	}
	file, content := noiseFile(t, size)
	return &curl{service: start(t, at), t: t, dir: t.TempDir(), file: file, size: size}, content
}

// run has curl make a request.
func (c *curl) run(args ...string) told {
	c.t.Helper()
	heads := filepath.Join(c.dir, "heads")
	args = append([]string{"--silent", "--show-error", "--output", filepath.Join(c.dir, "body"), "--dump-header", heads, "--write-out", "%{http_code}"}, args...)
	command := exec.CommandContext(c.context, "curl", args...)
	var complaint strings.Builder
	command.Stderr = &complaint
	if args[len(args)-1] == "-" {
		pipe, err := os.Open(c.file)
		if err != nil {
			c.t.Fatal(err)
		}
		defer pipe.Close()
		command.Stdin = pipe
	}
	out, err := command.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0) {
		c.t.Fatal(err)
	}
	status, _ := strconv.Atoi(string(out)) // 000 when there was no answer
	return told{command.ProcessState.ExitCode(), status, lastHead(c.t, heads), complaint.String()}
}

// lastHead reads what curl wrote of the headers of the last answer; there may be others before it.
func lastHead(t *testing.T, file string) http.Header {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	head := http.Header{}
	for line := range strings.SplitSeq(string(text), "\r\n") {
		if strings.HasPrefix(line, "HTTP/") {
			head = http.Header{}
		}
		if name, value, found := strings.Cut(line, ": "); found {
			head.Add(name, value)
		}
	}
	return head
}

// again has curl repeat what fails, from the start. The key makes it the same request to the service, where that counts.
var again = []string{"--retry", "5", "--retry-all-errors", "--retry-delay", "1", "--header", "Idempotency-Key: the-same-call"}

// begin gets the address to send to.
func (c *curl) begin() {
	c.t.Helper()
	a := c.run(append(again, "--header", "Authorization: Bearer "+c.token, "--header", "Content-Type: application/json", "--header", "X-Upload-Content-Type: "+png,
		"--data", `{"snippet":{"title":"`+title+`"}}`, c.URL+"/uploads?uploadType=resumable&part=snippet,status")...)
	if c.address = a.header.Get("Location"); a.exit != 0 || a.status != 200 || c.address == "" {
		c.t.Fatalf("%+v", a)
	}
}

// question asks how far it is.
func (c *curl) question(total string) (have int, whole bool) {
	c.t.Helper()
	a := c.run("--request", "PUT", "--data", "", "--header", "Content-Range: bytes */"+total, c.address)
	switch {
	case a.exit == 0 && a.status == 200:
		return c.size, true
	case a.exit != 0 || a.status != 308 || a.header.Get("Location") != "":
		c.t.Fatalf("%+v", a)
	case a.header.Get("Range") == "":
		return 0, false
	}
	end, found := strings.CutPrefix(a.header.Get("Range"), "bytes=0-")
	last, err := strconv.Atoi(end)
	if !found || err != nil {
		c.t.Fatalf("Range: %s", a.header.Get("Range"))
	}
	return last + 1, false
}

// done fails when the last request was not answered with the upload.
func (c *curl) done(a told) {
	c.t.Helper()
	if a.exit != 0 || a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		c.t.Fatalf("%+v", a)
	}
}

// whole sends all in one request, and all of it again when that fails.
func (c *curl) whole() {
	c.begin()
	c.done(c.run(append(again, "--header", "Content-Type: "+png, "--upload-file", c.file, c.address)...))
}

// resumed sends all, and when that fails the rest, from where the service is.
func (c *curl) resumed(args ...string) {
	c.begin()
	for range 5 {
		if a := c.run(append(args, "--upload-file", c.file, c.address)...); a.exit == 0 && a.status == 200 {
			return
		}
		have, whole := c.question(strconv.Itoa(c.size))
		if whole {
			return
		}
		args = []string{"--continue-at", strconv.Itoa(have)}
	}
	c.t.Fatal("it did not come to an end")
}

// short resumes a little before where the service is, so that some bytes come twice.
func (c *curl) short() {
	c.begin()
	c.run("--upload-file", c.file, c.address)
	have, _ := c.question("*")
	c.done(c.run("--continue-at", strconv.Itoa(max(have-1000, 1)), "--upload-file", c.file, c.address))
}

// gap leaves bytes out first, which the service must notice.
func (c *curl) gap() {
	c.begin()
	c.run("--upload-file", c.file, c.address)
	have, _ := c.question("*")
	if a := c.run("--continue-at", strconv.Itoa(have+1), "--upload-file", c.file, c.address); a.status != 503 || a.header.Get("Range") != fmt.Sprintf("bytes=0-%d", have-1) {
		c.t.Fatalf("%+v", a)
	}
	c.done(c.run("--continue-at", strconv.Itoa(have), "--upload-file", c.file, c.address))
}

// unknowing lets curl find out where to go on, which it does not over HTTP: it sends all.
func (c *curl) unknowing() {
	c.begin()
	c.run("--upload-file", c.file, c.address)
	c.done(c.run("--continue-at", "-", "--upload-file", c.file, c.address))
}

// chunks sends one after the other, each again when it fails, and tells the total with the last.
func (c *curl) chunks() {
	c.begin()
	all, err := os.ReadFile(c.file)
	if err != nil {
		c.t.Fatal(err)
	}
	for from := 0; from < c.size; from += chunk {
		to, total := min(from+chunk, c.size), "*"
		if to == c.size {
			total = strconv.Itoa(c.size)
		}
		part := filepath.Join(c.dir, "part")
		if err := os.WriteFile(part, all[from:to], 0o600); err != nil {
			c.t.Fatal(err)
		}
		a := c.run(append(again, "--header", fmt.Sprintf("Content-Range: bytes %d-%d/%s", from, to-1, total), "--upload-file", part, c.address)...)
		if to == c.size {
			c.done(a)
		} else if a.status != 308 || a.header.Get("Range") != fmt.Sprintf("bytes=0-%d", to-1) {
			c.t.Fatalf("%+v", a)
		}
	}
}

// piped sends what curl does not know the length of.
func (c *curl) piped() {
	c.begin()
	c.done(c.run(c.address, "--upload-file", "-"))
}

// alone sends the file without saying anything of it.
func (c *curl) alone() {
	c.done(c.run(append(again, "--header", "Authorization: Bearer "+c.token, "--header", "Content-Type: "+png, "--data-binary", "@"+c.file, c.URL+"/uploads?uploadType=media")...))
}
