package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which Linux counts the processor time of a process for /proc/PID/stat.
const tick = 10 * time.Millisecond

// cpu is the time that the process has spent on processors so far, user and system. The threads are asked where the
// kernel counts them in nanoseconds, because a tick is as long as hundreds of requests; no thread of a Go server ends.
func (p *process) cpu() (time.Duration, error) {
	dir := fmt.Sprintf("/proc/%d", p.command.Process.Pid)
	threads, err := filepath.Glob(dir + "/task/*/schedstat")
	if err == nil && len(threads) > 0 {
		return threadTime(threads)
	}
	text, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0, err
	}
	return parseCPU(text)
}

// threadTime adds up what the threads have run: the first number of each.
func threadTime(files []string) (time.Duration, error) {
	var sum time.Duration
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		ran, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n)
	}
	return sum, nil
}

// parseCPU takes utime and stime. The name in brackets may hold anything, so fields are counted after it.
func parseCPU(stat []byte) (time.Duration, error) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("/proc/PID/stat has another form than expected")
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick, err
}

// memory is what the process holds now and what it held at most, in bytes.
func (p *process) memory() (now, most int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	return kilobytes(string(text), "VmRSS:"), kilobytes(string(text), "VmHWM:"), nil
}

// kilobytes reads one line of /proc/PID/status, 0 when it is not there.
func kilobytes(status, name string) int64 {
	for line := range strings.Lines(status) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == name {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n << 10
		}
	}
	return 0
}

// fileSystem names the file system that holds dir: a commit to memory would measure nothing.
func fileSystem(dir string) string {
	dir, err := filepath.Abs(dir)
	mounts, merr := os.ReadFile("/proc/self/mounts")
	if err != nil || merr != nil {
		return "unknown"
	}
	return fileSystemOf(string(mounts), dir)
}

func fileSystemOf(mounts, dir string) string {
	best, kind := -1, "unknown"
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		at := fields[1]
		inside := dir == at || strings.HasPrefix(dir, strings.TrimSuffix(at, "/")+"/")
		if inside && len(at) >= best { // a later mount at the same place hides the one before
			best, kind = len(at), fields[2]
		}
	}
	return kind
}

// processor names the CPU.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
