//go:build linux

package faults

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// traceFlags: -D keeps the server our own child, -y shows the names of files.
func traceFlags(path, file string) []string {
	return []string{path, "-D", "-f", "-y", "-s", "16", "-o", file, "-e", "trace=fsync,fdatasync,pwrite64,write", "--"}
}

// TestSyncBeforeAnswer: killing a process proves nothing about the disk, because the kernel keeps what it wrote.
// So the order of the system calls is looked at: no 201 leaves before the log was synced.
func TestSyncBeforeAnswer(t *testing.T) {
	t.Parallel()
	path := strace(t)
	const writes = 50
	file := filepath.Join(t.TempDir(), "trace")
	s := start(t, launch{front: traceFlags(path, file)})
	awaitJobs(t, s)
	for i := range writes {
		s.want(t, http.StatusCreated, "POST /articles", fmt.Sprintf(`{"title":"Synced %d"}`, i))
	}
	acks, early := unsynced(traceOf(t, file, writes))
	t.Logf("%d answers, %d early", acks, len(early))
	if acks != writes || len(early) > 0 {
		t.Errorf("%d answers of %d, %d early: %q", acks, writes, len(early), early)
	}
}

// awaitJobs waits until the periodic jobs have had their first turn: they write without any answer of ours.
func awaitJobs(t *testing.T, s *server) {
	t.Helper()
	pool, err := sql.Open("sqlite", s.store().address)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	eventually(t, "the jobs have run", func() bool {
		var n int
		return pool.QueryRow("SELECT COUNT(*) FROM periodic_jobs").Scan(&n) == nil && n >= 3
	})
}

// traceOf reads a trace once the tracer, which is a little behind, has written down all the answers.
func traceOf(t *testing.T, file string, answers int) (calls []*syscallLine) {
	t.Helper()
	eventually(t, "the trace is complete", func() bool {
		text, err := os.ReadFile(file)
		calls = readTrace(string(text))
		acks, _ := unsynced(calls)
		return err == nil && acks >= answers
	})
	return calls
}

// The same checker on a server that answers the same with SQLite set to sync now and then must turn red.
func TestSyncCheckerFindsLateSync(t *testing.T) {
	t.Parallel()
	path := strace(t)
	const writes = 50
	for mode, wantEarly := range map[string]bool{"FULL": false, "NORMAL": true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "trace")
			url := startHelper(t, traceFlags(path, file), mode+" "+dir)
			for i := range writes {
				if a, err := send(newClient(), url, "", "POST /articles", fmt.Sprintf(`{"title":"%d"}`, i)); err != nil || a.status != http.StatusCreated {
					t.Fatal(a, err)
				}
			}
			acks, early := unsynced(traceOf(t, file, writes))
			t.Logf("%d answers, %d early", acks, len(early))
			if acks != writes || wantEarly != (len(early) > writes/2) || !wantEarly && len(early) > 0 {
				t.Errorf("%d answers of %d, %d early", acks, writes, len(early))
			}
		})
	}
}

// startHelper runs this test binary in another part, and gives its address.
func startHelper(t *testing.T, front []string, part string) string {
	t.Helper()
	args := append(front, os.Args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), helperVariable+"="+part)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := startChild(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var url string
	if _, err := fmt.Fscan(out, &url); err != nil {
		t.Fatal(err)
	}
	return url
}

// helper is a server that acknowledges what SQLite has committed, in the mode of syncing that its part names.
func helper(part string) error {
	mode, dir, _ := strings.Cut(part, " ")
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "control.db")+"?_journal_mode=WAL&_synchronous="+mode)
	if err != nil {
		return err
	}
	if _, err := pool.Exec("CREATE TABLE articles (title TEXT)"); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := pool.Exec("INSERT INTO articles (title) VALUES (?)", r.URL.Path); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
	})}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	fmt.Println("http://" + listener.Addr().String())
	return server.Serve(listener)
}

// TestSyncFails lets the kernel refuse to sync from some moment on. What was written since may be lost, and a later
// sync would not say so: nothing may be acknowledged any more until a new start has read what is there.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	path := strace(t)
	s := start(t, launch{})
	l := newLoad(s)
	stop := l.background(t, 4)
	eventually(t, "the load gets through", func() bool { return l.ledger.tally(acked) > 100 })

	tracer := exec.Command(path, "-f", "-q", "-o", os.DevNull, "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO", "-p", fmt.Sprint(s.pid))
	if err := startChild(tracer); err != nil {
		t.Fatal(err)
	}
	eventually(t, "strace holds every thread", func() bool { return traced(s.pid) })
	// By then every worker has its answer to what it sent before.
	eventually(t, "writes are refused", func() bool { return l.ledger.tally(refused) > 100 })
	before := l.ledger.tally(acked)
	s.refusesWrites(t)
	tracer.Process.Signal(syscall.SIGTERM) // the disk seems well again
	tracer.Wait()
	eventually(t, "more writes are refused", func() bool { return l.ledger.tally(refused) > 200 })
	s.refusesWrites(t)
	stop()
	if now := l.ledger.tally(acked); now != before {
		t.Errorf("%d writes were acknowledged after one had failed", now-before)
	}
	t.Logf("%d acknowledged, %d unknown, %d refused: %v", before, l.ledger.tally(unknown), l.ledger.tally(refused), l.ledger.codes)
	s.kill()
	s = s.again(t)
	l.moved(s.url)
	settle(t, l, s)
}

// refusesWrites: writes get 503, the server says that it is not ready, and reads go on.
func (s *server) refusesWrites(t *testing.T) {
	t.Helper()
	for _, call := range []string{"POST /articles", "GET /readyz"} {
		a := s.call(t, s.token, call, map[bool]string{true: `{"title":"Refused"}`}[strings.HasPrefix(call, "POST")])
		if code, err := problem(a); err != nil || a.status != http.StatusServiceUnavailable || code != "unavailable" {
			t.Errorf("%s: %s %v", call, a, err)
		}
	}
	s.want(t, http.StatusOK, "GET /articles?limit=5", "")
	s.want(t, http.StatusOK, "GET /healthz", "")
}
