package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how many arrays and objects may lie inside each other.
const MaxDepth = 32

// Parse reads exactly one JSON value. It refuses text that is not UTF-8, lone surrogates, members that appear twice,
// more than MaxDepth levels, a byte order mark, and anything after the value; every error is a *SyntaxError.
// The result keeps nothing of data.
func Parse(data []byte) (v any, err error) {
	err = read(data, func(p *parser) (err error) {
		v, err = p.next(0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// ErrNoArray is what Elements says of a text that is something else.
var ErrNoArray = errors.New("jsondoc: the value is not an array")

// Elements reads exactly one array, as strictly as Parse does, and hands out each element before it reads the next. It
// ends with the first error of each.
func Elements(data []byte, each func(i int, v any) error) error {
	return read(data, func(p *parser) error {
		token, err := p.decoder.ReadToken()
		if err != nil {
			return err
		}
		if token.Kind() != jsontext.KindBeginArray {
			return stopped{ErrNoArray}
		}
		for i := 0; ; i++ {
			token, err := p.decoder.ReadToken()
			if err != nil {
				return err
			}
			if token.Kind() == jsontext.KindEndArray {
				return nil
			}
			v, err := p.value(token, 1)
			if err != nil {
				return err
			}
			if err := each(i, v); err != nil {
				return stopped{err}
			}
		}
	})
}

// stopped is an error that is not about the text.
type stopped struct{ error }

// read runs take over a parser of data, and insists that nothing is left.
func read(data []byte, take func(p *parser) error) error {
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		return &SyntaxError{Reason: "The text starts with a byte order mark, which JSON does not have."}
	}
	p := parsers.Get().(*parser)
	p.reset(data)
	switch err := take(p).(type) {
	case nil:
	case stopped:
		return err.error
	default:
		return explain(data, err)
	}
	rest := bytes.TrimLeft(data[p.decoder.InputOffset():], " \t\r\n")
	if len(rest) > 0 {
		return &SyntaxError{Offset: int64(len(data) - len(rest)), Reason: "There is something after the end of the JSON value."}
	}
	if cap(p.elements) <= keep && cap(p.members) <= keep {
		p.reset(nil)
		parsers.Put(p)
	}
	return nil
}

// parser builds values from tokens. Elements and members gather on two stacks until their array or object ends and
// its size is known, so that each is allocated once.
type parser struct {
	data     []byte
	source   bytes.Buffer
	decoder  jsontext.Decoder
	elements []any
	members  []Member
}

// keep is the size up to which a stack is used again.
const keep = 1024

var parsers = sync.Pool{New: func() any { return new(parser) }}

func (p *parser) reset(data []byte) {
	p.data = data
	p.source = *bytes.NewBuffer(data)
	// Names are checked in object, which needs half the memory that the decoder would.
	p.decoder.Reset(&p.source, jsontext.AllowDuplicateNames(true))
}

func (p *parser) next(depth int) (any, error) {
	token, err := p.decoder.ReadToken()
	if err != nil {
		return nil, err
	}
	return p.value(token, depth)
}

// value builds what token starts, inside depth arrays and objects.
func (p *parser) value(token jsontext.Token, depth int) (any, error) {
	switch token.Kind() {
	case jsontext.KindNull:
		return nil, nil
	case jsontext.KindTrue:
		return true, nil
	case jsontext.KindFalse:
		return false, nil
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return Number(token.String()), nil
	}
	if depth == MaxDepth {
		return nil, &SyntaxError{
			Pointer: string(p.decoder.StackPointer()),
			Offset:  p.decoder.InputOffset() - 1,
			Reason:  fmt.Sprintf("There are more than %d arrays and objects inside each other.", MaxDepth),
		}
	}
	if token.Kind() == jsontext.KindBeginArray {
		return p.array(depth + 1)
	}
	return p.object(depth + 1)
}

// noElements is shared by all empty arrays: there is nothing in it to change.
var noElements any = []any{}

func (p *parser) array(depth int) (any, error) {
	start := len(p.elements)
	for {
		token, err := p.decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		if token.Kind() == jsontext.KindEndArray {
			break
		}
		v, err := p.value(token, depth)
		if err != nil {
			return nil, err
		}
		push(&p.elements, v)
	}
	if len(p.elements) == start {
		return noElements, nil
	}
	return take(&p.elements, start), nil
}

func (p *parser) object(depth int) (any, error) {
	start := len(p.members)
	var names nameSet
	for {
		before := p.decoder.InputOffset()
		token, err := p.decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		if token.Kind() == jsontext.KindEndObject {
			break
		}
		name := token.String()
		if !names.add(p.members[start:], name) {
			return nil, p.repeated(name, before)
		}
		v, err := p.next(depth)
		if err != nil {
			return nil, err
		}
		push(&p.members, Member{name, v})
	}
	return &Object{Members: take(&p.members, start)}, nil
}

// repeated is the error for a name whose token is the first after offset before.
func (p *parser) repeated(name string, before int64) error {
	return &SyntaxError{
		Pointer: string(p.decoder.StackPointer()),
		Offset:  before + int64(bytes.IndexByte(p.data[before:], '"')),
		Reason:  "The member " + quote(name) + " appears twice.",
	}
}

// push doubles a full stack, where append alone would grow a large one in many small steps.
func push[T any](stack *[]T, v T) {
	if len(*stack) == cap(*stack) {
		*stack = slices.Grow(*stack, max(16, len(*stack)))
	}
	*stack = append(*stack, v)
}

// take gives what lies on the stack from start on, and takes it off. A large stack is given away whole.
func take[T any](stack *[]T, start int) []T {
	own := (*stack)[start:]
	if start == 0 && len(own) > keep {
		*stack = nil
		return slices.Clip(own)
	}
	out := append(make([]T, 0, len(own)), own...)
	clear(own)
	*stack = (*stack)[:start]
	return out
}
