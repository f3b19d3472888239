package db_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"verbless/internal/db"
	"verbless/internal/db/dbtest"
)

func TestMigrateOrderAndEngines(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		first := schema("z", "0001_a.sql", "CREATE TABLE log (n BIGINT); INSERT INTO log VALUES (1)",
			"0002_b.sqlite.sql", "INSERT INTO log VALUES (2)", "0002_b.postgres.sql", "INSERT INTO log VALUES (3)")
		second := schema("a", "0001_c.sql", "INSERT INTO log SELECT COUNT(*) * 10 FROM log")
		d := open(first, second)
		want := 23
		if !d.Postgres() {
			want = 22
		}
		if n := count(t, d, "SELECT CAST(SUM(n) AS INTEGER) FROM log"); n != want+1 {
			t.Fatalf("sum %d", n)
		}
		again := open(first, second) // nothing to do
		longer := schema("z", "0001_a.sql", "no longer read", "0002_b.sql", "", "0003_d.sql", "INSERT INTO log VALUES (100)")
		ok(t, again.Migrate(t.Context(), longer, second))
		if n := count(t, d, "SELECT CAST(SUM(n) AS INTEGER) FROM log"); n != want+101 {
			t.Fatalf("sum %d", n)
		}
		err := d.Migrate(t.Context(), first, second) // the older program
		if err == nil || !strings.Contains(err.Error(), "z/0003_d") {
			t.Fatalf("got %v", err)
		}
	})
}

func TestMigrateRefusesBadFiles(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	for _, set := range []db.Migrations{
		schema("x", "1_a.sql", ""),
		schema("x", "0001_a.sql", "", "0001_a.sqlite.sql", ""),
		schema("x", "0001_a.sql", "CREATE TABLE half (id BIGINT); CREATE NONSENSE"),
	} {
		if err := d.Migrate(t.Context(), set); err == nil {
			t.Error("accepted")
		}
	}
	if n := count(t, d, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'half'"); n != 0 {
		t.Error("half a migration was kept")
	}
}

// A start with nothing to do must not wait for a writer.
func TestMigrateWithoutLock(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open(things)
		ok(t, d.Write(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			if err := insertBox(1)(ctx, tx); err != nil {
				return err
			}
			open(things)
			return nil
		}))
	})
}

// marks are where the process of TestMigrateKilled stops to be killed.
const marks = 5

// stopAt is a migration that stops at one of its marks.
func stopAt(mark int, postgres bool) db.Migrations {
	text := "/*0*/ CREATE TABLE a (n BIGINT); /*1*/ INSERT INTO a VALUES (1); /*2*/ CREATE TABLE b (n BIGINT); /*3*/ INSERT INTO b SELECT n FROM a; /*4*/"
	stop := "SELECT stop();"
	if postgres {
		stop = "SELECT pg_sleep(1000);"
	}
	return schema("kill", "0001_before.sql", "CREATE TABLE before (n BIGINT)",
		"0002_kill.sql", strings.ReplaceAll(text, fmt.Sprintf("/*%d*/", mark), stop))
}

// TestMigrateKilled kills a migrating process at each statement: the next start finds the schema before or after the file.
func TestMigrateKilled(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		for mark := range marks {
			t.Run(fmt.Sprint(engine, mark), func(t *testing.T) {
				t.Parallel()
				address := dbtest.SQLite(t)
				if engine == "postgres" {
					address = dbtest.Postgres(t)
				}
				dbtest.Open(t, address) // as an earlier start has left it
				d, err := db.Open(t.Context(), db.Options{URL: address})
				ok(t, err)
				t.Cleanup(func() { d.Close() })
				cmd, out := start(t, "migrate", address, fmt.Sprint(mark))
				awaitStop(t, d, out)
				ok(t, cmd.Process.Kill())
				cmd.Wait()
				if d.Postgres() { // by itself the server would notice only after its statement
					count(t, d, "SELECT COUNT(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE "+sleeping)
				}
				if n := count(t, d, "SELECT COUNT(*) FROM before"); n != 0 {
					t.Fatal("the file before was lost")
				}
				for _, table := range []string{"a", "b"} {
					var n int
					if d.Reader(t.Context()).QueryRow(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n) == nil {
						t.Errorf("table %s was left behind", table)
					}
				}
				ok(t, d.Migrate(t.Context(), stopAt(-1, d.Postgres())))
				if n := count(t, d, "SELECT COUNT(*) FROM b"); n != 1 {
					t.Fatalf("%d rows", n)
				}
			})
		}
	}
}

const sleeping = "datname = current_database() AND wait_event = 'PgSleep'"

// awaitStop returns when the helper has reached the statement that never ends.
func awaitStop(t *testing.T, d *db.DB, out *bufio.Reader) {
	t.Helper()
	if d.Postgres() {
		for count(t, d, "SELECT COUNT(*) FROM pg_stat_activity WHERE "+sleeping) == 0 {
		}
		return
	}
	if line, err := out.ReadString('\n'); err != nil || line != "stopped\n" {
		t.Fatalf("the helper says %q, %v", line, err)
	}
}

func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, _ dbtest.Opener) {
		address := dbtest.SQLite(t)
		if strings.HasSuffix(t.Name(), "postgres") {
			address = dbtest.Postgres(t)
		}
		var all []*exec.Cmd
		var outs []*bufio.Reader
		for range 3 {
			cmd, out := start(t, "migrate", address, "-1")
			all, outs = append(all, cmd), append(outs, out)
		}
		for i, cmd := range all {
			said, _ := io.ReadAll(outs[i])
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
		}
		d := dbtest.Open(t, address, stopAt(-1, false))
		if n := count(t, d, "SELECT COUNT(*) FROM b"); n != 1 {
			t.Fatalf("%d rows", n)
		}
	})
}

// start runs this test program again as a helper.
func start(t *testing.T, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	return startUnder(t, nil, args...)
}

// startUnder puts another program in front of it.
func startUnder(t *testing.T, front []string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	ok(t, err)
	line := append(front, self)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(os.Environ(), "VERBLESS_TEST_HELPER="+strings.Join(args, "\n"))
	out, err := cmd.StdoutPipe()
	ok(t, err)
	cmd.Stderr = os.Stderr
	ok(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, bufio.NewReader(out)
}

// helper is what the test program does as a process of its own.
func helper(run string) {
	args := strings.Split(run, "\n")
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	d, err := db.Open(ctx, db.Options{URL: args[1]})
	check(err)
	if !d.Postgres() {
		check(d.Stopper(func() {
			fmt.Println("stopped")
			time.Sleep(time.Hour) // until killed
		}))
	}
	switch args[0] {
	case "migrate":
		var mark int
		fmt.Sscan(args[2], &mark)
		check(d.Migrate(ctx, stopAt(mark, d.Postgres())))
	case "write":
		writeUntilFailure(ctx, d)
	}
	check(d.Close())
}
