package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// inData is the name of the settings file that is read without being asked for.
const inData = "verbless.conf"

// file is a settings file that has been read and found right.
type file struct {
	path    string
	entries map[string]entry
}

type entry struct {
	value string
	line  int
}

// findFile reads the file named, else the one in the data folder, else none.
func findFile(named, data string) (*file, error) {
	path := named
	if named == "" {
		path = filepath.Join(data, inData)
	}
	text, err := os.ReadFile(path)
	if named == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("settings file: %w", err)
	}
	f := &file{path: path, entries: map[string]entry{}}
	// The file in the data folder cannot say where the data folder is.
	return f, f.read(string(text), named == "")
}

// read takes every line, and reports all faults at once.
func (f *file) read(text string, found bool) error {
	known := map[string]*kong.Flag{}
	var names []string
	for _, flag := range table(&Settings{}) { // a scratch copy, to try values on
		known[flag.Name] = flag
		names = append(names, flag.Name)
	}
	var faults []error
	for i, line := range strings.Split(text, "\n") {
		name, value, err := parseLine(line)
		flag := known[name]
		switch {
		case err != nil:
		case name == "":
			continue
		case flag == nil:
			err = fmt.Errorf("there is no setting %q; the nearest is %q", name, nearest(name, names))
		case f.entries[name].line > 0:
			err = fmt.Errorf("%s is set a second time, first in line %d", name, f.entries[name].line)
		case name == "config":
			err = fmt.Errorf("a settings file cannot name another one")
		case name == "data" && found:
			err = fmt.Errorf("the data folder that this file was found in is set by --data or VERBLESS_DATA")
		default:
			err = parse(flag, value)
			f.entries[name] = entry{value, i + 1}
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", f.path, i+1, err))
		}
	}
	return errors.Join(faults...)
}

// comment is a # at the start of a value or after a blank; elsewhere it is part of the value.
var comment = regexp.MustCompile(`(^|\s)#.*$`)

// parseLine gives the name and the value of a line; both are empty for a blank line or a comment.
func parseLine(line string) (name, value string, err error) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", "", nil
	}
	name, value, ok := strings.Cut(line, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" {
		return "", "", fmt.Errorf("a line is name = value or a # comment") // not its text, which may be a secret
	}
	name = strings.ReplaceAll(name, "_", "-")
	if quoted, err := strconv.QuotedPrefix(value); err == nil {
		rest := strings.TrimSpace(value[len(quoted):])
		if rest != "" && rest[0] != '#' {
			return "", "", fmt.Errorf("%s: something stands after the quoted value", name)
		}
		value, err = strconv.Unquote(quoted)
		return name, value, err
	}
	return name, strings.TrimSpace(comment.ReplaceAllString(value, "")), nil
}

// resolve hands values to kong, which would let them win over the environment if they were not held back.
func (f *file) resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	e, ok := f.entries[flag.Name]
	if _, set := environment(flag); !ok || set {
		return nil, nil
	}
	return e.value, nil
}

// place says where in the file a setting stands.
func (f *file) place(name string) string {
	return f.path + ":" + strconv.Itoa(f.entries[name].line)
}

// nearest gives the name that takes the fewest letters added, dropped or changed.
func nearest(name string, names []string) string {
	best, least := "", len(name)+1000
	for _, candidate := range names {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

func distance(a, b string) int {
	row := make([]int, len(b)+1) // row[j] is the distance of a[:i] and b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
