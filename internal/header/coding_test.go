package header

import (
	"net/http"
	"strings"
	"testing"
)

func TestPickCoding(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"gzip":                             "gzip",
		"GZip":                             "gzip",
		"x-gzip":                           "gzip",
		"zstd":                             "zstd",
		"gzip, deflate, br, zstd":          "zstd",
		"zstd;q=0.5, gzip":                 "gzip",
		"gzip;q=0.5, zstd;q=0.9":           "zstd",
		"gzip;q=0.5,zstd;q=0.5":            "zstd",
		"gzip; q=0.8 , identity; q=0.9":    "identity",
		"gzip;q=0.8, identity;q=0.8":       "gzip",
		"gzip;q=0":                         "identity",
		"gzip;q=0.000":                     "identity",
		"gzip;q=0.001":                     "gzip",
		"gzip;q=x":                         "identity",
		"gzip;q=-1":                        "identity",
		"gzip;q=1.001":                     "identity",
		"gzip;q=NaN":                       "identity",
		"gzip;Q=1":                         "gzip",
		"gzip;level=9;q=0":                 "identity",
		"":                                 "identity",
		",":                                "identity",
		"identity":                         "identity",
		"br":                               "identity",
		"*":                                "zstd",
		"*;q=0":                            "none",
		"*;q=0.5, identity;q=0.1":          "zstd",
		"*;q=0, gzip":                      "gzip!",
		"*, zstd;q=0":                      "gzip",
		"*;q=0, identity":                  "identity",
		"identity;q=0":                     "none",
		"identity;q=0, br":                 "none",
		"identity;q=0, gzip;q=0.1":         "gzip!",
		"gzip;q=0, zstd;q=0, identity;q=0": "none",
	} {
		coding, must, ok := PickCoding([]string{accept})
		got := coding
		if !ok {
			got = "none"
		} else if must {
			got += "!"
		}
		if got != want {
			t.Errorf("%q gave %s, want %s", accept, got, want)
		}
	}
	if coding, must, ok := PickCoding(nil); coding != Identity || must || !ok {
		t.Errorf("without the header: %s %v %v", coding, must, ok)
	}
	if coding, _, _ := PickCoding([]string{"zstd;q=0", "gzip"}); coding != "gzip" {
		t.Errorf("two lines gave %s", coding)
	}
}

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
	if got := State(strings.Trim(CodedTag(tag, "gzip"), `"`)); got != "s" {
		t.Errorf("the state of a coded tag is %q", got)
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"gzip", "gzip;q=0.5, *;q=0", "identity;q=0,zstd", ";;,=", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		coding, must, ok := PickCoding([]string{accept})
		if ok && !TakesCoding([]string{accept}, coding) {
			t.Errorf("%q was given %s, which it does not take", accept, coding)
		}
		if must == TakesCoding([]string{accept}, Identity) || must && ok && coding == Identity {
			t.Errorf("%q: must code is %v, with %s", accept, must, coding)
		}
	})
}
