//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// syscallLine is one system call of a trace. Its begin and end are line numbers: the tracer wrote them in order.
type syscallLine struct {
	name, args, result string
	begin, end         int
}

var (
	wholeLine   = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (-?\d+|\?).*$`)
	brokenLine  = regexp.MustCompile(`^(\d+) +(\w+)\((.*?) *<unfinished \.\.\.>$`)
	resumedLine = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+|\?).*$`)
)

// readTrace reads what strace -f wrote.
func readTrace(text string) []*syscallLine {
	var all []*syscallLine
	open := map[string]*syscallLine{} // by thread
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if m := resumedLine.FindStringSubmatch(line); m != nil && open[m[1]] != nil {
			open[m[1]].args += m[3]
			open[m[1]].result, open[m[1]].end = m[4], n
			delete(open, m[1])
		} else if m := brokenLine.FindStringSubmatch(line); m != nil {
			open[m[1]] = &syscallLine{name: m[2], args: m[3], begin: n}
			all = append(all, open[m[1]])
		} else if m := wholeLine.FindStringSubmatch(line); m != nil {
			all = append(all, &syscallLine{m[2], m[3], m[4], n, n})
		}
	}
	return all
}

func (c *syscallLine) log() bool { return strings.Contains(c.args, "-wal>") }
func (c *syscallLine) ack() bool {
	return c.name == "write" && strings.Contains(c.args, `"HTTP/1.1 201`)
}
func (c *syscallLine) sync() bool { return c.name == "fsync" || c.name == "fdatasync" }

// unsynced gives the number of acknowledgements in a trace, and what is wrong with each that was sent too early: its
// last write to the log must have been followed by a sync that succeeded, before the answer went out.
func unsynced(calls []*syscallLine) (acks int, early []string) {
	previous := 0
	for _, ack := range calls {
		if !ack.ack() {
			continue
		}
		acks++
		written, synced := 0, 0
		for _, c := range calls {
			switch {
			case !c.log() || c.end == 0 || c.begin > ack.begin:
			case c.name == "pwrite64" && c.end > previous:
				written = max(written, c.end)
			case c.sync() && c.result == "0" && c.end < ack.begin && c.begin > written:
				synced = max(synced, c.begin)
			}
		}
		if written == 0 || synced < written {
			early = append(early, fmt.Sprintf("answer %d in line %d: last write to the log ends in line %d, last sync after it begins in line %d", acks, ack.begin, written, synced))
		}
		previous = ack.begin
	}
	return acks, early
}

// strace gives the program, or skips the test where it does not work.
func strace(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err == nil {
		err = exec.Command(path, "-f", "-o", os.DevNull, "true").Run()
	}
	if err != nil {
		t.Skip("NOT TESTED WHETHER FSYNC COMES BEFORE THE ANSWER, NOR WHAT HAPPENS WHEN IT FAILS: strace: ", err)
	}
	return path
}

func TestTraceOrder(t *testing.T) {
	t.Parallel()
	const (
		write  = "7 pwrite64(5</d/v.db-wal>, \"x\", 10, 0) = 10\n"
		sync   = "7 fdatasync(5</d/v.db-wal>) = 0\n"
		failed = "7 fdatasync(5</d/v.db-wal>) = -1 EIO (Input/output error) (INJECTED)\n"
		other  = "7 fdatasync(6</d/v.db>) = 0\n"
		begun  = "7 fdatasync(5</d/v.db-wal> <unfinished ...>\n"
		ended  = "7 <... fdatasync resumed>) = 0\n"
		ack    = "8 write(9<socket:[1]>, \"HTTP/1.1 201 Cre\"..., 500) = 500\n"
	)
	for text, early := range map[string]int{
		write + sync + ack:                             0,
		write + begun + ended + ack:                    0,
		write + sync + ack + write + sync + ack:        0,
		write + write + sync + ack:                     0,
		write + ack:                                    1,
		write + ack + sync:                             1,
		write + begun + ack + ended:                    1,
		write + failed + ack:                           1,
		write + other + ack:                            1,
		write + sync + write + ack:                     1,
		write + sync + ack + ack:                       1, // nothing was written for the second
		write + sync + ack + write + ack:               1,
		write + sync + ack + write + ack + write + ack: 2,
	} {
		if _, got := unsynced(readTrace(text)); len(got) != early {
			t.Errorf("%d early, want %d:\n%s%q", len(got), early, text, got)
		}
	}
}
