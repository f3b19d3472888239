package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// client is one kept-alive connection that speaks just enough HTTP/1.1, so that the load costs little of the
// processors that it shares with the server.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

// answer is what a server said. Header and Body are there only when they were asked for.
type answer struct {
	Status int
	Header [][2]string
	Body   []byte
}

// patience bounds one request; a server that is slower than this has failed.
const patience = 30 * time.Second

func dial(address string) (*client, error) {
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (c *client) close() { c.conn.Close() }

// status sends a request and gives the status of the answer; the rest of it is read and dropped.
func (c *client) status(request []byte) (int, error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	a, err := readAnswer(c.in, false)
	return a.Status, err
}

// ask sends a request and gives the whole answer.
func (c *client) ask(request []byte) (answer, error) {
	c.conn.SetDeadline(time.Now().Add(patience))
	defer c.conn.SetDeadline(time.Time{})
	if _, err := c.conn.Write(request); err != nil {
		return answer{}, err
	}
	return readAnswer(c.in, true)
}

// readAnswer reads one answer and leaves the reader at the next. Only bodies of a known length are understood.
func readAnswer(in *bufio.Reader, keep bool) (answer, error) {
	var a answer
	line, err := readLine(in)
	if err != nil {
		return a, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return a, fmt.Errorf("not an answer: %q", line)
	}
	if a.Status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, fmt.Errorf("not a status: %q", line)
	}
	length, err := readHeader(in, &a, keep)
	switch {
	case err != nil:
		return a, err
	case a.Status == 204 || a.Status == 304: // these have no body, whatever the length says
		return a, nil
	case length < 0:
		return a, errors.New("an answer without Content-Length")
	case keep:
		a.Body = make([]byte, length)
		_, err = io.ReadFull(in, a.Body)
	default:
		_, err = in.Discard(length)
	}
	return a, err
}

var contentLength = []byte("content-length")

// readHeader reads up to the empty line and gives the length of the body, -1 when it is not said.
func readHeader(in *bufio.Reader, a *answer, keep bool) (int, error) {
	length := -1
	for {
		line, err := readLine(in)
		if err != nil || len(line) == 0 {
			return length, err
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return 0, fmt.Errorf("not a header: %q", line)
		}
		value = bytes.TrimSpace(value)
		if len(name) == len(contentLength) && bytes.EqualFold(name, contentLength) {
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 {
				return 0, fmt.Errorf("not a length: %q", line)
			}
		}
		if keep {
			a.Header = append(a.Header, [2]string{string(name), string(value)})
		}
	}
}

// readLine gives a line without its end; it is valid until the next read.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

// header is the first value of that name.
func (a answer) header(name string) string {
	for _, h := range a.Header {
		if bytes.EqualFold([]byte(h[0]), []byte(name)) {
			return h[1]
		}
	}
	return ""
}
