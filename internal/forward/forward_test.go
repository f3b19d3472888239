package forward

import (
	"net/http"
	"net/netip"
	"testing"
)

var proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}

func client(header Header, remote string, lines ...string) string {
	return Trust{Proxies: proxies, Header: header}.Client(&http.Request{RemoteAddr: remote, Header: http.Header{string(header): lines}}).String()
}

func TestXForwardedFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		remote string
		lines  []string
		want   string
	}{
		{"203.0.113.9:1234", nil, "203.0.113.9"},
		{"203.0.113.9:1234", []string{"198.51.100.1"}, "203.0.113.9"}, // nobody we trust
		{"10.0.0.1:1234", nil, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"}, // the left was the client's to write
		{"10.0.0.1:1234", []string{"1.1.1.1, 198.51.100.1, 10.2.3.4"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"1.1.1.1", "198.51.100.1,10.2.3.4"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"10.9.9.9, 10.8.8.8"}, "10.9.9.9"}, // all are ours
		{"10.0.0.1:1234", []string{"10.1.1.1, 198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"1.1.1.1, garbage"}, "10.0.0.1"}, // does not get past what cannot be read
		{"10.0.0.1:1234", []string{"1.1.1.1, "}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"1.1.1.1, garbage, 10.2.3.4"}, "10.2.3.4"},
		{"10.0.0.1:1234", []string{"unknown"}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"2001:db8::1"}, "2001:db8::1"},
		{"10.0.0.1:1234", []string{"[2001:db8::1]:80"}, "2001:db8::1"},
		{"10.0.0.1:1234", []string{"[2001:db8::1]"}, "2001:db8::1"},
		{"10.0.0.1:1234", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"::ffff:10.3.3.3"}, "10.3.3.3"},
		{"[::ffff:10.0.0.1]:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"[fd00::1%eth0]:1234", []string{"fe80::1%eth0"}, "fe80::1"},
		{"[2001:db8::2]:1234", []string{"198.51.100.1"}, "2001:db8::2"},
		{"@", []string{"198.51.100.1"}, "invalid IP"},
	} {
		if got := client(XForwardedFor, test.remote, test.lines...); got != test.want {
			t.Errorf("%s with %q: %s, want %s", test.remote, test.lines, got, test.want)
		}
	}
}

func TestForwarded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		remote string
		lines  []string
		want   string
	}{
		{"203.0.113.9:1234", []string{"for=198.51.100.1"}, "203.0.113.9"},
		{"10.0.0.1:1234", []string{"for=198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"For=198.51.100.1;proto=https;by=10.0.0.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{`proto=https; for="198.51.100.1:80"`}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{`for="[2001:db8:cafe::17]:4711"`}, "2001:db8:cafe::17"},
		{"10.0.0.1:1234", []string{`for="[2001:db8:cafe::17]"`}, "2001:db8:cafe::17"},
		{"10.0.0.1:1234", []string{"for=1.1.1.1, for=198.51.100.1, for=10.1.1.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"for=1.1.1.1", "for=198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1234", []string{"for=_hidden"}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"for=unknown"}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"proto=https"}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{"for=1.1.1.1;for=2.2.2.2"}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{`for="1.1.1.1, for=2.2.2.2"`}, "10.0.0.1"},
		{"10.0.0.1:1234", []string{""}, "10.0.0.1"},
	} {
		if got := client(Forwarded, test.remote, test.lines...); got != test.want {
			t.Errorf("%s with %q: %s, want %s", test.remote, test.lines, got, test.want)
		}
	}
	// What the proxies do not set is anybody's.
	r := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"Forwarded": {"for=1.1.1.1"}, "X-Forwarded-For": {"198.51.100.1"}}}
	if got := (Trust{proxies, XForwardedFor}).Client(r).String(); got != "198.51.100.1" {
		t.Errorf("the other header was believed: %s", got)
	}
	if got := (Trust{}).Client(r).String(); got != "10.0.0.1" {
		t.Errorf("nobody is trusted, but the client is %s", got)
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"198.51.100.1": "198.51.100.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "2001:db8:1:2::": "2001:db8:1:2::"} {
		if got := Network(netip.MustParseAddr(text)).String(); got != want {
			t.Errorf("Network(%s) is %s", text, got)
		}
	}
	if Network(netip.Addr{}).IsValid() {
		t.Error("no address has a network")
	}
}

// FuzzClient: whatever a stranger writes, the client is the peer; whatever is written behind a trusted proxy, it is somebody.
func FuzzClient(f *testing.F) {
	f.Add("198.51.100.1, 10.0.0.1")
	f.Add(`for="[::1]:80";x=,for=`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, header := range []Header{XForwardedFor, Forwarded} {
			if got := client(header, "203.0.113.9:1", line); got != "203.0.113.9" {
				t.Errorf("%q made the client %s", line, got)
			}
			if got := client(header, "10.0.0.1:1", line); got == "invalid IP" {
				t.Errorf("%q made nobody of the client", line)
			}
		}
	})
}
