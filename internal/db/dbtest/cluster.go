package dbtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// AddressVariable names the cluster that tests use instead of starting one.
const AddressVariable = "VERBLESS_TEST_POSTGRES"

// Cluster is a throw-away PostgreSQL server on a unix socket. It ends with Stop, or with the process that started it.
type Cluster struct {
	URL   string // of its database postgres, as its superuser
	Dir   string // its socket and its log
	bin   string
	guard *exec.Cmd
	leash io.Closer
}

// watch runs the server until standard input ends, which it does when the process that started it is gone, however
// that happened. Then it takes everything away.
const watch = `
"$1" -D "$2/data" -k "$2" -c listen_addresses= -c max_connections=400 -c shared_buffers=64MB >"$2/log" 2>&1 &
cat >/dev/null
kill -QUIT $(head -n 1 "$2/data/postmaster.pid")
wait
until rm -rf "$2" 2>/dev/null; do sleep 0.1; done
`

// Start makes a cluster with the binaries it finds and waits until it answers.
func Start() (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(shortTemp(), "vbl-pg-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Dir: dir, bin: bin}
	as, err := unprivileged(dir)
	if err == nil {
		err = c.start(as)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return c, nil
}

func (c *Cluster) start(as *syscall.SysProcAttr) error {
	initdb := exec.Command(filepath.Join(c.bin, "initdb"), "-D", filepath.Join(c.Dir, "data"),
		"-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = as, c.Dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	c.guard = exec.Command("sh", "-c", watch, "sh", filepath.Join(c.bin, "postgres"), c.Dir)
	c.guard.SysProcAttr, c.guard.Dir = as, c.Dir
	leash, err := c.guard.StdinPipe()
	if err != nil {
		return err
	}
	c.leash = leash
	if err := c.guard.Start(); err != nil {
		return err
	}
	query := url.Values{"host": {c.Dir}, "user": {"postgres"}}
	c.URL = "postgres:///postgres?" + query.Encode()
	return c.await()
}

// await asks until the server answers.
func (c *Cluster) await() error {
	for limit := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		err := execute(c.URL, "SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(limit) {
			log, _ := os.ReadFile(filepath.Join(c.Dir, "log"))
			c.Stop()
			return fmt.Errorf("%w: %s", err, bytes.TrimSpace(log))
		}
	}
}

// Restart crashes the server and starts it again.
func (c *Cluster) Restart() error {
	cmd := exec.Command(filepath.Join(c.bin, "pg_ctl"), "-D", filepath.Join(c.Dir, "data"), "-m", "immediate", "-l", filepath.Join(c.Dir, "log"), "restart")
	cmd.SysProcAttr, cmd.Dir = c.guard.SysProcAttr, c.Dir
	if err := cmd.Run(); err != nil { // no pipes: the server would inherit them
		return fmt.Errorf("pg_ctl restart: %w", err)
	}
	return c.await()
}

// Stop takes the cluster down and removes its files.
func (c *Cluster) Stop() {
	c.leash.Close()
	c.guard.Wait()
}

// binaries finds the folder of initdb and postgres. A link in PATH may lead there.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(real), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("no initdb, neither in PATH nor in /usr/lib/postgresql; install PostgreSQL or set " + AddressVariable)
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// shortTemp is a folder in which the path of a socket is not too long.
func shortTemp() string {
	if dir := os.TempDir(); len(dir) < 60 {
		return dir
	}
	return "/tmp"
}

// unprivileged: PostgreSQL refuses to run as root, so dir is given to another user. A group of its own keeps the
// server from the signals of the terminal.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(who.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(who.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attr, os.Chown(dir, int(uid), int(gid))
}
