//go:build linux

package faults

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"verbless/internal/db/dbtest"
)

// onBoth runs fn with a server of each engine.
func onBoth(t *testing.T, fn func(t *testing.T, s *server)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, start(t, launch{}))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, start(t, launch{database: dbtest.Postgres(t)}))
	})
}

const firstUUID = "01890a5d-ac96-774b-bcce-000000000001"

// directories are the same two companies in each of the forms that a file may have.
var directories = map[string]string{
	"array": `[{"uuid":"` + firstUUID + `","name":"Acme","employee_count":600,"contact_info":{"email":"ann@acme.example"}},` + "\n" + `{"name":"Beta","status":"prospect"}]`,
	"lines": `{"uuid":"` + firstUUID + `","name":"Acme","employee_count":600,"contact_info":{"email":"ann@acme.example"}}` + "\n" + `{"name":"Beta","status":"prospect"}` + "\n",
	"csv":   "uuid,name,status,employee_count,contact_email\n" + firstUUID + ",Acme,,600,ann@acme.example\n,Beta,prospect,,\n",
}

// names lists the companies that the server shows.
func names(t *testing.T, s *server) string {
	t.Helper()
	var page struct {
		Companies []struct {
			Name, Status string
			Enterprise   bool
		}
	}
	if err := json.Unmarshal(s.want(t, 200, "GET /companies?sort=name&partials=enterprise", "").body, &page); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, c := range page.Companies {
		list = append(list, fmt.Sprintf("%s %s %t", c.Name, c.Status, c.Enterprise))
	}
	return strings.Join(list, ", ")
}

// TestImportCommand loads each kind of file, by its name and from the standard input, while the server runs; the same file again
// changes nothing that has a uuid.
func TestImportCommand(t *testing.T) {
	t.Parallel()
	for kind, text := range directories {
		t.Run(kind, func(t *testing.T) {
			onBoth(t, func(t *testing.T, s *server) {
				file := filepath.Join(t.TempDir(), "companies")
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				out, errs, code := s.command(t, "companies", "import", file)
				if code != 0 || errs != "" || out != "2 rows read, 2 written, 0 as they were.\n" {
					t.Fatalf("%d %q %q", code, out, errs)
				}
				if got := names(t, s); got != "Acme active true, Beta prospect false" {
					t.Errorf("got %s", got)
				}
				again := s.prepared("companies", "import", "-")
				again.Stdin = strings.NewReader(text)
				if out, errs, code := again.run(t); code != 0 || errs != "" || out != "2 rows read, 1 written, 1 as they were.\n" {
					t.Errorf("again: %d %q %q", code, out, errs)
				}
			})
		})
	}
}

// TestImportOfBadRows reports every one of them on the standard error, with its line and why, ends with 1 and changes nothing.
func TestImportOfBadRows(t *testing.T) {
	t.Parallel()
	bad := map[string]struct {
		text string
		said []string // the lines, by how they begin
	}{
		"array": {"[{\"name\":\"Good\"},\n{\"name\":7},\n{\"nam\":\"x\"}]", []string{"line 2: /name: ", "line 3: /nam: ", "line 3: /name: ", "verbless: 2 of 3 rows are bad; nothing was imported"}},
		"lines": {"{\"name\":\"Good\"}\nnothing\n{\"uuid\":\"x\",\"name\":\"A\"}\n", []string{"line 2: ", "line 3: /uuid: ", "verbless: 2 of 3 rows are bad; nothing was imported"}},
		"csv":   {"name,employee_count\nGood,1\nBad,many\nBad\n", []string{"line 3: /employee_count: ", "line 4: the row has 1 cells", "verbless: 2 of 3 rows are bad; nothing was imported"}},
		"known": {"[{\"uuid\":\"" + firstUUID + "\",\"name\":\"Changed\"},{\"name\":\"\"}]", []string{"line 1: /name: ", "verbless: 1 of 2 rows are bad; nothing was imported"}},
		"cut":   {"[{\"name\":\"Good\"},\n{\"name\"", []string{"verbless: line 2: the JSON cannot be read further"}},
		"sheet": {"name,fax\nA,1\n", []string{"verbless: line 1: there is no column \"fax\""}},
	}
	onBoth(t, func(t *testing.T, s *server) {
		load := func(text string) (out, errs string, code int) {
			cmd := s.prepared("companies", "import", "-")
			cmd.Stdin = strings.NewReader(text)
			return cmd.run(t)
		}
		if out, errs, code := load(directories["lines"]); code != 0 {
			t.Fatalf("%d %q %q", code, out, errs)
		}
		before := s.want(t, 200, "GET /companies?partials=full", "")
		for name, test := range bad {
			out, errs, code := load(test.text)
			lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
			if code != 1 || out != "" || len(lines) != len(test.said) {
				t.Errorf("%s: %d %q %q", name, code, out, errs)
				continue
			}
			for i, want := range test.said {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("%s: said %q, want %q", name, lines[i], want)
				}
			}
		}
		if _, errs, code := s.command(t, "companies", "import", filepath.Join(t.TempDir(), "none")); code != 1 || !strings.Contains(errs, "no such file") {
			t.Errorf("a file that is not there: %d %q", code, errs)
		}
		if after := s.want(t, 200, "GET /companies?partials=full", ""); string(after.body) != string(before.body) || after.header.Get("ETag") != before.header.Get("ETag") {
			t.Errorf("something changed: %s", after)
		}
	})
}

// terminal is a pseudo-terminal: what a program prints at one end is read at the other.
func terminal(t *testing.T) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return screen, program
}

// TestProgress is shown at a terminal alone, and clears its line before anything else is said.
func TestProgress(t *testing.T) {
	t.Parallel()
	s := start(t, launch{})
	var many strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&many, "{\"name\":\"Company %d\"}\n", i)
	}
	watched := func(text string) (out, shown string, code int) {
		screen, program := terminal(t)
		seen := make(chan string)
		go func() {
			all, _ := io.ReadAll(screen) // ends with an error when the program has gone
			seen <- string(all)
		}()
		cmd := s.prepared("companies", "import", "-")
		cmd.Stdin, cmd.Stderr = strings.NewReader(text), program
		out, _, code = cmd.run(t)
		program.Close()
		return out, <-seen, code
	}
	out, shown, code := watched(many.String())
	if code != 0 || out != "2500 rows read, 2500 written, 0 as they were.\n" {
		t.Errorf("%d %q %q", code, out, shown)
	}
	for _, want := range []string{"\r1000 rows read, 0 written ", "\r2000 rows read, 0 written ", "\r2500 rows read, 512 written ", "\r2500 rows read, 2500 written "} {
		if !strings.Contains(shown, want) {
			t.Errorf("the terminal shows %q, without %q", shown, want)
		}
	}
	if out, shown, code := watched(many.String() + "{}\n"); code != 1 || out != "" || !strings.Contains(shown, "written \r\x1b[Kline 2501: /name: ") {
		t.Errorf("a bad row: %d %q %q", code, out, shown)
	}
	piped := s.prepared("companies", "import", "-")
	piped.Stdin = strings.NewReader(many.String())
	if _, errs, code := piped.run(t); code != 0 || errs != "" {
		t.Errorf("without a terminal: %d %q", code, errs)
	}
}

// TestExportCommand prints what import takes, into the same store and into another.
func TestExportCommand(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *server) {
		s.want(t, 201, "POST /companies", `{"company":{"name":"Zoë & <co>","metadata":{"b":1.50,"a":[null]},"locations":[{"name":"Hut"}],"website":"https://zoe.example"}}`)
		s.want(t, 201, "POST /companies", `{"company":{"name":"Beta","status":"inactive","employee_count":501}}`)
		first, errs, code := s.command(t, "companies", "export")
		if code != 0 || errs != "" || strings.Count(first, "\n") != 2 {
			t.Fatalf("%d %q %q", code, first, errs)
		}
		load := func(to *server, want string) {
			t.Helper()
			cmd := to.prepared("companies", "import", "-")
			cmd.Stdin = strings.NewReader(first)
			if out, errs, code := cmd.run(t); code != 0 || errs != "" || out != want {
				t.Errorf("%d %q %q", code, out, errs)
			}
		}
		load(s, "2 rows read, 0 written, 2 as they were.\n")
		other := start(t, launch{})
		load(other, "2 rows read, 2 written, 0 as they were.\n")
		var here, there struct{ Companies []map[string]any }
		for to, from := range map[*server]any{s: &here, other: &there} {
			if err := json.Unmarshal(to.want(t, 200, "GET /companies?sort=name&partials=full", "").body, from); err != nil {
				t.Fatal(err)
			}
		}
		for i := range here.Companies {
			for _, own := range []string{"created_at", "updated_at"} {
				delete(here.Companies[i], own)
				delete(there.Companies[i], own)
			}
		}
		if fmt.Sprint(here) != fmt.Sprint(there) {
			t.Errorf("got %v, want %v", there, here)
		}
	})
}

// TestImportMemory: the size of a file makes no difference to the memory that loading it takes, but for
// the uuids. A million rows, in the long run.
func TestImportMemory(t *testing.T) {
	t.Parallel()
	rows, most := 30_000, int64(80) // megabytes
	if soak {
		rows, most = 1_000_000, 200
	}
	onBoth(t, func(t *testing.T, s *server) {
		cmd := s.prepared("companies", "import", "-")
		input, feed := io.Pipe()
		cmd.Stdin = input
		peak := make(chan int64, 1)
		go func() {
			out := bufio.NewWriter(feed)
			for i := range rows {
				fmt.Fprintf(out, `{"uuid":"01890a5d-ac96-774b-bcce-%012x","name":"Company %d","employee_count":%d,"website":"https://c%d.example","contact_info":{"name":"Ann %d","email":"ann%d@example.com"},"locations":[{"name":"Head office","city":"Bern"}]}`+"\n", i, i, i%2000, i, i, i)
			}
			feed.CloseWithError(out.Flush())
			peak <- peakOf(cmd.Process.Pid) // it runs: it has read all that
		}()
		out, errs, code := cmd.run(t)
		if want := fmt.Sprintf("%d rows read, %d written, 0 as they were.\n", rows, rows); code != 0 || out != want {
			t.Fatalf("%d %q %q", code, out, errs)
		}
		held := <-peak >> 20
		t.Logf("%d rows: %d MB", rows, held)
		if held > most {
			t.Errorf("%d rows took %d MB", rows, held)
		}
	})
}

// peakOf watches a process to its end, and gives the most memory that it held. What the system reports of a process that ended counts
// the memory of whoever started it.
func peakOf(pid int) (most int64) {
	for {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		_, rest, alive := strings.Cut(string(text), "VmHWM:")
		if err != nil || !alive {
			return most
		}
		var kilobytes int64
		fmt.Sscan(rest, &kilobytes)
		most = max(most, kilobytes<<10)
		time.Sleep(time.Millisecond)
	}
}

// TestLocationsCommand plays the other system: it answers for one and for many, fails as often as it was told, and takes its time.
func TestLocationsCommand(t *testing.T) {
	t.Parallel()
	const two = "?companies=" + firstUUID + ",x"
	get := func(t *testing.T, address, token string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	t.Run("well", func(t *testing.T) {
		t.Parallel()
		at := serveLocations(t)
		status, text := get(t, at+two, "")
		var many struct {
			Locations map[string][]struct{ Name, City string }
		}
		if err := json.Unmarshal([]byte(text), &many); status != 200 || err != nil || len(many.Locations) != 2 || many.Locations["x"][0].Name == "" {
			t.Errorf("%d %s %v", status, text, err)
		}
		if status, text := get(t, at+"/x", ""); status != 200 || !strings.HasPrefix(text, `{"locations":[{`) {
			t.Errorf("one: %d %s", status, text)
		}
		if status, _ := get(t, strings.TrimSuffix(at, "/locations"), ""); status != 404 {
			t.Errorf("elsewhere: %d", status)
		}
		s := start(t, launch{flags: []string{"--locations-url", at}})
		path := strings.TrimPrefix(s.want(t, 201, "POST /companies", `{"company":{"name":"Acme"}}`).header.Get("Location"), "http://verbless.test")
		eventually(t, "locations are shown", func() bool {
			return strings.Contains(string(s.want(t, 200, "GET "+path+"?partials=locations", "").body), "Head office")
		})
	})
	t.Run("failing", func(t *testing.T) {
		t.Parallel()
		at := serveLocations(t, "--failures", "100")
		for range 20 {
			if status, text := get(t, at+two, ""); status != 503 {
				t.Errorf("%d %s", status, text)
			}
		}
		sometimes, counts := serveLocations(t, "--failures", "30"), map[int]int{}
		for range 400 { // out of 400, 30 % give less than 60 or more than 200 once in 10^12 runs
			status, _ := get(t, sometimes+two, "")
			counts[status]++
		}
		if counts[503] < 60 || counts[503] > 200 || counts[200]+counts[503] != 400 {
			t.Errorf("at 30 out of a hundred: %v", counts)
		}
	})
	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		at, begun := serveLocations(t, "--delay", "300ms"), time.Now()
		if status, text := get(t, at+two, ""); status != 200 || time.Since(begun) < 300*time.Millisecond {
			t.Errorf("%d %s in %s", status, text, time.Since(begun))
		}
	})
	t.Run("strict", func(t *testing.T) {
		t.Parallel()
		at := serveLocations(t, "--token", "sesame", "--singly")
		for token, want := range map[string]int{"": 401, "wrong": 401, "sesame": 200} {
			if status, text := get(t, at+"/x", token); status != want {
				t.Errorf("with the token %q: %d %s", token, status, text)
			}
		}
		if status, _ := get(t, at+two, "sesame"); status != 405 {
			t.Errorf("for many: %d", status)
		}
	})
	s := start(t, launch{})
	for _, wrong := range []string{"--failures=101", "--failures=-1", "--delay=-1s", "--listen=nowhere"} {
		if out, errs, code := s.command(t, "locations", "serve", wrong); code != 1 || errs == "" || out != "" {
			t.Errorf("%s: %d %q %q", wrong, code, out, errs)
		}
	}
}

// serveLocations runs the stand-in until the test ends, and gives its address.
func serveLocations(t *testing.T, flags ...string) string {
	t.Helper()
	cmd := (&server{how: launch{dir: t.TempDir(), database: "sqlite"}}).prepared(append([]string{"locations", "serve", "--listen", "127.0.0.1:0"}, flags...)...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = startChild(cmd.Cmd)
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("asked to end: %v", err)
		}
	})
	_, at, ok := strings.Cut(strings.TrimSpace(line), " at ")
	if !ok {
		t.Fatalf("it said %q", line)
	}
	return at
}
