package db_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/fault"
)

func insertLarge(id int) func(ctx context.Context, tx *db.Tx) error {
	return func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO boxes (id, name) VALUES (?, ?)", id, fmt.Sprint(id, strings.Repeat("x", 50_000)))
		return err
	}
}

// TestDiskFull fills a small disk under the database, and frees it again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("NOT TESTED ON A FULL DISK: mounting a tmpfs: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	ballast := filepath.Join(dir, "ballast")
	ok(t, os.WriteFile(ballast, make([]byte, 4<<20), 0o600))
	d := dbtest.Open(t, "sqlite:"+dir+"/verbless.db", things)

	kept := 0
	var err error
	for id := 1; err == nil && id < 200; id++ {
		if err = d.Write(t.Context(), insertLarge(id)); err == nil {
			kept++
		}
	}
	wantCode(t, err, fault.StorageFull) // it comes at COMMIT, and says that nothing was kept
	if n := count(t, d, "SELECT COUNT(*) FROM boxes"); n != kept {
		t.Fatalf("%d rows, %d acknowledged", n, kept)
	}
	// A crash at this moment: what lies on the disk does not hold it either.
	crashed := t.TempDir()
	for _, name := range []string{"verbless.db", "verbless.db-wal"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		ok(t, err)
		ok(t, os.WriteFile(filepath.Join(crashed, name), text, 0o600))
	}
	if n := count(t, dbtest.Open(t, "sqlite:"+crashed+"/verbless.db", things), "SELECT COUNT(*) FROM boxes"); n != kept {
		t.Fatalf("%d rows after a crash, %d acknowledged", n, kept)
	}
	ok(t, d.Ping(t.Context()))
	ok(t, os.Remove(ballast))
	ok(t, d.Write(t.Context(), insertLarge(1000)))
	var integrity string
	ok(t, d.Reader(t.Context()).QueryRow(t.Context(), "PRAGMA integrity_check").Scan(&integrity))
	if integrity != "ok" {
		t.Fatal(integrity)
	}
}

// The same without a disk of its own: SQLite refuses to let the file grow.
func TestStorageFullRecovers(t *testing.T) {
	t.Parallel()
	d := openLite(t)
	wantCode(t, d.Write(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.Exec(ctx, "PRAGMA max_page_count = 1"); err != nil {
			return err
		}
		return insertLarge(1)(ctx, tx)
	}), fault.StorageFull)
	ok(t, d.Ping(t.Context()))
	ok(t, d.Write(t.Context(), insertLarge(1)))
}

// TestFsyncFailure lets the kernel refuse fsync at some moment: no write may count on a later one.
func TestFsyncFailure(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil || exec.Command(strace, "-o", os.DevNull, "true").Run() != nil {
		t.Skip("NOT TESTED WITH A FAILING FSYNC: strace does not work here")
	}
	address := dbtest.SQLite(t)
	dbtest.Open(t, address, things)
	front := []string{strace, "-f", "-o", os.DevNull, "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=10+"}
	cmd, out := startUnder(t, front, "write", address)
	told := map[string]string{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		told[name] = value
	}
	cmd.Wait()
	for name, want := range map[string]string{"first": "outcome_unknown", "then": "unavailable", "ping": "unavailable", "read": "<nil>"} {
		if told[name] != want {
			t.Errorf("%s: got %s, want %s", name, told[name], want)
		}
	}
	var kept int
	fmt.Sscan(told["kept"], &kept)
	d := dbtest.Open(t, address, things)
	if n := count(t, d, "SELECT COUNT(*) FROM boxes"); kept == 0 || n < kept || n > kept+1 {
		t.Errorf("%d rows, %d acknowledged", n, kept)
	}
}

// writeUntilFailure is the helper of TestFsyncFailure.
func writeUntilFailure(ctx context.Context, d *db.DB) {
	code := func(err error) any {
		if err == nil {
			return err
		}
		return fault.As(err).Code
	}
	kept := 0
	var err error
	for id := 1; id < 1000; id++ {
		if err = d.Write(ctx, insertBox(id)); err != nil {
			break
		}
		kept++
	}
	fmt.Println("kept", kept)
	fmt.Println("first", code(err))
	fmt.Println("then", code(d.Write(ctx, insertBox(2000))))
	fmt.Println("ping", code(d.Ping(ctx)))
	var n int
	fmt.Println("read", code(d.Reader(ctx).QueryRow(ctx, "SELECT COUNT(*) FROM boxes").Scan(&n)))
}

func TestBackup(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open dbtest.Opener) {
		d := open(things)
		file := filepath.Join(t.TempDir(), "copy.db")
		if d.Postgres() {
			if err := d.Backup(t.Context(), file); err == nil || !strings.Contains(err.Error(), "pg_dump") {
				t.Fatal(err)
			}
			return
		}
		ok(t, d.Write(t.Context(), insertBox(1)))
		ok(t, d.Write(t.Context(), func(ctx context.Context, tx *db.Tx) error { // while another writes
			if err := insertBox(2)(ctx, tx); err != nil {
				return err
			}
			return d.Backup(ctx, file)
		}))
		if n := count(t, dbtest.Open(t, "sqlite:"+file, things), "SELECT COUNT(*) FROM boxes"); n != 1 {
			t.Fatalf("%d rows in the copy", n)
		}
		wantCode(t, d.Backup(t.Context(), file), fault.AlreadyExists)
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".backup-*")); len(left) > 0 {
			t.Fatal("left behind: ", left)
		}
	})
}

// Closing leaves one file with everything in it.
func TestCloseChecks(t *testing.T) {
	t.Parallel()
	address := dbtest.SQLite(t)
	d, err := db.Open(t.Context(), db.Options{URL: address})
	ok(t, err)
	ok(t, d.Migrate(t.Context(), things))
	ok(t, d.Write(t.Context(), insertBox(1)))
	ok(t, d.Close())
	if _, err := os.Stat(strings.TrimPrefix(address, "sqlite:") + "-wal"); !os.IsNotExist(err) {
		t.Fatalf("the log is still there: %v", err)
	}
	wantCode(t, d.Write(t.Context(), insertBox(2)), fault.Unavailable)
}
