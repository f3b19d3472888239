// Package cursor writes a place in a list as text, and reads it back. A cursor is signed together with the list's
// fingerprint, so that it works for that list alone.
package cursor

import (
	"crypto/hmac"
	"encoding/base64"
	"reflect"
	"strconv"
	"strings"
	"time"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
	"verbless/internal/query"
	"verbless/internal/stamp"
)

// Sign makes a tag of so many bytes of the parts, as text.
type Sign func(size int, parts ...string) string

// macSize is how many bytes sign a cursor.
const macSize = 12

// Make names the place of a row in a list.
func Make(sign Sign, fingerprint string, before bool, sort, key reflect.Value) string {
	payload := jsondoc.Append(nil, []any{before, columnDocument(sort), columnDocument(key)})
	return base64.RawURLEncoding.EncodeToString(append(payload, sign(macSize, "cursor", fingerprint, string(payload))...))
}

// Read gives the place that a cursor of this list names.
func Read(sign Sign, text, fingerprint string) (*query.Edge, error) {
	refused := fault.New(fault.InvalidCursor, "This cursor does not belong to this list.").In("cursor")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	size := base64.RawURLEncoding.EncodedLen(macSize)
	if err != nil || len(raw) < size || strings.ContainsAny(text, "\r\n") { // the decoder skips line ends
		return nil, refused
	}
	payload, mac := raw[:len(raw)-size], raw[len(raw)-size:]
	if !hmac.Equal(mac, []byte(sign(macSize, "cursor", fingerprint, string(payload)))) {
		return nil, refused
	}
	doc, err := jsondoc.Parse(payload)
	parts, ok := doc.([]any)
	if err != nil || !ok || len(parts) != 3 {
		return nil, refused
	}
	edge := &query.Edge{Value: columnFromDocument(parts[1]), Key: columnFromDocument(parts[2])}
	edge.Before, _ = parts[0].(bool)
	return edge, nil
}

// columnDocument is a row's value as its column holds it, as a document.
func columnDocument(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case time.Time:
		return jsondoc.Number(strconv.FormatInt(stamp.Micros(value), 10))
	case bool:
		return value
	}
	if v.Kind() == reflect.String {
		return v.String()
	}
	return jsondoc.Number(strconv.FormatInt(v.Int(), 10))
}

func columnFromDocument(doc any) any {
	if literal, ok := doc.(jsondoc.Number); ok {
		n, _ := strconv.ParseInt(string(literal), 10, 64)
		return n
	}
	return doc
}
