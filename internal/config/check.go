package config

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"verbless/internal/trace"
)

// check looks at every value, and reports all faults at once, each with where the value came from.
func (s *Settings) check() error {
	var faults []error
	want := func(ok bool, name, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf("%s: %s (%s)", name, fmt.Sprintf(format, args...), s.origin(name)))
		}
	}
	want(s.Data != "", "data", "names no folder")
	want(validDatabase(s.Database), "database", "must be sqlite or an address like postgres://user:password@host:5432/name") // not the value: it holds a password
	want(validAddr(s.Addr), "addr", "%q is not an address like 127.0.0.1:8080 or :8080", s.Addr)
	want(s.BaseURL == "" || validBase(s.BaseURL), "base-url", "%q is not an http or https address like https://api.example.com, without user, query and fragment", s.BaseURL)
	want(s.TrashDays >= 0 && s.TrashDays <= 36500, "trash-days", "must be 0 to 36500, not %d", s.TrashDays)
	want(s.IdempotencyHours >= 1 && s.IdempotencyHours <= 8760, "idempotency-hours", "must be 1 to 8760, not %d", s.IdempotencyHours)
	want(s.StopTimeout >= 0, "stop-timeout", "must not be negative, but is %s", s.StopTimeout)
	want(s.HeaderTimeout >= time.Millisecond, "header-timeout", "must be 1ms or more, not %s", s.HeaderTimeout)
	want(s.IdleTimeout >= time.Millisecond, "idle-timeout", "must be 1ms or more, not %s", s.IdleTimeout)
	want(s.MaxBody >= 1<<10 && s.MaxBody <= 1<<30, "max-body", "must be 1KiB to 1GiB, not %s", s.MaxBody)
	want(s.MaxBatch >= 1 && s.MaxBatch <= 10000, "max-batch", "must be 1 to 10000, not %d", s.MaxBatch)
	want(s.EnterpriseSize >= 1 && s.EnterpriseSize <= 100000000, "enterprise-size", "must be 1 to 100000000, not %d", s.EnterpriseSize)
	want(s.LocationsURL == "" || validBase(s.LocationsURL), "locations-url", "must be an http or https address without user, query and fragment") // not the value: it may hold a password
	want(s.LocationsTimeout >= time.Millisecond && s.LocationsTimeout <= time.Minute, "locations-timeout", "must be 1ms to 1m, not %s", s.LocationsTimeout)
	want(s.LocationsCalls >= 1 && s.LocationsCalls <= 1000, "locations-calls", "must be 1 to 1000, not %d", s.LocationsCalls)
	want(s.LocationsRest >= time.Millisecond && s.LocationsRest <= time.Hour, "locations-rest", "must be 1ms to 1h, not %s", s.LocationsRest)
	want(s.LocationsFresh >= 0, "locations-fresh", "must not be negative, but is %s", s.LocationsFresh)
	want(s.LocationsStale >= 0, "locations-stale", "must not be negative, but is %s", s.LocationsStale)
	want(s.MaxHeader >= 1<<10 && s.MaxHeader <= 1<<20, "max-header", "must be 1KiB to 1MiB, not %s", s.MaxHeader)
	s.checkFiles(want)
	s.checkMoney(want)
	want(s.Metrics == "on" || s.Metrics == "off" || validAddr(s.Metrics), "metrics", "must be on, off or an address like 127.0.0.1:9090, not %q", s.Metrics)
	want(s.OTLPEndpoint == "" || validBase(s.OTLPEndpoint), "otlp-endpoint", "must be an http or https address without user, query and fragment") // not the value: it may hold a password
	_, err := trace.ReadHeaders(s.OTLPHeaders)
	want(err == nil, "otlp-headers", "must be name=value, with commas between")
	want(s.TraceSample >= 0 && s.TraceSample <= 1, "trace-sample", "must be 0 to 1, not %g", s.TraceSample)
	s.checkEdge(want)
	return errors.Join(faults...)
}

func (s *Settings) checkFiles(want func(ok bool, name, format string, args ...any)) {
	bucket, s3 := strings.CutPrefix(s.Blobs, "s3://")
	want(s.Blobs == "disk" || s3 && bucket != "" && bucket[0] != '/', "blobs", "must be disk or s3://BUCKET, not %q", s.Blobs)
	want(validBase(s.S3Endpoint), "s3-endpoint", "%q is not an http or https address like https://s3.example.com", s.S3Endpoint)
	want(s.CDNURL == "" || validBase(s.CDNURL), "cdn-url", "%q is not an http or https address like https://cdn.example.com/images, without user, query and fragment", s.CDNURL)
	want(s.MaxAvatar >= 1<<10 && s.MaxAvatar <= 64<<20, "max-avatar", "must be 1KiB to 64MiB, not %s", s.MaxAvatar)
	want(s.MaxUpload >= 1<<20 && s.MaxUpload <= 5<<40, "max-upload", "must be 1MiB to 5TiB, not %s", s.MaxUpload)
	want(s.UploadDays >= 1 && s.UploadDays <= 365, "upload-days", "must be 1 to 365, not %d", s.UploadDays)
	want(s.UploadURL == "" || validBase(s.UploadURL), "upload-url", "must be an http or https address without user, query and fragment")
	want(s.AvatarSide >= 1 && s.AvatarSide <= 65535, "avatar-side", "must be 1 to 65535, not %d", s.AvatarSide)
	want(s.AvatarPixels >= 1 && s.AvatarPixels <= 1<<30, "avatar-pixels", "must be 1 to %d, not %d", 1<<30, s.AvatarPixels)
	want(s.AvatarAnimation >= 1 && s.AvatarAnimation <= 1<<32, "avatar-animation", "must be 1 to %d, not %d", int64(1)<<32, s.AvatarAnimation)
	_, err := s.Fetchable()
	want(err == nil, "fetch-allow", "%q is not a list of address ranges like 10.1.0.0/16,fd00::/8", s.FetchAllow)
}

func (s *Settings) checkMoney(want func(ok bool, name, format string, args ...any)) {
	want(s.GatewayTimeout >= time.Millisecond, "gateway-timeout", "must be 1ms or more, not %s", s.GatewayTimeout)
	want(s.Gateway != "stripe" || s.StripeKey != "", "stripe-key", "must be set for the gateway stripe")
	want(validBase(s.StripeURL), "stripe-url", "%q is not an http or https address", s.StripeURL)
	want(s.SMTP == "" || validSMTP(s.SMTP), "smtp", "must be an address like smtp://user:password@host:587 or smtps://host") // not the value: it holds a password
	_, err := mail.ParseAddress(s.MailFrom)
	want(err == nil, "mail-from", "%q is not a mail address", s.MailFrom)
	for _, status := range s.PayableStatuses() {
		want(slices.Contains([]string{"published", "sent", "failed"}, status), "payable", "%q is none of published, sent and failed", status)
	}
}

func validDatabase(text string) bool {
	if text == "sqlite" {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") && u.Opaque == ""
}

func validSMTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "smtp" || u.Scheme == "smtps") && u.Hostname() != ""
}

func validAddr(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

func validBase(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(text, "?#")
}
