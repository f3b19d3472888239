package coding

import "testing"

func TestPick(t *testing.T) {
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
		choice, ok := Pick([]string{accept})
		got := choice.name
		if !ok {
			got = "none"
		} else if choice.must {
			got += "!"
		}
		if got != want {
			t.Errorf("%q gave %s, want %s", accept, got, want)
		}
	}
	if choice, ok := Pick(nil); choice != (Choice{}) || !ok {
		t.Errorf("without the header: %v %v", choice, ok)
	}
	if choice, _ := Pick([]string{"zstd;q=0", "gzip"}); choice.name != "gzip" {
		t.Errorf("two lines gave %v", choice)
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		choice Choice
		kind   string
		length int
		want   string
	}{
		{Choice{"gzip", false}, "application/json", 5000, "gzip"},
		{Choice{"zstd", false}, "application/vnd.verbless+v3+json", 5000, "zstd"},
		{Choice{"gzip", false}, "text/html; charset=utf-8", 5000, "gzip"},
		{Choice{"gzip", false}, "application/json", 1399, ""},
		{Choice{"gzip", true}, "application/json", 2, "gzip"},
		{Choice{"gzip", true}, "application/json", 0, ""},
		{Choice{"gzip", true}, "image/png", 5000, ""},
		{Choice{Identity, false}, "application/json", 5000, ""},
		{Choice{}, "application/json", 5000, ""},
	} {
		if got := test.choice.For(test.kind, test.length); got != test.want {
			t.Errorf("%v for %d bytes of %s: %q", test.choice, test.length, test.kind, got)
		}
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"gzip", "gzip;q=0.5, *;q=0", "identity;q=0,zstd", ";;,=", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		choice, ok := Pick([]string{accept})
		if ok && !Takes([]string{accept}, choice.name) {
			t.Errorf("%q was given %s, which it does not take", accept, choice.name)
		}
		if choice.must == Takes([]string{accept}, Identity) || choice.must && ok && choice.name == Identity {
			t.Errorf("%q: %v", accept, choice)
		}
	})
}
