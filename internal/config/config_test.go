package config

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// commands is a command line like the real one: the settings, and commands beside them.
type commands struct {
	Settings `embed:""`
	Serve    struct{} `cmd:""`
	Version  struct{} `cmd:""`
}

// load parses arguments with the file's text in the data folder, and gives the settings that hold.
func load(t *testing.T, file string, args ...string) (*Settings, string, error) {
	t.Helper()
	data := t.TempDir()
	if file != "" {
		write(t, filepath.Join(data, inData), file)
	}
	s, err := parseArgs(t, append([]string{"serve", "--data", data}, args...)...)
	return s, data, err
}

func parseArgs(t *testing.T, args ...string) (*Settings, error) {
	t.Helper()
	var c commands
	k, err := kong.New(&c, Groups(), kong.Exit(func(int) { t.Error("kong wanted to exit") }))
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Parse(args)
	return &c.Settings, err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, s *Settings, name string) Setting {
	t.Helper()
	for _, setting := range s.List() {
		if setting.Name == name {
			return setting
		}
	}
	t.Fatalf("no setting %s", name)
	return Setting{}
}

func TestDefaults(t *testing.T) {
	s := Default()
	want := Settings{
		Data: "./data", Database: "sqlite", LogLevel: "info", LogFormat: "auto", Addr: "127.0.0.1:8080",
		TrashDays: 30, IdempotencyHours: 24, StopTimeout: 30 * time.Second, MaxBody: 2 << 20, MaxHeader: 16 << 10, MaxBatch: 500, EnterpriseSize: 500,
		LocationsTimeout: 2 * time.Second, LocationsCalls: 8, LocationsFresh: time.Minute, LocationsStale: 24 * time.Hour, LocationsRest: 5 * time.Second,
		HeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MinBodyRate: 512,
		Payable: "published", GatewayTimeout: 10 * time.Second, Gateway: "test", StripeURL: "https://api.stripe.com", MailFrom: "verbless@localhost",
		Blobs: "disk", S3Endpoint: "https://s3.amazonaws.com", S3Region: "us-east-1",
		MaxUpload: 100 << 30, UploadDays: 7, MaxAvatar: 3 << 20, AvatarSide: 8192, AvatarPixels: 24_000_000, AvatarAnimation: 50_000_000,
		Metrics: "on", TraceSample: 1, ServiceName: "verbless",
		Edge: Edge{ACMEURL: "https://acme-v02.api.letsencrypt.org/directory", HSTS: 4320 * time.Hour, ProxyHeader: "X-Forwarded-For", CORSMaxAge: 10 * time.Minute, WrongTokens: 100,
			OIDCUsername: "preferred_username", OIDCAdmin: "admin"},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	if err := s.check(); err != nil {
		t.Errorf("the defaults are not valid: %v", err)
	}
	if s.Base() != "http://127.0.0.1:8080" || s.Trash() != 720*time.Hour || s.Idempotency() != 24*time.Hour {
		t.Errorf("got %s, %s, %s", s.Base(), s.Trash(), s.Idempotency())
	}
}

func TestEverySettingCanBeSetInEveryWay(t *testing.T) {
	for _, flag := range table(&Settings{}) {
		env := "VERBLESS_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		standard := slices.IndexFunc(flag.Envs, func(name string) bool { return strings.HasPrefix(name, "OTEL_") }) // a name that others gave it
		if flag.Envs[0] != env || len(flag.Envs) > 1 && standard != 1 || len(flag.Envs) > 2 {
			t.Errorf("%s is called %v in the environment, want %s", flag.Name, flag.Envs, env)
		}
		if flag.Help == "" || flag.Group == nil || !slices.Contains([]string{"store", "server", "files", "observing", "edge"}, flag.Group.Key) {
			t.Errorf("%s needs a help and one of the groups", flag.Name)
		}
	}
}

func TestStrength(t *testing.T) {
	file := "# ours\n\nmax_body = 4MiB\nidle-timeout = 2m # patient\n"
	steps := []struct {
		name, file, env string
		args            []string
		body            Size
		origin          string
	}{
		{"default", "", "", nil, 2 << 20, "default"},
		{"file", file, "", nil, 4 << 20, "file DATA/verbless.conf:3"},
		{"environment", file, "5MiB", nil, 5 << 20, "environment VERBLESS_MAX_BODY"},
		{"flag", file, "5MiB", []string{"--max-body=6MiB"}, 6 << 20, "flag"},
		{"flag over file", file, "", []string{"--max-body=6MiB"}, 6 << 20, "flag"},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			if step.env != "" {
				t.Setenv("VERBLESS_MAX_BODY", step.env)
			}
			s, data, err := load(t, step.file, step.args...)
			if err != nil {
				t.Fatal(err)
			}
			origin := strings.ReplaceAll(find(t, s, "max-body").Origin, data, "DATA")
			if s.MaxBody != step.body || origin != step.origin {
				t.Errorf("got %s from %s, want %s from %s", s.MaxBody, origin, step.body, step.origin)
			}
		})
	}
}

func TestWhichFile(t *testing.T) {
	dir := t.TempDir()
	named := filepath.Join(dir, "named.conf")
	write(t, named, "addr = :1\ndata = "+filepath.Join(dir, "elsewhere")+"\n")
	write(t, filepath.Join(dir, inData), "addr = :2\n")

	byFlag, err := parseArgs(t, "serve", "--config", named)
	if err != nil || byFlag.Addr != ":1" || byFlag.Data != filepath.Join(dir, "elsewhere") {
		t.Errorf("--config: got %+v, %v", byFlag, err)
	}
	t.Setenv("VERBLESS_DATA", dir)
	byData, err := parseArgs(t, "version")
	if err != nil || byData.Addr != ":2" {
		t.Errorf("VERBLESS_DATA: got %+v, %v", byData, err)
	}
	if got := find(t, byData, "config"); got.Value != filepath.Join(dir, inData) || got.Origin != "found in the data folder" {
		t.Errorf("got %+v", got)
	}
	t.Setenv("VERBLESS_CONFIG", named)
	byEnv, err := parseArgs(t, "serve")
	if err != nil || byEnv.Addr != ":1" || find(t, byEnv, "data").Origin != "environment VERBLESS_DATA" {
		t.Errorf("VERBLESS_CONFIG: got %+v, %v", byEnv, err)
	}
	if _, err := parseArgs(t, "serve", "--config", filepath.Join(dir, "missing.conf")); err == nil || !strings.Contains(err.Error(), "missing.conf: no such file") {
		t.Errorf("a missing file that was named: got %v", err)
	}
}

func TestHelpListsServerSettingsWhereTheyMatter(t *testing.T) {
	for command, want := range map[string]bool{"serve": true, "version": false} {
		var out bytes.Buffer
		var c commands
		k := kong.Must(&c, Groups(), kong.Writers(&out, &out), kong.Exit(func(int) { panic("exit") }))
		func() {
			defer func() { recover() }()
			k.Parse([]string{command, "--help"})
		}()
		if got := strings.Contains(out.String(), "--max-body"); got != want || !strings.Contains(out.String(), "VERBLESS_DATABASE") {
			t.Errorf("%s: got\n%s", command, out.String())
		}
	}
}

// TestMain forgets the settings of whoever runs the tests.
func TestMain(m *testing.M) {
	for _, flag := range table(&Settings{}) {
		for _, name := range flag.Envs {
			os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}
