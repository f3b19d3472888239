package config

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Setting is one line of what holds now. Value never shows a secret.
type Setting struct {
	Name   string
	Value  string
	Origin string // "flag", "environment VERBLESS_ADDR", "file verbless.conf:3" or "default", mostly
}

// List gives every setting with its value and where that came from, in the order of the table.
func (s *Settings) List() []Setting {
	var out []Setting
	for _, flag := range table(s) {
		line := Setting{Name: flag.Name, Value: show(flag), Origin: s.origin(flag.Name)}
		if flag.Name == "base-url" && s.BaseURL == "" {
			line.Value, line.Origin = s.Base(), "default, from addr"
		}
		out = append(out, line)
	}
	return out
}

// table gives the settings as kong sees them, bound to the fields of s, in the order of the struct.
func table(s *Settings) []*kong.Flag {
	// A bare command line of our own: the one that is running may have commands and flags besides.
	k, err := kong.New(s, kong.NoDefaultHelp())
	if err != nil {
		panic(err) // a tag of Settings is wrong; every test would say so
	}
	return k.Model.Flags
}

// parse puts a text into the field of a setting.
func parse(flag *kong.Flag, text string) error {
	err := flag.Parse(kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: text}), flag.Target)
	switch {
	case err != nil:
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "--"))
	case flag.Enum != "" && !flag.EnumMap()[text]:
		return fmt.Errorf("%s: must be one of %s, not %q", flag.Name, strings.Join(flag.EnumSlice(), ", "), text)
	}
	return nil
}

// environment tells which variable holds the setting, if one does.
func environment(flag *kong.Flag) (string, bool) {
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return name, true
		}
	}
	return "", false
}

// show writes a value the way it can be typed, and hides what is secret.
func show(flag *kong.Flag) string {
	text := fmt.Sprint(flag.Target.Interface())
	if d, ok := flag.Target.Interface().(time.Duration); ok {
		text = showDuration(d)
	}
	switch {
	case !flag.Tag.Has("secret") || text == "":
		return text
	case flag.Tag.Get("secret") == "url":
		return maskURL(text)
	}
	return masked
}

// showDuration drops the empty units that Go writes: 1m0s is 1m.
func showDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// masked stands for a secret, as net/url writes it.
const masked = "xxxxx"

// maskURL hides the passwords in an address. What is no address may hold one anywhere, and is hidden whole.
func maskURL(text string) string {
	if !strings.Contains(text, ":") {
		return text // a word such as sqlite
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Scheme == "" {
		return masked
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return masked
	}
	hidden := false
	for name := range query {
		if strings.Contains(strings.ToLower(name), "password") { // password and sslpassword of PostgreSQL
			query.Set(name, masked)
			hidden = true
		}
	}
	if hidden {
		u.RawQuery = query.Encode()
	}
	return u.Redacted()
}
