// Package forward finds the address of a client that calls through proxies.
//
// A header is believed only as far as somebody trusted wrote it: the list is read from its right end, where the nearest proxy adds
// what it saw, and the first address that is not one of our own proxies is the client. Only one header is read, the one that the
// proxies set: one that they pass on as it came could have been written by anybody.
package forward

import (
	"net/http"
	"net/netip"
	"strings"
)

// Header is which header the proxies set.
type Header string

// The headers that are understood: the common one, and that of RFC 7239.
const (
	XForwardedFor Header = "X-Forwarded-For"
	Forwarded     Header = "Forwarded"
)

// Trust is which proxies are believed. The zero Trust believes nobody.
type Trust struct {
	Proxies []netip.Prefix
	Header  Header
}

// Peer is the address at the other end of the connection; it is invalid when remote has none.
func Peer(remote string) netip.Addr {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		addr, err := netip.ParseAddr(remote)
		if err != nil {
			return netip.Addr{}
		}
		return clean(addr)
	}
	return clean(at.Addr())
}

// clean makes one address of its different forms.
func clean(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// Client is who sent the request, as far as that can be believed.
func (t Trust) Client(r *http.Request) netip.Addr {
	client := Peer(r.RemoteAddr)
	lines := r.Header[string(t.Header)]
	for i := len(lines) - 1; i >= 0 && t.has(client); i-- {
		for line := lines[i]; line != "" && t.has(client); {
			var element string
			line, element = last(line)
			next, ok := t.read(element)
			if !ok { // what a trusted proxy wrote, but nobody can use: whoever was nearest is as far as we see
				return client
			}
			client = next
		}
	}
	return client
}

func (t Trust) has(a netip.Addr) bool {
	for _, p := range t.Proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// last cuts the last element off a list. Quotes hold no commas in what we take, so one that does is simply not understood.
func last(list string) (before, element string) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list
	}
	return list[:i], list[i+1:]
}

// read finds the address in an element of the header.
func (t Trust) read(element string) (netip.Addr, bool) {
	element = strings.Trim(element, " \t")
	if t.Header == Forwarded {
		found := ""
		for element != "" {
			var pair string
			pair, element, _ = strings.Cut(element, ";")
			name, value, _ := strings.Cut(strings.Trim(pair, " \t"), "=")
			if strings.EqualFold(name, "for") {
				if found != "" {
					return netip.Addr{}, false
				}
				found = value
			}
		}
		if n := len(found); n > 1 && found[0] == '"' && found[n-1] == '"' {
			found = found[1 : n-1]
		}
		element = found
	}
	return node(element)
}

// node reads an address with or without a port: 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1], [2001:db8::1]:80.
func node(text string) (netip.Addr, bool) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return clean(at.Addr()), true
	}
	if n := len(text); n > 2 && text[0] == '[' && text[n-1] == ']' {
		text = text[1 : n-1]
	}
	a, err := netip.ParseAddr(text)
	return clean(a), err == nil
}

// Network is what counts as one sender: an IPv4 address, or the /64 of an IPv6 one, in which one customer has all addresses.
func Network(a netip.Addr) netip.Addr {
	if a.Is4() || !a.IsValid() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return p.Addr()
}
