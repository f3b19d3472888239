// Package cell moves one value between a Go field and a column, as the type of the field says. It knows nothing of tables.
package cell

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"verbless/internal/stamp"
)

// Row is where values are read from: the second result tells whether the column holds that. Rows of package db are such.
type Row interface {
	Null(column int) bool
	Int(column int) (int64, bool)
	Text(column int) (string, bool)
	Value(column int) any
}

// Codec moves one type between a field and a column.
type Codec struct {
	Get func(field reflect.Value) (any, error)
	Set func(field reflect.Value, row Row, column int) error
}

var (
	timeType    = reflect.TypeFor[time.Time]()
	scannerType = reflect.TypeFor[sql.Scanner]()
	stringsType = reflect.TypeFor[[]string]()
	valuerType  = reflect.TypeFor[driver.Valuer]()
)

// For chooses by type. ok is false for what no column can hold.
func For(t reflect.Type) (c Codec, nullable, ok bool) {
	pointer := reflect.PointerTo(t)
	switch {
	case pointer.Implements(scannerType) && pointer.Implements(valuerType):
		return Codec{getValuer, setScanner}, true, true
	case t == timeType:
		return Codec{getTime, setTime}, false, true
	case t.Kind() == reflect.Pointer:
		inner, _, ok := For(t.Elem())
		return optional(t.Elem(), inner), true, ok && t.Elem().Kind() != reflect.Pointer
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return Codec{getBytes, setBytes}, true, true
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return Codec{getStrings, setStrings}, false, true
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return Codec{getJSON, setJSON}, false, true
	}
	switch t.Kind() {
	case reflect.String:
		return Codec{getString, setString}, false, true
	case reflect.Int, reflect.Int64:
		return Codec{getInt, setInt}, false, true
	case reflect.Bool:
		return Codec{getBool, setBool}, false, true
	}
	return Codec{}, false, false
}

// optional is nil for NULL.
func optional(t reflect.Type, inner Codec) Codec {
	return Codec{
		Get: func(f reflect.Value) (any, error) {
			if f.IsNil() {
				return nil, nil
			}
			return inner.Get(f.Elem())
		},
		Set: func(f reflect.Value, r Row, i int) error {
			if r.Null(i) {
				f.SetZero()
				return nil
			}
			p := reflect.New(t)
			f.Set(p)
			return inner.Set(p.Elem(), r, i)
		},
	}
}

func mismatch(f reflect.Value, r Row, i int) error {
	return fmt.Errorf("cannot keep %T in %s", r.Value(i), f.Type())
}

func getString(f reflect.Value) (any, error) { return f.String(), nil }

func setString(f reflect.Value, r Row, i int) error {
	text, ok := r.Text(i)
	if !ok {
		return mismatch(f, r, i)
	}
	f.SetString(text)
	return nil
}

func getInt(f reflect.Value) (any, error) { return f.Int(), nil }

func setInt(f reflect.Value, r Row, i int) error {
	n, ok := r.Int(i)
	if !ok || f.OverflowInt(n) {
		return mismatch(f, r, i)
	}
	f.SetInt(n)
	return nil
}

func getBool(f reflect.Value) (any, error) { return f.Bool(), nil }

func setBool(f reflect.Value, r Row, i int) error {
	n, ok := r.Int(i)
	if !ok {
		return mismatch(f, r, i)
	}
	f.SetBool(n != 0)
	return nil
}

func getTime(f reflect.Value) (any, error) {
	return stamp.Micros(*f.Addr().Interface().(*time.Time)), nil
}

func setTime(f reflect.Value, r Row, i int) error {
	n, ok := r.Int(i)
	if !ok {
		return mismatch(f, r, i)
	}
	*f.Addr().Interface().(*time.Time) = stamp.FromMicros(n)
	return nil
}

func getBytes(f reflect.Value) (any, error) {
	if f.IsNil() {
		return nil, nil
	}
	return string(f.Bytes()), nil
}

func setBytes(f reflect.Value, r Row, i int) error {
	if r.Null(i) {
		f.SetZero()
		return nil
	}
	text, ok := r.Text(i)
	if !ok {
		return mismatch(f, r, i)
	}
	f.SetBytes([]byte(text))
	return nil
}

func getStrings(f reflect.Value) (any, error) {
	if f.Len() == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(f.Interface())
	return string(text), err
}

func setStrings(f reflect.Value, r Row, i int) error {
	if r.Null(i) {
		f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		return nil
	}
	text, ok := r.Text(i)
	if !ok {
		return mismatch(f, r, i)
	}
	if words, ok := simpleStrings(text); ok && f.Type() == stringsType {
		*f.Addr().Interface().(*[]string) = words
		return nil
	}
	return json.Unmarshal([]byte(text), f.Addr().Interface())
}

// simpleStrings reads the form that almost every list has: no escapes, no spaces between.
func simpleStrings(s string) ([]string, bool) {
	if s == "[]" {
		return []string{}, true
	}
	if len(s) < 4 || s[0] != '[' || s[len(s)-1] != ']' || strings.IndexByte(s, '\\') >= 0 {
		return nil, false
	}
	words := make([]string, 0, strings.Count(s, `"`)/2)
	for s = s[1:]; len(s) > 1 && s[0] == '"'; s = s[1:] {
		end := strings.IndexByte(s[1:], '"') + 1
		if end == 0 || s[end+1] != ',' && end+2 != len(s) {
			return nil, false
		}
		words = append(words, s[1:end])
		s = s[end+1:]
	}
	return words, s == ""
}

// getJSON keeps what has members of its own as JSON text.
func getJSON(f reflect.Value) (any, error) {
	if f.Kind() == reflect.Slice && f.Len() == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(f.Interface())
	return string(text), err
}

func setJSON(f reflect.Value, r Row, i int) error {
	text, ok := r.Text(i)
	if !ok {
		return mismatch(f, r, i)
	}
	if text == "[]" && f.Kind() == reflect.Slice { // as most are
		f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		return nil
	}
	return jsonv2.Unmarshal([]byte(text), f.Addr().Interface())
}

func getValuer(f reflect.Value) (any, error) {
	return f.Addr().Interface().(driver.Valuer).Value()
}

func setScanner(f reflect.Value, r Row, i int) error {
	return f.Addr().Interface().(sql.Scanner).Scan(r.Value(i))
}
