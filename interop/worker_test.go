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
