package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a server that was started, as the system sees it from outside.
type process struct {
	command *exec.Cmd
	address string
	log     *os.File
	ended   chan error
}

// moduleRoot is the folder of go.mod, wherever inside it the command was started.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("start this inside the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// build makes the real binary.
func build(ctx context.Context, root, dir string) (string, error) {
	binary := filepath.Join(dir, "verbless")
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/verbless")
	command.Dir, command.Stderr = root, os.Stderr
	return binary, command.Run()
}

// freeAddress is one that nobody listens at just now.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// start runs a server and waits for its first 200; took is the time from one to the other.
// What the server logs goes to a file, as it would in earnest.
func start(ctx context.Context, dir string, probe maker, command func(address string) *exec.Cmd) (p *process, took time.Duration, err error) {
	address, err := freeAddress()
	if err != nil {
		return nil, 0, err
	}
	p = &process{command: command(address), address: address, ended: make(chan error, 1)}
	if p.log, err = os.CreateTemp(dir, "log-"); err != nil {
		return nil, 0, err
	}
	p.command.Stdout, p.command.Stderr = p.log, p.log
	began := time.Now()
	if err := p.command.Start(); err != nil {
		return nil, 0, err
	}
	go func() { p.ended <- p.command.Wait() }()
	if err := p.firstAnswer(ctx, probe(0, 0)); err != nil {
		return nil, 0, errors.Join(err, p.stop())
	}
	return p, time.Since(began), nil
}

// firstAnswer knocks until somebody listens, and then waits for the answer.
func (p *process) firstAnswer(ctx context.Context, request []byte) error {
	limit := time.Now().Add(patience)
	for {
		c, err := dial(p.address)
		if err == nil {
			defer c.close()
			a, err := c.ask(request)
			if err == nil && a.Status != 200 {
				err = fmt.Errorf("the first answer was %d: %s", a.Status, a.Body)
			}
			return err
		}
		if time.Now().After(limit) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-p.ended:
			p.ended <- err
			text, _ := os.ReadFile(p.log.Name())
			return fmt.Errorf("the server ended before it served: %v\n%s", err, text)
		case <-time.After(500 * time.Microsecond):
		}
	}
}

// stop asks the server to end, and insists after a while.
func (p *process) stop() error {
	defer p.log.Close()
	p.command.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() < 0 {
			return nil // ended by our signal: the limits do not catch it
		}
		return err
	case <-time.After(patience):
		p.command.Process.Kill()
		return errors.New("a server did not stop")
	}
}

// serveCommand runs the real binary with the settings it has by itself, and more of them.
func serveCommand(binary, data string, more ...string) func(address string) *exec.Cmd {
	return func(address string) *exec.Cmd {
		command := exec.Command(binary, append([]string{"serve", "--data", data, "--addr", address}, more...)...)
		for _, pair := range os.Environ() {
			if !strings.HasPrefix(pair, "VERBLESS_") {
				command.Env = append(command.Env, pair)
			}
		}
		return command
	}
}
