//go:build linux

package faults

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"verbless/internal/db/dbtest"
)

// TestLostConnections ends every connection of the service to PostgreSQL, again and again under load.
func TestLostConnections(t *testing.T) {
	t.Parallel()
	address := dbtest.Postgres(t)
	s := start(t, launch{database: address})
	hurt(t, s, 3, func() {
		for range 5 { // also those that were opened in between
			execute(t, address, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		}
	})
}

// TestDatabaseRestarts stops PostgreSQL at once, as a crash does, and starts it again, under load.
func TestDatabaseRestarts(t *testing.T) {
	t.Parallel()
	cluster := ownCluster(t)
	s := start(t, launch{database: cluster.URL})
	rounds := pick(3, 20)
	hurt(t, s, rounds, func() { restart(t, cluster) })
}

// hurt does harm to the database under load. The service must get over it by itself, and keep its word.
func hurt(t *testing.T, s *server, rounds int, harm func()) {
	t.Helper()
	l := newLoad(s)
	stop := l.background(t, 8)
	done, failed := 0, 0
	for range rounds {
		before := l.ledger.tally(acked)
		eventually(t, "the load gets through", func() bool { return l.ledger.tally(acked) >= before+100 })
		harm()
		done++
		harmed := time.Now()
		ready := l.ledger.tally(acked)
		eventually(t, "writes work again", func() bool { return l.ledger.tally(acked) > ready })
		t.Logf("writes worked again after %s", time.Since(harmed).Round(time.Millisecond))
	}
	stop()
	s.want(t, 200, "GET /readyz", "")
	failed = l.ledger.tally(refused) + l.ledger.tally(unknown)
	t.Logf("%d rounds, %d acknowledged, %d failed: %v", done, l.ledger.tally(acked), failed, l.ledger.codes)
	if done != rounds || failed < rounds {
		t.Errorf("%d rounds and %d failures are too few to prove anything", done, failed)
	}
	settle(t, l, s)
}

func execute(t testing.TB, address, text string) {
	t.Helper()
	if err := tryExecute(address, text); err != nil {
		t.Fatal(err)
	}
}

func tryExecute(address, text string) error {
	pool, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer pool.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err = pool.ExecContext(ctx, text)
	return err
}

// ownCluster is a PostgreSQL that nobody shares, because it is going to be hurt.
func ownCluster(t *testing.T) *dbtest.Cluster {
	t.Helper()
	cluster, err := dbtest.Start()
	if err != nil {
		if os.Getenv("VERBLESS_TEST_REQUIRE") == "1" {
			t.Fatal("PostgreSQL is required: ", err)
		}
		t.Skip("NOT TESTED WITH A DATABASE THAT RESTARTS: ", err)
	}
	t.Cleanup(cluster.Stop)
	return cluster
}

// restart stops the server of a cluster as a crash does, and starts another on its files.
func restart(t *testing.T, c *dbtest.Cluster) {
	t.Helper()
	data := filepath.Join(c.Dir, "data")
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := os.Stat(data)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil { // the immediate stop of pg_ctl
		t.Fatal(err)
	}
	eventually(t, "PostgreSQL is gone", func() bool {
		_, err := os.Stat(filepath.Join(data, "postmaster.pid"))
		return errors.Is(err, os.ErrNotExist)
	})
	who := owner.Sys().(*syscall.Stat_t)
	next := exec.Command(program, "-D", data, "-k", c.Dir, "-c", "listen_addresses=", "-c", "max_connections=100")
	next.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		next.SysProcAttr.Credential = &syscall.Credential{Uid: who.Uid, Gid: who.Gid}
	}
	next.Dir = c.Dir
	if err := startChild(next); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() { // no zombie stays when the next round stops it
		defer close(gone)
		next.Wait()
	}()
	t.Cleanup(func() { // before the cluster's own cleanup takes the files away
		next.Process.Signal(syscall.SIGQUIT)
		<-gone
	})
	eventually(t, "PostgreSQL answers", func() bool { return tryExecute(c.URL, "SELECT 1") == nil })
}
