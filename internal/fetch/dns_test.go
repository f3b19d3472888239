package fetch_test

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"testing"
)

// nameserver is a DNS server on loopback. Each name gives its answers in turn, the last one for ever after.
type nameserver struct {
	conn  net.PacketConn
	mu    sync.Mutex
	names map[string][]string
	asked map[string]int
}

func newNameserver(t *testing.T, names map[string][]string) *nameserver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s := &nameserver{conn: conn, names: names, asked: map[string]int{}}
	go func() {
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if answer := s.answer(buffer[:n]); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	}()
	return s
}

func (s *nameserver) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}

// answer makes the message of RFC 1035 for one question.
func (s *nameserver) answer(question []byte) []byte {
	if len(question) < 17 {
		return nil
	}
	name, at := "", 12
	for at < len(question) && question[at] != 0 {
		n := int(question[at])
		name += string(question[at+1:at+1+n]) + "."
		at += 1 + n
	}
	kind := binary.BigEndian.Uint16(question[at+1:])
	question = question[:at+5]
	out := append([]byte{}, question...)
	out[2], out[3] = 0x84, 0 // an answer, by who knows
	binary.BigEndian.PutUint16(out[6:], 0)
	binary.BigEndian.PutUint32(out[8:], 0)
	const a, aaaa = 1, 28
	address := s.next(name, kind == a || kind == aaaa)
	ip, err := netip.ParseAddr(address)
	if err != nil {
		out[3] = 3 // no such name
		return out
	}
	if ip.Is4() && kind == a || ip.Is6() && kind == aaaa {
		binary.BigEndian.PutUint16(out[6:], 1)
		out = append(out, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(ip.AsSlice())))
		out = append(out, ip.AsSlice()...)
	}
	return out
}

// next counts a lookup once, although it asks for two kinds of address.
func (s *nameserver) next(name string, counts bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.names[name]
	if len(list) == 0 || !counts {
		return ""
	}
	s.asked[name]++
	return list[min((s.asked[name]-1)/2, len(list)-1)]
}
