package interop

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// modules is where scripts/test puts the packages of node/package-lock.json.
const modules = "../.cache/interop/node_modules"

// job is what the worker is told, result what it says. They are described in node/worker.js.
type job struct {
	Job        int               `json:"job"`
	Client     string            `json:"client"`
	URL        string            `json:"url"`
	Token      string            `json:"token"`
	File       string            `json:"file"`
	Title      string            `json:"title,omitempty"`
	Length     int               `json:"length,omitempty"`
	ChunkSize  int               `json:"chunkSize,omitempty"`
	AbortAfter int               `json:"abortAfter,omitempty"`
	Tries      int               `json:"tries"`
	Headers    map[string]string `json:"headers,omitempty"`
}

type result struct {
	Job   int
	Tries int
	ID    string
	Title string
	Error string
	Code  int
}

// worker is a process that sends files with Google's clients for Node, several at once: to start one for each takes longer
// than all they do.
type worker struct {
	input   io.WriteCloser
	command *exec.Cmd

	mu      sync.Mutex
	jobs    int
	waiting map[int]chan result
	ended   error
}

var node struct {
	sync.Mutex
	*worker
}

// startNode is the one worker of all tests.
func startNode(t testing.TB) *worker {
	t.Helper()
	node.Lock()
	defer node.Unlock()
	if node.worker != nil {
		return node.worker
	}
	if _, err := exec.LookPath("node"); err != nil {
		missing(t, "there is no node")
	}
	found, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(found, "@google-cloud", "storage")); err != nil {
		missing(t, "there is no @google-cloud/storage in .cache/interop")
	}
	w := &worker{command: exec.Command("node", "node/worker.js"), waiting: map[int]chan result{}}
	w.command.Env, w.command.Stderr = append(os.Environ(), "NODE_PATH="+found), os.Stderr
	w.input, err = w.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.command.Start(); err != nil {
		t.Fatal(err)
	}
	go w.read(out)
	node.worker = w
	return w
}

// stopNode ends the worker, if there is one.
func stopNode() {
	node.Lock()
	defer node.Unlock()
	if node.worker != nil {
		node.worker.input.Close()
		node.worker.command.Process.Kill()
		node.worker.command.Wait()
	}
}

// read hands each result to the test that waits for it.
func (w *worker) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			fmt.Fprintf(os.Stderr, "node said %q\n", lines.Text())
			continue
		}
		w.mu.Lock()
		waiting := w.waiting[r.Job]
		delete(w.waiting, r.Job)
		w.mu.Unlock()
		if waiting != nil {
			waiting <- r
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = errors.New("node has ended")
	for _, waiting := range w.waiting {
		close(waiting)
	}
}

// do has a file sent.
func (w *worker) do(s *service, j job) result {
	s.t.Helper()
	j.URL, j.Token = s.URL, s.token
	done := make(chan result, 1)
	w.mu.Lock()
	w.jobs++
	j.Job = w.jobs
	w.waiting[j.Job] = done
	err := w.ended
	if err == nil {
		err = json.NewEncoder(w.input).Encode(j)
	}
	w.mu.Unlock()
	if err != nil {
		s.t.Fatal(err)
	}
	select {
	case r, ok := <-done:
		if !ok {
			s.t.Fatal("node has ended")
		}
		return r
	case <-time.After(patience):
		s.t.Fatal("node did not answer")
		return result{}
	}
}

func TestGoogleStorageForNode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size, chunk int
		known       bool // the length is told in advance
		at          plan
		tries       int // that the application makes at most; in the second it goes on with the address that it was told
	}{
		"small":                 {size: small, tries: 1},
		"small, in a chunk":     {size: small, chunk: chunk, tries: 1},
		"small, known":          {size: small, known: true, tries: 1},
		"one request":           {size: middle, tries: 1},
		"one request, known":    {size: middle, known: true, tries: 1},
		"several chunks":        {size: middle, chunk: chunk, tries: 1},
		"several chunks, known": {size: middle, chunk: chunk, known: true, tries: 1},
		"whole chunks":          {size: exact, chunk: chunk, tries: 1},
		"many chunks":           {size: 20*chunk + 1, chunk: chunk, tries: 1},
		"large, one request":    {size: 16<<20 + 1, tries: 1},

		"beginning lost":             {middle, chunk, false, plan{{begins, 1}: lost}, 1},
		"beginning refused":          {middle, chunk, false, plan{{begins, 1}: refused(503)}, 1},
		"small, 503":                 {small, 0, false, plan{{sends, 1}: refused(503)}, 1},
		"small, cut":                 {small, 0, false, plan{{sends, 1}: cut(700)}, 1},
		"small, answer lost":         {small, 0, false, plan{{sends, 1}: lost}, 1},
		"small, known, 503 and lost": {small, 0, true, plan{{sends, 1}: refused(503), {sends, 2}: lost}, 1},
		"first chunk, 503":           {middle, chunk, false, plan{{sends, 1}: refused(503)}, 1},
		"503 twice":                  {middle, chunk, false, plan{{sends, 2}: refused(503), {sends, 3}: refused(500)}, 1},
		"429":                        {middle, chunk, false, plan{{sends, 2}: refused(429)}, 1},
		"kept, but told 503":         {middle, chunk, false, plan{{sends, 2}: masked(503)}, 1},
		"first chunk cut":            {middle, chunk, false, plan{{sends, 1}: cut(100_000)}, 1},
		"chunk cut":                  {middle, chunk, false, plan{{sends, 2}: cut(100_000)}, 1},
		"chunk cut twice":            {middle, chunk, true, plan{{sends, 2}: cut(100_000), {sends, 3}: cut(1)}, 1},
		"chunk torn":                 {middle, chunk, false, plan{{sends, 2}: torn(100_000)}, 1},
		"last chunk cut":             {middle, chunk, false, plan{{sends, 3}: cut(50_000)}, 1},
		"answer lost":                {middle, chunk, false, plan{{sends, 2}: lost}, 1},
		"hung up":                    {middle, chunk, false, plan{{sends, 2}: hungUp}, 1},

		// Here the client gives up, whoever serves it: when it is told that all is here, or nothing, it begins at 0, and then
		// misses what it no longer has.
		"question refused":        {middle, chunk, false, plan{{sends, 2}: cut(100_000), {asks, 1}: refused(503)}, 2},
		"question lost":           {middle, chunk, false, plan{{sends, 2}: cut(100_000), {asks, 1}: lost}, 2},
		"last answer lost":        {middle, chunk, false, plan{{sends, 3}: lost}, 2},
		"last answer lost, known": {middle, chunk, true, plan{{sends, 3}: lost}, 2},
		"last, but told 503":      {middle, chunk, false, plan{{sends, 3}: masked(503)}, 2},
		"one request, 503":        {middle, 0, false, plan{{sends, 1}: refused(503)}, 2},
		"one request, cut":        {middle, 0, false, plan{{sends, 1}: cut(400_000)}, 2},
		"one request, known, cut": {middle, 0, true, plan{{sends, 1}: cut(400_000)}, 2},
		"one request, lost":       {middle, 0, false, plan{{sends, 1}: lost}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := startNode(t)
			s := start(t, test.at)
			file, content := noiseFile(t, test.size)
			j := job{Client: "storage", File: file, ChunkSize: test.chunk, Tries: test.tries, Headers: sameCall}
			if test.known {
				j.Length = test.size
			}
			if r := w.do(s, j); r.Error != "" || r.Tries > test.tries {
				t.Fatalf("%d tries, want %d at most: %d %s", r.Tries, test.tries, r.Code, r.Error)
			}
			s.holds("", png, content)
		})
	}
}

// TestGoogleStorageForNodeGivesUp is what that client does not repeat.
func TestGoogleStorageForNodeGivesUp(t *testing.T) {
	t.Parallel()
	t.Run("unknown address", func(t *testing.T) {
		t.Parallel()
		w, s := startNode(t), start(t, plan{{sends, 2}: elsewhere})
		file, _ := noiseFile(t, middle)
		if r := w.do(s, job{Client: "storage", File: file, ChunkSize: chunk, Tries: 1}); r.Code != 404 {
			t.Errorf("got %d %q, want 404", r.Code, r.Error)
		}
	})
	t.Run("removed by its owner", func(t *testing.T) {
		t.Parallel()
		var s *service
		w := startNode(t)
		s = start(t, plan{{sends, 2}: after(func() { s.ask(204, "DELETE", "/uploads/"+s.uploads()[0].ID) })})
		file, _ := noiseFile(t, middle)
		if r := w.do(s, job{Client: "storage", File: file, ChunkSize: chunk, Tries: 1}); r.Code != 499 {
			t.Errorf("got %d %q, want 499", r.Code, r.Error)
		}
		s.holdsNothing()
	})
	t.Run("aborted", func(t *testing.T) {
		t.Parallel()
		w, s := startNode(t), start(t, nil)
		file, _ := noiseFile(t, 20*chunk)
		if r := w.do(s, job{Client: "storage", File: file, ChunkSize: chunk, AbortAfter: 3 * chunk, Tries: 1}); r.Error != "aborted" {
			t.Errorf("got %q, want that it was aborted", r.Error)
		}
		s.cancels()
	})
}

// sameCall makes a call that is made again the same call. The client for storage sends it with each of its requests.
var sameCall = map[string]string{"Idempotency-Key": "the-same-call"}

// TestYouTubeForNode sends in one request, which is all that this client can. It repeats nothing.
func TestYouTubeForNode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		size  int
		at    plan
		tries int
	}{
		"empty":        {size: 0, tries: 1},
		"small":        {size: small, tries: 1},
		"middle":       {size: middle, tries: 1},
		"503":          {small, plan{{begins, 1}: refused(503)}, 2},
		"cut":          {middle, plan{{begins, 1}: cut(300_000)}, 2},
		"answer lost":  {small, plan{{begins, 1}: lost}, 2},
		"answers lost": {middle, plan{{begins, 1}: lost, {begins, 2}: masked(504)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := startNode(t), start(t, test.at)
			file, content := noiseFile(t, test.size)
			r := w.do(s, job{Client: "video", File: file, Title: title, Tries: test.tries, Headers: sameCall})
			if r.Error != "" || r.Tries != test.tries || r.ID == "" || r.Title != title {
				t.Fatalf("%+v, want %d tries", r, test.tries)
			}
			s.holds(title, png, content)
		})
	}
}

// cancels ends the one upload that is on its way, as a client of this protocol does.
func (s *service) cancels() {
	s.t.Helper()
	all, addresses := s.uploads(), s.addresses()
	if len(all) != 1 || all[0].Content != nil || len(addresses) != 1 {
		s.t.Fatalf("there is %+v at %d addresses, want one upload without content", all, len(addresses))
	}
	s.ask(404, "GET", "/uploads/"+all[0].ID+"/content")
	address := strings.TrimPrefix(addresses[0], s.URL)
	s.ask(499, "DELETE", address)
	s.ask(499, "DELETE", address)
	s.holdsNothing()
}
