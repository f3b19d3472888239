package rest

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

// macSize is how many bytes sign a cursor.
const macSize = 12

// cursorFor names the place of a row in a list. It is signed together with the list's fingerprint,
// so that it works for that list alone.
func (a *API) cursorFor(fingerprint string, before bool, sort, key reflect.Value) string {
	payload := jsondoc.Append(nil, []any{before, columnDocument(sort), columnDocument(key)})
	return base64.RawURLEncoding.EncodeToString(append(payload, a.keyed(macSize, "cursor", fingerprint, string(payload))...))
}

func (a *API) readCursor(text, fingerprint string) (*query.Edge, error) {
	refused := fault.New(fault.InvalidCursor, "This cursor does not belong to this list.").In("cursor")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	size := base64.RawURLEncoding.EncodedLen(macSize)
	if err != nil || len(raw) < size || strings.ContainsAny(text, "\r\n") { // the decoder skips line ends
		return nil, refused
	}
	payload, mac := raw[:len(raw)-size], raw[len(raw)-size:]
	if !hmac.Equal(mac, []byte(a.keyed(macSize, "cursor", fingerprint, string(payload)))) {
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
