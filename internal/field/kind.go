package field

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
	"verbless/internal/stamp"
)

// Object is a free JSON object of the client's own, kept as compact JSON text with its members in the order given.
type Object []byte

// Custom is a type that says for itself how it looks in JSON.
type Custom interface {
	Tree() any
	SetTree(in any, at string, bad *fault.List)
	Schema() map[string]any
}

// Reference is a Custom that stands for another thing by its number. Owners, relations and paths see the number alone.
type Reference interface {
	Custom
	Number() *int64
}

// kind is how one Go type goes to JSON and comes from it. The schema says what set enforces.
type kind struct {
	write  func(dst []byte, v reflect.Value) []byte
	tree   func(v reflect.Value) any
	set    func(v reflect.Value, in any, at string, bad *fault.List)
	parse  func(text string) (any, error) // a filter's value as the column holds it; nil when it cannot be filtered by
	schema map[string]any
	isTime bool
	nested bool // an object with members of its own
}

var (
	timeType      = reflect.TypeFor[time.Time]()
	objectType    = reflect.TypeFor[Object]()
	customType    = reflect.TypeFor[Custom]()
	referenceType = reflect.TypeFor[Reference]()
)

// kindOf compiles a type and its tags; what it does not know panics, at start-up.
func kindOf(t reflect.Type, tag words) kind {
	switch {
	case reflect.PointerTo(t).Implements(customType):
		return customKind(t)
	case t == timeType:
		return timeKind()
	case t == objectType:
		return objectKind(tag)
	case t.Kind() == reflect.Pointer:
		return nullable(kindOf(t.Elem(), tag))
	case t.Kind() == reflect.String:
		return stringKind(tag)
	case t.Kind() == reflect.Bool:
		return boolKind()
	case t.Kind() == reflect.Int64 || t.Kind() == reflect.Int:
		return integerKind(tag)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return listKind(tag)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return nestedListKind(t, tag)
	case t.Kind() == reflect.Struct:
		return nestedKind(t)
	}
	panic("field: no JSON kind for " + t.String())
}

func wrongType(at, want string) *fault.Fault {
	return fault.New(fault.WrongType, "This must be %s.", want).At(at)
}

func stringKind(tag words) kind {
	rules := newStringRules(tag)
	k := kind{schema: rules.schema()}
	k.write = func(dst []byte, v reflect.Value) []byte { return jsondoc.AppendString(dst, v.String()) }
	k.tree = func(v reflect.Value) any { return v.String() }
	k.set = func(v reflect.Value, in any, at string, bad *fault.List) {
		s, ok := in.(string)
		if !ok {
			bad.Add(wrongType(at, "a string"))
		} else if f := rules.check(s); f != nil {
			bad.Add(f.At(at))
		} else {
			v.SetString(s)
		}
	}
	k.parse = func(text string) (any, error) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) { // no column can hold it
			return nil, fault.New(fault.InvalidParameter, "This takes text in UTF-8 without NUL.")
		}
		if len(rules.enum) > 0 && !slices.Contains(rules.enum, text) {
			return nil, fault.New(fault.InvalidParameter, "This takes %s.", strings.Join(rules.enum, ", "))
		}
		return text, nil
	}
	return k
}

func integerKind(tag words) kind {
	low, high := tag.integer("minimum", math.MinInt64), tag.integer("maximum", math.MaxInt64)
	k := kind{schema: map[string]any{"type": "integer"}}
	if low != math.MinInt64 {
		k.schema["minimum"] = low
	}
	if high != math.MaxInt64 {
		k.schema["maximum"] = high
	}
	k.write = func(dst []byte, v reflect.Value) []byte { return strconv.AppendInt(dst, v.Int(), 10) }
	k.tree = func(v reflect.Value) any { return jsondoc.Number(strconv.FormatInt(v.Int(), 10)) }
	k.set = func(v reflect.Value, in any, at string, bad *fault.List) {
		literal, ok := in.(jsondoc.Number)
		n, err := strconv.ParseInt(string(literal), 10, 64)
		switch {
		case !ok || err != nil && !errors.Is(err, strconv.ErrRange):
			bad.Add(wrongType(at, "a whole number, written without fraction or exponent"))
		case err != nil || n < low || n > high:
			bad.Add(fault.New(fault.OutOfRange, "This must be from %d to %d.", low, high).At(at))
		default:
			v.SetInt(n)
		}
	}
	k.parse = func(text string) (any, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != text { // one number has one form
			return nil, fault.New(fault.InvalidParameter, "This takes whole numbers.")
		}
		return n, nil
	}
	return k
}

func boolKind() kind {
	return kind{
		schema: map[string]any{"type": "boolean"},
		write:  func(dst []byte, v reflect.Value) []byte { return strconv.AppendBool(dst, v.Bool()) },
		tree:   func(v reflect.Value) any { return v.Bool() },
		set: func(v reflect.Value, in any, at string, bad *fault.List) {
			if b, ok := in.(bool); ok {
				v.SetBool(b)
			} else {
				bad.Add(wrongType(at, "true or false"))
			}
		},
		parse: func(text string) (any, error) {
			if text != "true" && text != "false" {
				return nil, fault.New(fault.InvalidParameter, "This takes true or false.")
			}
			return text == "true", nil
		},
	}
}

func timeKind() kind {
	return kind{
		isTime: true,
		schema: map[string]any{"type": "string", "pattern": stamp.Pattern, "examples": []any{"2026-01-31 09:30:00Z"}},
		write: func(dst []byte, v reflect.Value) []byte {
			return append(stamp.Append(append(dst, '"'), v.Interface().(time.Time)), '"')
		},
		tree: func(v reflect.Value) any { return stamp.Format(v.Interface().(time.Time)) },
		set: func(v reflect.Value, in any, at string, bad *fault.List) {
			s, ok := in.(string)
			if !ok {
				bad.Add(wrongType(at, "a time, as a string"))
			} else if t, err := stamp.Parse(s); err != nil {
				bad.Add(fault.New(fault.BadFormat, "This must be a time like 2026-01-31 09:30:00Z, or RFC 3339.").At(at))
			} else {
				v.Set(reflect.ValueOf(t))
			}
		},
		parse: func(text string) (any, error) {
			t, err := stamp.Parse(text)
			if err != nil {
				return nil, fault.New(fault.InvalidParameter, "This takes a time like 2026-01-31 09:30:00Z, or RFC 3339.")
			}
			return stamp.Micros(t), nil
		},
	}
}

// runes counts characters, as limits do.
func runes(s string) int64 { return int64(utf8.RuneCountInString(s)) }
