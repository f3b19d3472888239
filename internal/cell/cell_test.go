package cell

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// kept is a row of one column.
type kept struct{ value any }

func (k kept) Null(int) bool { return k.value == nil }

func (k kept) Int(int) (int64, bool) {
	n, ok := k.value.(int64)
	return n, ok
}

func (k kept) Text(int) (string, bool) {
	s, ok := k.value.(string)
	return s, ok
}

func (k kept) Value(int) any { return k.value }

type line struct {
	Text  string   `json:"text"`
	Words []string `json:"words"`
	Count int64    `json:"count"`
}

// through writes a value into a column and reads it back.
func through[T any](t rapid.TB, value T) T {
	t.Helper()
	codec, _, ok := For(reflect.TypeFor[T]())
	if !ok {
		t.Fatalf("no column can hold a %T", value)
	}
	in, err := codec.Get(reflect.ValueOf(&value).Elem())
	if b, isBool := in.(bool); isBool { // as the engines keep it
		in = map[bool]int64{true: 1}[b]
	}
	var out T
	if err == nil {
		err = codec.Set(reflect.ValueOf(&out).Elem(), kept{in}, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func same[T any](t rapid.TB, value T) {
	t.Helper()
	if got := through(t, value); !reflect.DeepEqual(got, value) {
		t.Errorf("%#v came back as %#v", value, got)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, number := rapid.String().Draw(t, "text"), rapid.Int64().Draw(t, "number")
		words := append([]string{}, rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", ",", `"`, `\\`, "],[", "a,b", "é"}))).Draw(t, "words")...)
		same(t, text)
		same(t, number)
		same(t, number > 0)
		same(t, &text)
		same(t, (*string)(nil))
		same(t, []byte(text+"x"))
		same(t, []byte(nil))
		same(t, words)
		same(t, line{text, words, number})
		same(t, []line{{text, words, number}, {}})
		same(t, []line{})
		same(t, time.UnixMicro(number%1e15).UTC())
	})
}

// TestStringsOfOthers reads lists that were not written here.
func TestStringsOfOthers(t *testing.T) {
	codec, _, _ := For(stringsType)
	for _, text := range []string{`[]`, `["a"]`, `["a","b"]`, ` [ "a" , "b" ] `, `["a" ,"b"]`, `["\u0041"]`, `[""]`, `["",""]`, `[1]`, `["a"`, `["a",]`, `["a""b"]`, `[a]`, `{}`, ``} {
		var want, got []string
		refused := json.Unmarshal([]byte(text), &want)
		err := codec.Set(reflect.ValueOf(&got).Elem(), kept{text}, 0)
		if (err == nil) != (refused == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, %v; want %q, %v", text, got, err, want, refused)
		}
	}
}
