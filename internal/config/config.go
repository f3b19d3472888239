// Package config is the one table of settings: what each is called, what it may be, and where its value came from.
//
// A command line that embeds Settings takes every setting as a flag, from the environment, and from a file of lines
// "name = value", in that order of strength. Faults of a file and of values are all reported at once. The package
// only reads settings: it opens nothing but the file, and it does not look whether an address or a database answers.
package config

import (
	"cmp"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Settings is every setting there is. A new one is a new field here, and nothing more.
//
// The tag secret says what may not be printed: secret:"url" the password of an address, secret:"" the whole value.
type Settings struct {
	Config    string `name:"config" env:"VERBLESS_CONFIG" group:"store" placeholder:"FILE" help:"Read settings from FILE, lines of name = value. Left out: verbless.conf in the data folder, if it exists."`
	Data      string `name:"data" env:"VERBLESS_DATA" group:"store" default:"./data" placeholder:"DIR" help:"Folder that holds everything kept on disk (${default})."`
	Database  string `name:"database" env:"VERBLESS_DATABASE" group:"store" default:"sqlite" secret:"url" placeholder:"URL" help:"sqlite, kept in the data folder, or postgres://… (${default})."`
	LogLevel  string `name:"log-level" env:"VERBLESS_LOG_LEVEL" group:"store" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Least level that is logged: ${enum} (${default})."`
	LogFormat string `name:"log-format" env:"VERBLESS_LOG_FORMAT" group:"store" default:"auto" enum:"auto,text,json" placeholder:"FORMAT" help:"${enum}; auto is text on a terminal, else json (${default})."`

	Addr             string        `name:"addr" env:"VERBLESS_ADDR" group:"server" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to listen at (${default})."`
	BaseURL          string        `name:"base-url" env:"VERBLESS_BASE_URL" group:"server" placeholder:"URL" help:"Address that clients use; every link starts with it. Left out: http:// or https:// and the address listened at, or the first name of acme-domains."`
	Only             string        `name:"only" env:"VERBLESS_ONLY" group:"server" default:"" enum:",uploads" placeholder:"PART" help:"Serve one part of the API alone, beside a server of all of it on the same store: uploads."`
	Demo             bool          `name:"demo" env:"VERBLESS_DEMO" group:"server" help:"Fill an empty store with samples, and print three calls to try."`
	TrashDays        int           `name:"trash-days" env:"VERBLESS_TRASH_DAYS" group:"server" default:"30" placeholder:"DAYS" help:"Days until a trashed article is removed for good; 0 keeps it (${default})."`
	IdempotencyHours int           `name:"idempotency-hours" env:"VERBLESS_IDEMPOTENCY_HOURS" group:"server" default:"24" placeholder:"HOURS" help:"Hours that an Idempotency-Key is remembered (${default})."`
	StopTimeout      time.Duration `name:"stop-timeout" env:"VERBLESS_STOP_TIMEOUT" group:"server" default:"30s" placeholder:"TIME" help:"How long running requests may take to finish when the server stops (${default})."`
	MaxBody          Size          `name:"max-body" env:"VERBLESS_MAX_BODY" group:"server" default:"2MiB" placeholder:"SIZE" help:"Largest JSON body (${default})."`
	MaxHeader        Size          `name:"max-header" env:"VERBLESS_MAX_HEADER" group:"server" default:"16KiB" placeholder:"SIZE" help:"Most that the headers of a request may hold (${default})."`
	MaxBatch         int           `name:"max-batch" env:"VERBLESS_MAX_BATCH" group:"server" default:"500" placeholder:"COUNT" help:"Most messages that one batch may hold (${default})."`
	EnterpriseSize   int           `name:"enterprise-size" env:"VERBLESS_ENTERPRISE_SIZE" group:"server" default:"500" placeholder:"COUNT" help:"Employees from which a company is an enterprise (${default})."`
	LocationsURL     string        `name:"locations-url" env:"VERBLESS_LOCATIONS_URL" group:"server" secret:"url" placeholder:"URL" help:"System that keeps the locations of companies. Left out: they are kept here."`
	LocationsToken   string        `name:"locations-token" env:"VERBLESS_LOCATIONS_TOKEN" group:"server" secret:"" placeholder:"TOKEN" help:"Bearer token for that system."`
	LocationsTimeout time.Duration `name:"locations-timeout" env:"VERBLESS_LOCATIONS_TIMEOUT" group:"server" default:"2s" placeholder:"TIME" help:"How long an answer waits for locations (${default})."`
	LocationsCalls   int           `name:"locations-calls" env:"VERBLESS_LOCATIONS_CALLS" group:"server" default:"8" placeholder:"COUNT" help:"Most calls to that system at once (${default})."`
	LocationsFresh   time.Duration `name:"locations-fresh" env:"VERBLESS_LOCATIONS_FRESH" group:"server" default:"1m" placeholder:"TIME" help:"How long locations are good without asking again (${default})."`
	LocationsStale   time.Duration `name:"locations-stale" env:"VERBLESS_LOCATIONS_STALE" group:"server" default:"24h" placeholder:"TIME" help:"How long after that they stand in when the system does not answer (${default})."`
	LocationsRest    time.Duration `name:"locations-rest" env:"VERBLESS_LOCATIONS_REST" group:"server" default:"5s" placeholder:"TIME" help:"How long that system is left alone when it keeps failing (${default})."`
	HeaderTimeout    time.Duration `name:"header-timeout" env:"VERBLESS_HEADER_TIMEOUT" group:"server" default:"5s" placeholder:"TIME" help:"How long the headers of a request may take to arrive (${default})."`
	IdleTimeout      time.Duration `name:"idle-timeout" env:"VERBLESS_IDLE_TIMEOUT" group:"server" default:"60s" placeholder:"TIME" help:"How long an unused connection stays open (${default})."`
	MinBodyRate      Size          `name:"min-body-rate" env:"VERBLESS_MIN_BODY_RATE" group:"server" default:"512" placeholder:"SIZE" help:"Bytes per second below which a body is given up; 0 waits forever (${default})."`
	Payable          string        `name:"payable" env:"VERBLESS_PAYABLE" group:"server" default:"published" placeholder:"STATUSES" help:"Statuses in which an invoice can be paid, of published, sent and failed, with commas between (${default})."`
	GatewayTimeout   time.Duration `name:"gateway-timeout" env:"VERBLESS_GATEWAY_TIMEOUT" group:"server" default:"10s" placeholder:"TIME" help:"How long the payment gateway may take to answer before an attempt is left pending and settled later (${default})."`
	Gateway          string        `name:"gateway" env:"VERBLESS_GATEWAY" group:"server" default:"test" enum:"test,stripe" placeholder:"NAME" help:"Payment gateway: ${enum}; test moves no money (${default})."`
	StripeKey        string        `name:"stripe-key" env:"VERBLESS_STRIPE_KEY" group:"server" secret:"" placeholder:"KEY" help:"Secret key of the Stripe account."`
	StripeURL        string        `name:"stripe-url" env:"VERBLESS_STRIPE_URL" group:"server" default:"https://api.stripe.com" placeholder:"URL" help:"Address of Stripe's API (${default})."`
	SMTP             string        `name:"smtp" env:"VERBLESS_SMTP" group:"server" secret:"url" placeholder:"URL" help:"Mail server, like smtp://user:password@host:587 (STARTTLS is required unless ?starttls=optional or never) or smtps://host. Left out: mails are files in the folder mail of the data folder."`
	MailFrom         string        `name:"mail-from" env:"VERBLESS_MAIL_FROM" group:"server" default:"verbless@localhost" placeholder:"ADDRESS" help:"Sender of mails (${default})."`

	Blobs           string `name:"blobs" env:"VERBLESS_BLOBS" group:"files" default:"disk" placeholder:"WHERE" help:"Where images and files are kept: disk, in the data folder, or s3://BUCKET (${default})."`
	S3Endpoint      string `name:"s3-endpoint" env:"VERBLESS_S3_ENDPOINT" group:"files" default:"https://s3.amazonaws.com" placeholder:"URL" help:"Address of S3 (${default})."`
	S3Region        string `name:"s3-region" env:"VERBLESS_S3_REGION" group:"files" default:"us-east-1" placeholder:"NAME" help:"Region of the bucket (${default})."`
	S3Key           string `name:"s3-key" env:"VERBLESS_S3_KEY" group:"files" placeholder:"KEY" help:"Access key of S3."`
	S3Secret        string `name:"s3-secret" env:"VERBLESS_S3_SECRET" group:"files" secret:"" placeholder:"SECRET" help:"Secret key of S3."`
	CDNURL          string `name:"cdn-url" env:"VERBLESS_CDN_URL" group:"files" placeholder:"URL" help:"Address under which images are shown; it must lead to /media of this service. Left out: this service's own."`
	MaxAvatar       Size   `name:"max-avatar" env:"VERBLESS_MAX_AVATAR" group:"files" default:"3MiB" placeholder:"SIZE" help:"Largest avatar (${default})."`
	AvatarSide      int    `name:"avatar-side" env:"VERBLESS_AVATAR_SIDE" group:"files" default:"8192" placeholder:"PIXELS" help:"Greatest width and height of an avatar (${default})."`
	AvatarPixels    int64  `name:"avatar-pixels" env:"VERBLESS_AVATAR_PIXELS" group:"files" default:"24000000" placeholder:"PIXELS" help:"Most pixels of an avatar (${default})."`
	AvatarAnimation int64  `name:"avatar-animation" env:"VERBLESS_AVATAR_ANIMATION" group:"files" default:"50000000" placeholder:"PIXELS" help:"Most pixels of all frames of an animated avatar (${default})."`
	UploadURL       string `name:"upload-url" env:"VERBLESS_UPLOAD_URL" group:"files" placeholder:"URL" help:"Address that files are sent to: that of a server started with --only uploads. Left out: this service's own."`
	MaxUpload       Size   `name:"max-upload" env:"VERBLESS_MAX_UPLOAD" group:"files" default:"100GiB" placeholder:"SIZE" help:"Largest file (${default})."`
	UploadDays      int    `name:"upload-days" env:"VERBLESS_UPLOAD_DAYS" group:"files" default:"7" placeholder:"DAYS" help:"Days until an upload that is not finished ends (${default})."`
	FetchAllow      string `name:"fetch-allow" env:"VERBLESS_FETCH_ALLOW" group:"files" placeholder:"RANGES" help:"Private addresses that images may be fetched from, like 10.1.0.0/16, with commas between. Left out: none."`

	Metrics      string  `name:"metrics" env:"VERBLESS_METRICS" group:"observing" default:"on" placeholder:"WHERE" help:"Where Prometheus finds metrics: on is /metrics of this service, for everybody; HOST:PORT is a port of their own; off is nowhere (${default})."`
	OTLPEndpoint string  `name:"otlp-endpoint" env:"VERBLESS_OTLP_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT" group:"observing" secret:"url" placeholder:"URL" help:"OpenTelemetry collector that gets traces over OTLP/HTTP, like http://127.0.0.1:4318. Left out: there are no traces."`
	OTLPHeaders  string  `name:"otlp-headers" env:"VERBLESS_OTLP_HEADERS,OTEL_EXPORTER_OTLP_HEADERS" group:"observing" secret:"" placeholder:"HEADERS" help:"Headers for it, as name=value with commas between."`
	TraceSample  float64 `name:"trace-sample" env:"VERBLESS_TRACE_SAMPLE" group:"observing" default:"1" placeholder:"PART" help:"Part of the traces that is recorded, 0 to 1. Where a caller sends traceparent, the caller decides (${default})."`
	ServiceName  string  `name:"service-name" env:"VERBLESS_SERVICE_NAME,OTEL_SERVICE_NAME" group:"observing" default:"verbless" placeholder:"NAME" help:"What this service is called in traces (${default})."`

	Edge `embed:""`

	file    *file
	origins map[string]string // setting to where its value came from
}

// Groups are the titles under which help shows the settings; hand them to kong.
func Groups() kong.Option {
	return kong.ExplicitGroups([]kong.Group{
		{Key: "store", Title: "Settings of every command:"},
		{Key: "server", Title: "Settings of the server:"},
		{Key: "files", Title: "Settings of images and files:"},
		{Key: "observing", Title: "Settings of metrics and traces:"},
		{Key: "edge", Title: "Settings of the edge:"},
	})
}

// Default is what holds when nobody says otherwise. It looks neither at the environment nor at files.
func Default() Settings {
	var s Settings
	for _, flag := range table(&s) {
		if flag.HasDefault {
			if err := parse(flag, flag.Default); err != nil {
				panic(err) // a default in the table above is wrong; every test would say so
			}
		}
	}
	return s
}

// Base is the address that links start with, without a slash at its end. A server that listens at a port of the
// system's choice puts the real address into Addr first.
func (s *Settings) Base() string {
	if s.BaseURL != "" {
		return strings.TrimRight(s.BaseURL, "/")
	}
	scheme := "http://"
	if s.TLS() {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return scheme + s.Addr
	}
	if names := s.Domains(); len(names) > 0 {
		host = names[0]
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "localhost" // all addresses of the machine; nobody can call that
	}
	if s.TLS() && port == "443" {
		return scheme + host
	}
	return scheme + net.JoinHostPort(host, port)
}

// Uploads is the address that files are sent to, without a slash at its end.
func (s *Settings) Uploads() string {
	if s.UploadURL != "" {
		return strings.TrimRight(s.UploadURL, "/")
	}
	return s.Base()
}

// Trash is how long a trashed article is kept; 0 is forever.
func (s *Settings) Trash() time.Duration { return time.Duration(s.TrashDays) * 24 * time.Hour }

// Media is the address under which images are shown, without a slash at its end.
func (s *Settings) Media() string {
	if s.CDNURL != "" {
		return strings.TrimRight(s.CDNURL, "/")
	}
	return s.Base() + "/media"
}

// Fetchable are the private addresses that images may be fetched from.
func (s *Settings) Fetchable() ([]netip.Prefix, error) {
	return prefixes(s.FetchAllow)
}

// Idempotency is how long an Idempotency-Key is remembered.
func (s *Settings) Idempotency() time.Duration { return time.Duration(s.IdempotencyHours) * time.Hour }

// PayableStatuses are the statuses in which an invoice can be paid.
func (s *Settings) PayableStatuses() []string { return strings.Split(s.Payable, ",") }

// BeforeReset keeps the help of other commands short: they take the server's settings, but do not list them.
func (s *Settings) BeforeReset(ctx *kong.Context) error {
	if node := ctx.Selected(); node != nil && (node.Path() == "serve" || node.Path() == "config") {
		return nil
	}
	for _, flag := range ctx.Flags() {
		if flag.Group != nil && flag.Group.Key != "store" {
			flag.Hidden = true
		}
	}
	return nil
}

// BeforeResolve reads the settings file: kong calls it when flags and environment are known.
func (s *Settings) BeforeResolve(ctx *kong.Context) error {
	data, config := s.Data, s.Config
	for _, path := range ctx.Path {
		if path.Flag == nil {
			continue
		}
		// Flags are not in their fields yet at this point.
		switch value := ctx.FlagValue(path.Flag); path.Flag.Target.Addr().Interface() {
		case &s.Data:
			data = value.(string)
		case &s.Config:
			config = value.(string)
		}
	}
	var err error
	if s.file, err = findFile(config, data); s.file == nil || err != nil {
		return err
	}
	ctx.AddResolver(kong.ResolverFunc(s.file.resolve))
	return nil
}

// AfterApply notes where each value came from, and checks them all.
func (s *Settings) AfterApply(ctx *kong.Context) error {
	flags := map[string]bool{}
	for _, path := range ctx.Path {
		if path.Flag != nil && !path.Resolved {
			flags[path.Flag.Name] = true
		}
	}
	s.origins = map[string]string{}
	for _, flag := range table(s) {
		env, ok := environment(flag)
		switch {
		case flags[flag.Name]:
			s.origins[flag.Name] = "flag"
		case ok:
			s.origins[flag.Name] = "environment " + env
		case s.file != nil && s.file.entries[flag.Name].line > 0:
			s.origins[flag.Name] = "file " + s.file.place(flag.Name)
		}
	}
	if s.Config == "" && s.file != nil {
		s.Config, s.origins["config"] = s.file.path, "found in the data folder"
	}
	return s.check()
}

func (s *Settings) origin(name string) string { return cmp.Or(s.origins[name], "default") }
