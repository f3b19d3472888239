package header

import (
	"net/http"
	"strings"
	"testing"

	"verbless/internal/coding"
)

// TestMatched: a tag is good in every coding that the caller still takes, and the answer repeats the form that was sent.
func TestMatched(t *testing.T) {
	t.Parallel()
	const tag = `"s.v"`
	for _, test := range []struct{ none, accept, want string }{
		{`"s.v"`, "", `"s.v"`},
		{`"s.v"`, "gzip", `"s.v"`},
		{`"s.v"`, "gzip, identity;q=0", ""},
		{`"s.v.gzip"`, "", `"s.v.gzip"`},
		{`"s.v.gzip"`, "gzip", `"s.v.gzip"`},
		{`W/"s.v.gzip"`, "gzip", `"s.v.gzip"`},
		{`"s.v.gzip"`, "zstd", ""},
		{`"s.v.gzip"`, "zstd, gzip;q=0.1", `"s.v.gzip"`},
		{`"s.v.gzip"`, "identity", ""},
		{`"s.v.gzip", "s.v"`, "identity", `"s.v"`},
		{`"s.v.zstd"`, "*", `"s.v.zstd"`},
		{`"s.v.br"`, "br", ""},
		{`"s.v.gzip.gzip"`, "gzip", ""},
		{`"s.vgzip"`, "gzip", ""},
		{`"s.v."`, "gzip", ""},
		{`"s.v.."`, "gzip", ""},
		{`"s"`, "", ""},
		{`"s.v2"`, "", ""},
		{`"other", "s.v"`, "", `"s.v"`},
		{`*`, "gzip", `"s.v"`},
		{`s.v`, "", ""},
		{``, "", ""},
	} {
		h := http.Header{}
		if test.none != "" {
			h.Set("If-None-Match", test.none)
		}
		if test.accept != "" {
			h.Set("Accept-Encoding", test.accept)
		}
		if got := Matched(h, tag); got != test.want {
			t.Errorf("If-None-Match %s with Accept-Encoding %q: %q, want %q", test.none, test.accept, got, test.want)
		}
	}
	if got := State(strings.Trim(coding.Tag(tag, "gzip"), `"`)); got != "s" {
		t.Errorf("the state of a coded tag is %q", got)
	}
}
