//go:build linux

package faults

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	_ "modernc.org/sqlite" // to look into the files of the program

	"verbless/internal/db/dbtest"
)

// helperVariable makes this test binary play another part, see helper.
const helperVariable = "VERBLESS_FAULTS_HELPER"

// binary is the program under test.
var binary string

// soak asks for the long runs.
var soak = os.Getenv("VERBLESS_SOAK") == "1"

func TestMain(m *testing.M) {
	if part := os.Getenv(helperVariable); part != "" {
		if err := helper(part); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	go startChildren()
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, "build the binary:", err)
		os.Exit(1)
	}
	dbtest.Main(m)
}

// build makes the binary once for all tests.
func build() error {
	dir, err := os.MkdirTemp("", "verbless-faults-")
	if err != nil {
		return err
	}
	if err := removeAtEnd(dir); err != nil {
		return err
	}
	binary = filepath.Join(dir, "verbless")
	out, err := exec.Command("go", "build", "-o", binary, "verbless/cmd/verbless").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// leash is held as long as this process lives.
var leash io.Closer

// removeAtEnd takes a folder away when this process is gone, however that happens: then the shell's input ends.
func removeAtEnd(dir string) error {
	guard := exec.Command("sh", "-c", `cat >/dev/null; rm -rf "$1"`, "sh", dir)
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if leash, err = guard.StdinPipe(); err != nil {
		return err
	}
	return guard.Start()
}

// starts hands commands to the one thread that starts all children.
var starts = make(chan func())

// startChildren stays on one thread for ever: a child with Pdeathsig dies with the thread that made it.
func startChildren() {
	runtime.LockOSThread()
	for start := range starts {
		start()
	}
}

// startChild starts a command that does not outlive this process.
func startChild(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	result := make(chan error)
	starts <- func() { result <- cmd.Start() }
	return <-result
}
