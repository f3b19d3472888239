package companies

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"verbless/internal/jsondoc"
)

// maxRow bounds what one row of a file may take.
const maxRow = 1 << 20

// record is one row of a file: a document, or why it is none.
type record struct {
	line int
	doc  any
	err  error
}

// source gives the rows of a file one by one, and io.EOF after the last. Another error ends the reading: what follows cannot
// be told apart any more.
type source func() (record, error)

// open finds out what a file is: a JSON array, JSON lines, or CSV with a header.
func open(r io.Reader) (source, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = in.Discard(3) // a byte order mark, which was there a moment ago
	}
	head, err := in.Peek(in.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch text := bytes.TrimLeft(head, " \t\r\n"); {
	case len(text) == 0:
		return func() (record, error) { return record{}, io.EOF }, nil
	case text[0] == '[':
		return array(in), nil
	case text[0] == '{':
		return lines(in), nil
	}
	return sheet(in)
}

// counter counts the lines of what passes through it.
type counter struct {
	io.Reader
	read int64
	ends []int64 // offsets of the ends of lines that were read but not yet counted
	line int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.ends = append(c.ends, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// at is the line of an offset; offsets must not go backwards.
func (c *counter) at(offset int64) int {
	passed, _ := slices.BinarySearch(c.ends, offset)
	c.line += passed
	c.ends = append(c.ends[:0], c.ends[passed:]...)
	return c.line + 1
}

func array(in io.Reader) source {
	count := &counter{Reader: in}
	decoder := jsontext.NewDecoder(count, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // each row is judged by itself
	begun := false
	return func() (record, error) {
		if !begun {
			begun = true
			if _, err := decoder.ReadToken(); err != nil {
				return record{}, err
			}
		}
		kind := decoder.PeekKind()
		if kind == jsontext.KindEndArray {
			if _, err := decoder.ReadToken(); err != nil {
				return record{}, err
			}
			if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
				return record{}, fmt.Errorf("line %d: something follows the array", count.at(decoder.InputOffset()))
			}
			return record{}, io.EOF
		}
		text, err := decoder.ReadValue()
		if err != nil {
			at := decoder.InputOffset()
			var wrong *jsontext.SyntacticError
			if errors.As(err, &wrong) {
				at = max(at, wrong.ByteOffset)
			}
			return record{}, fmt.Errorf("line %d: the JSON cannot be read further: %w", count.at(at), err)
		}
		return parsed(count.at(decoder.InputOffset()-int64(len(text))), text), nil
	}
}

func parsed(line int, text []byte) record {
	if len(text) > maxRow {
		return record{line: line, err: fmt.Errorf("the row has more than %d bytes", maxRow)}
	}
	doc, err := jsondoc.Parse(text)
	return record{line, doc, err}
}

func lines(in io.Reader) source {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 64<<10), maxRow+1)
	line := 0
	return func() (record, error) {
		for scanner.Scan() {
			line++
			if text := bytes.TrimSpace(scanner.Bytes()); len(text) > 0 {
				return parsed(line, text), nil
			}
		}
		if err := scanner.Err(); err != nil {
			return record{}, fmt.Errorf("line %d: %w", line+1, err)
		}
		return record{}, io.EOF
	}
}

// cells are the columns that a CSV file may have, and how a cell becomes a member.
var cells = map[string]func(doc *jsondoc.Object, text string) error{
	"uuid": cellText("uuid"), "name": cellText("name"), "status": cellText("status"), "website": cellText("website"), "industry": cellText("industry"),
	"employee_count": func(doc *jsondoc.Object, text string) error {
		doc.Set("employee_count", jsondoc.Number(text))
		return nil
	},
	"contact_name": cellContact("name"), "contact_email": cellContact("email"), "contact_phone": cellContact("phone"),
	"locations": cellJSON("locations"), "metadata": cellJSON("metadata"),
}

func cellText(name string) func(*jsondoc.Object, string) error {
	return func(doc *jsondoc.Object, text string) error { doc.Set(name, text); return nil }
}

func cellContact(name string) func(*jsondoc.Object, string) error {
	return func(doc *jsondoc.Object, text string) error {
		contact, ok := doc.Get("contact_info")
		if !ok {
			contact = jsondoc.NewObject()
			doc.Set("contact_info", contact)
		}
		contact.(*jsondoc.Object).Set(name, text)
		return nil
	}
}

func cellJSON(name string) func(*jsondoc.Object, string) error {
	return func(doc *jsondoc.Object, text string) error {
		value, err := jsondoc.Parse([]byte(text))
		if err != nil {
			return fmt.Errorf("%s is not JSON: %w", name, err)
		}
		doc.Set(name, value)
		return nil
	}
}

func sheet(in io.Reader) (source, error) {
	reader := csv.NewReader(in)
	header, err := reader.Read()
	if err != nil {
		return nil, err
	}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
		if cells[header[i]] == nil {
			return nil, fmt.Errorf("line 1: there is no column %.100q", name)
		}
		if slices.Contains(header[:i], header[i]) {
			return nil, fmt.Errorf("line 1: the column %q is there twice", header[i])
		}
	}
	return func() (record, error) {
		row, err := reader.Read()
		var wrong *csv.ParseError
		switch {
		case errors.Is(err, csv.ErrFieldCount):
			line, _ := reader.FieldPos(0)
			return record{line: line, err: fmt.Errorf("the row has %d cells, the header %d", len(row), len(header))}, nil
		case errors.As(err, &wrong):
			return record{}, fmt.Errorf("line %d: %w", wrong.Line, wrong.Err)
		case err != nil:
			return record{}, err
		}
		line, _ := reader.FieldPos(0)
		doc := jsondoc.NewObject()
		for i, text := range row {
			if text != "" {
				if err := cells[header[i]](doc, text); err != nil {
					return record{line: line, err: err}, nil
				}
			}
		}
		return record{line: line, doc: doc}, nil
	}, nil
}
