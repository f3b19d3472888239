package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

func TestFileFaultsAreAllReported(t *testing.T) {
	file := "adr = :80\nlogformat = text\nmin_body-rates = 1\n\nthis is nothing\naddr = :80\naddr = :81\n" +
		"trash-days = soon\nlog-level = loud\nmax-body = 2MB\nconfig = x\ndata = y\nstop-timeout = \"5s\" 6s\n"
	_, data, err := load(t, file)
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`1: there is no setting "adr"; the nearest is "addr"`,
		`2: there is no setting "logformat"; the nearest is "log-format"`,
		`3: there is no setting "min-body-rates"; the nearest is "min-body-rate"`,
		`5: a line is name = value or a # comment`,
		`7: addr is set a second time, first in line 6`,
		`8: trash-days: expected a valid 64 bit int but got "soon"`,
		`9: log-level: must be one of debug, info, warn, error, not "loud"`,
		`10: max-body: "2MB" is not a size like 2MiB, 512KiB or 1048576`,
		`11: a settings file cannot name another one`,
		`12: the data folder that this file was found in is set by --data or VERBLESS_DATA`,
		`13: stop-timeout: something stands after the quoted value`,
	}
	got := strings.ReplaceAll(err.Error(), filepath.Join(data, inData)+":", "")
	if got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestLines(t *testing.T) {
	tests := []struct{ line, name, value string }{
		{"", "", ""},
		{"  # a = b", "", ""},
		{"a=b", "a", "b"},
		{" base_url =  http://x/#frag  # why\r", "base-url", "http://x/#frag"},
		{"a = two words # why", "a", "two words"},
		{"a = # nothing", "a", ""},
		{"a =", "a", ""},
		{`a = "b # c=\"d\" " # why`, "a", `b # c="d" `},
		{`a = "open`, "a", `"open`},
	}
	for _, test := range tests {
		if name, value, err := parseLine(test.line); err != nil || name != test.name || value != test.value {
			t.Errorf("%q: got %q, %q, %v", test.line, name, value, err)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	s, _, err := load(t, "", "--database", "postgres://app:hunter2@db:5432/verbless?sslmode=require")
	if err != nil {
		t.Fatal(err)
	}
	if got := find(t, s, "database").Value; got != "postgres://app:xxxxx@db:5432/verbless?sslmode=require" {
		t.Errorf("got %s", got)
	}
	urls := map[string]string{
		"sqlite":                            "sqlite",
		"postgres:///verbless":              "postgres:///verbless",
		"postgres://db/x?password=p":        "postgres://db/x?password=xxxxx",
		"postgres://db/x?sslpassword=p&a=b": "postgres://db/x?a=b&sslpassword=xxxxx",
		"postgres://app:p%zz@db/x":          "xxxxx",
		"postgres://db/x?password=%zz":      "xxxxx",
		"host:hunter2":                      "xxxxx",
	}
	for text, want := range urls {
		if got := maskURL(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	own := struct {
		Key, Empty string `secret:""`
		Open       string
	}{Key: "hunter2", Open: "open"}
	var shown []string
	for _, flag := range kong.Must(&own, kong.NoDefaultHelp()).Model.Flags {
		shown = append(shown, flag.Name+"="+show(flag))
	}
	if got := strings.Join(shown, " "); got != "key=xxxxx empty= open=open" {
		t.Errorf("got %s", got)
	}
}

func TestFaultsNeverShowTheDatabase(t *testing.T) {
	for _, text := range []string{"mysql://app:hunter2@db/x", "postgres://app:hunter2%zz@db/x", "postgres:hunter2", "hunter2"} {
		_, _, err := load(t, "", "--database", text)
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "database: must be sqlite or") {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if _, _, err := load(t, "postgres://app:hunter2@db/x\n"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a line without a name: got %v", err)
	}
}

func TestFaultsOfValues(t *testing.T) {
	t.Setenv("VERBLESS_BASE_URL", "ftp://example.com")
	_, data, err := load(t, "idle-timeout = -1s\n", "--addr=8080", "--trash-days=-1", "--idempotency-hours=0", "--stop-timeout=-1s",
		"--header-timeout=0s", "--max-body=10", "--max-batch=0", "--enterprise-size=0", "--locations-url=ftp://x", "--locations-timeout=2m", "--locations-calls=0", "--locations-fresh=-1s", "--locations-stale=-1s", "--max-header=2MiB")
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`addr: "8080" is not an address like 127.0.0.1:8080 or :8080 (flag)`,
		`base-url: "ftp://example.com" is not an http or https address like https://api.example.com, without user, query and fragment (environment VERBLESS_BASE_URL)`,
		`trash-days: must be 0 to 36500, not -1 (flag)`,
		`idempotency-hours: must be 1 to 8760, not 0 (flag)`,
		`stop-timeout: must not be negative, but is -1s (flag)`,
		`header-timeout: must be 1ms or more, not 0s (flag)`,
		`idle-timeout: must be 1ms or more, not -1s (file DATA/verbless.conf:1)`,
		`max-body: must be 1KiB to 1GiB, not 10 (flag)`,
		`max-batch: must be 1 to 10000, not 0 (flag)`,
		`enterprise-size: must be 1 to 100000000, not 0 (flag)`,
		`locations-url: must be an http or https address without user, query and fragment (flag)`,
		`locations-timeout: must be 1ms to 1m, not 2m0s (flag)`,
		`locations-calls: must be 1 to 1000, not 0 (flag)`,
		`locations-fresh: must not be negative, but is -1s (flag)`,
		`locations-stale: must not be negative, but is -1s (flag)`,
		`max-header: must be 1KiB to 1MiB, not 2MiB (flag)`,
	}
	if got := strings.ReplaceAll(err.Error(), data, "DATA"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestFaultsOfFiles(t *testing.T) {
	_, _, err := load(t, "", "--blobs=s3:///x", "--s3-endpoint=s3.example.com", "--cdn-url=cdn", "--max-avatar=1GiB", "--avatar-side=0", "--avatar-pixels=-1", "--avatar-animation=0",
		"--fetch-allow=10.0.0.0/8, 127.0.0.1", "--s3-secret=hunter2")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Fatalf("got %v", err)
	}
	want := []string{
		`blobs: must be disk or s3://BUCKET, not "s3:///x" (flag)`,
		`s3-endpoint: "s3.example.com" is not an http or https address like https://s3.example.com (flag)`,
		`cdn-url: "cdn" is not an http or https address like https://cdn.example.com/images, without user, query and fragment (flag)`,
		`max-avatar: must be 1KiB to 64MiB, not 1GiB (flag)`,
		`avatar-side: must be 1 to 65535, not 0 (flag)`,
		`avatar-pixels: must be 1 to 1073741824, not -1 (flag)`,
		`avatar-animation: must be 1 to 4294967296, not 0 (flag)`,
		`fetch-allow: "10.0.0.0/8, 127.0.0.1" is not a list of address ranges like 10.1.0.0/16,fd00::/8 (flag)`,
	}
	if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	s, _, err := load(t, "", "--s3-secret=hunter2", "--cdn-url=https://cdn.example.com/a/", "--fetch-allow=10.0.0.0/8, fd00::/8")
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := s.Fetchable()
	if err != nil || len(allowed) != 2 || s.Media() != "https://cdn.example.com/a" || find(t, s, "s3-secret").Value != "xxxxx" {
		t.Errorf("got %v, %v, %s, %s", allowed, err, s.Media(), find(t, s, "s3-secret").Value)
	}
}

func TestBase(t *testing.T) {
	tests := []struct{ addr, base, want string }{
		{"127.0.0.1:8080", "", "http://127.0.0.1:8080"},
		{":8080", "", "http://localhost:8080"},
		{"0.0.0.0:80", "", "http://localhost:80"},
		{"[::]:80", "", "http://localhost:80"},
		{"[::1]:80", "", "http://[::1]:80"},
		{":1", "https://api.example.com/team/", "https://api.example.com/team"},
	}
	for _, test := range tests {
		s := Settings{Addr: test.addr, BaseURL: test.base}
		if got := s.Base(); got != test.want {
			t.Errorf("%+v: got %s", test, got)
		}
	}
	for _, bad := range []string{"api.example.com", "https://", "https://user@host", "https://host/?a", "https://host/#", "https://%zz", "//host"} {
		if validBase(bad) {
			t.Errorf("%s passed", bad)
		}
	}
}

func TestSizes(t *testing.T) {
	good := map[string]Size{"0": 0, "512": 512, "100B": 100, "512KiB": 512 << 10, "2MiB": 2 << 20, "3 GiB": 3 << 30, "1048576": 1 << 20}
	for text, want := range good {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%s: got %d, %v", text, s, err)
		}
	}
	for _, bad := range []string{"", "-1", "+1", "1.5MiB", "2MB", "2mib", "MiB", "9999999999GiB", "9223372036854775808", "1e3", "0x10"} {
		var s Size
		if err := s.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q passed as %d", bad, s)
		}
	}
	for size, want := range map[Size]string{0: "0", 512: "512", 1 << 10: "1KiB", 1536: "1536", 1536 << 10: "1536KiB", 2 << 20: "2MiB", 1 << 30: "1GiB"} {
		if size.String() != want {
			t.Errorf("%d: got %s, want %s", int64(size), size, want)
		}
	}
}

func TestDurationsAreShownAsTyped(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Minute: "1m", 2 * time.Hour: "2h", 90 * time.Second: "1m30s", 10 * time.Minute: "10m", 30 * time.Second: "30s", 0: "0s"} {
		if got := showDuration(d); got != want {
			t.Errorf("%s: got %s", d, got)
		}
	}
}

func TestObserving(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=quite%20secret")
	s, err := parseArgs(t, "serve", "--data", t.TempDir(), "--metrics", "127.0.0.1:9090", "--trace-sample", "0.25")
	if err != nil || s.OTLPEndpoint != "http://collector:4318" || s.Metrics != "127.0.0.1:9090" || s.TraceSample != 0.25 {
		t.Fatalf("got %+v, %v", s, err)
	}
	if line := find(t, s, "otlp-headers"); line.Value != "xxxxx" || line.Origin != "environment OTEL_EXPORTER_OTLP_HEADERS" {
		t.Errorf("got %+v", line)
	}
	t.Setenv("VERBLESS_OTLP_ENDPOINT", "http://another:4318")
	if s, err = parseArgs(t, "serve", "--data", t.TempDir()); err != nil || s.OTLPEndpoint != "http://another:4318" {
		t.Errorf("our own name is not the stronger one: %+v, %v", s, err)
	}
	_, err = parseArgs(t, "serve", "--data", t.TempDir(), "--metrics", "everywhere", "--trace-sample", "NaN", "--otlp-endpoint", "http://user:hidden@collector", "--otlp-headers", "no-value-of-hidden")
	for _, name := range []string{"metrics:", "trace-sample:", "otlp-endpoint:", "otlp-headers:"} {
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
