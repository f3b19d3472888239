// Package pages is what people see in a browser: the front page, the explorer of the API, and what problem codes mean.
//
// All of it is in the binary, and a page loads nothing from anywhere else. It knows nothing of the API: whoever serves the pages
// hands in what they show, and the explorer reads the description that the service gives to everybody.
package pages

import (
	"bytes"
	"embed"
	"html/template"
	"net/url"
	"path"
	"strings"
)

//go:embed assets templates
var files embed.FS

// types are those of the files that pages load, by the ends of their names.
var types = map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

// Types are the media types of the files that pages load.
func Types() []string { return []string{"text/javascript", "text/css", "image/svg+xml"} }

// File is one that pages load, and its media type.
func File(name string) (mediaType string, body []byte, ok bool) {
	body, err := files.ReadFile("assets/" + name)
	mediaType = types[path.Ext(name)]
	return mediaType, body, err == nil && mediaType != ""
}

var templates = template.Must(template.ParseFS(files, "templates/*.html"))

// Page is a page of that name, ready to be sent.
func Page(name string, data any) ([]byte, error) {
	var page bytes.Buffer
	err := templates.ExecuteTemplate(&page, name+".html", data)
	return page.Bytes(), err
}

// Policy is what a browser may do for a page: load files of ours and call us, and nothing else. elsewhere are addresses of further
// services that the explorer may call.
func Policy(elsewhere ...string) string {
	connect := "connect-src 'self'"
	for _, address := range elsewhere {
		if at, err := url.Parse(address); err == nil {
			connect += " " + at.Scheme + "://" + at.Host
		}
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'",
		"img-src 'self' blob:", // pictures that a call answered with
		connect,
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'", // text never becomes markup, whatever a script tries
	}, "; ")
}
