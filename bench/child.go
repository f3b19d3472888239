package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
)

// childVariable names the limit that this binary is to serve when it has been started by itself.
const childVariable = "VERBLESS_BENCH_CHILD"

// answers are what the real server said, by the name of the row.
type answers map[string]answer

// runChild serves a limit if that is what this process is for.
func runChild() bool {
	which := os.Getenv(childVariable)
	if which == "" {
		return false
	}
	if err := serveChild(which, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	return true
}

// serveChild takes the address, the file of answers, and for writes the folder to write to.
func serveChild(which string, args []string) error {
	go func() { // the end of the parent closes the pipe, and then this process must not stay
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	kept, err := readAnswers(args[1])
	if err != nil {
		return err
	}
	handler := bare(kept)
	switch which {
	case "commit":
		if handler, err = commits(kept, args[2]); err != nil {
			return err
		}
	case "large":
		handler = sink(kept, args[2])
	case "file":
		handler = files(kept, args[2])
	}
	server := &http.Server{Addr: args[0], Handler: handler}
	return server.ListenAndServe()
}

// childCommand starts this binary again as a limit.
func childCommand(which string, args ...string) func(address string) *exec.Cmd {
	return func(address string) *exec.Cmd {
		command := exec.Command(os.Args[0], append([]string{address}, args...)...)
		command.Env = append(os.Environ(), childVariable+"="+which)
		command.StdinPipe() // fails only after a start; it stays open as long as we live
		return command
	}
}

func writeAnswers(file string, kept answers) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func readAnswers(file string) (answers, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var kept answers
	return kept, json.Unmarshal(text, &kept)
}
