// Command withpostgres runs a command with a throw-away PostgreSQL cluster, whose address it finds in
// VERBLESS_TEST_POSTGRES, so that all test processes share one:
//
//	withpostgres go test ./...
//
// It passes signals on to the command, and its exit code on to the caller.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"verbless/internal/db/dbtest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres command [argument…]")
		os.Exit(2)
	}
	os.Exit(run(os.Args[1], os.Args[2:]))
}

func run(name string, args []string) int {
	if os.Getenv(dbtest.AddressVariable) == "" {
		cluster, err := dbtest.Start()
		if err != nil {
			fmt.Fprintln(os.Stderr, "withpostgres:", err)
			return 1
		}
		defer cluster.Stop()
		os.Setenv(dbtest.AddressVariable, cluster.URL)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		return 127
	}
	go func() {
		for s := range signals {
			cmd.Process.Signal(s)
		}
	}()
	return exitCode(cmd.Wait())
}

// exitCode is that of the command; one that a signal ended counts as the shell counts it.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		return 1
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
