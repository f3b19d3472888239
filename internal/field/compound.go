package field

import (
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

func listKind(tag words) kind {
	items := newStringRules(tag)
	most, unique := tag.integer("maxItems", 1000), tag.flag("uniqueItems")
	k := kind{schema: map[string]any{"type": "array", "items": items.schema(), "maxItems": most}}
	if unique {
		k.schema["uniqueItems"] = true
	}
	k.parse = func(text string) (any, error) { // asks whether the list holds it
		if f := items.check(text); f != nil || !utf8.ValidString(text) {
			return nil, fault.New(fault.InvalidParameter, "No item of the list can be this.")
		}
		return text, nil
	}
	k.tree = func(v reflect.Value) any {
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).String()
		}
		return list
	}
	k.write = func(dst []byte, v reflect.Value) []byte {
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsondoc.AppendString(dst, v.Index(i).String())
		}
		return append(dst, ']')
	}
	k.set = func(v reflect.Value, in any, at string, bad *fault.List) {
		list, ok := in.([]any)
		if !ok {
			bad.Add(wrongType(at, "an array of strings"))
			return
		}
		if int64(len(list)) > most {
			bad.Add(fault.New(fault.OutOfRange, "At most %d items fit here.", most).At(at))
			return
		}
		out := make([]string, len(list))
		for i, item := range list {
			here := jsondoc.AppendPointer(at, strconv.Itoa(i))
			s, ok := item.(string)
			if !ok {
				bad.Add(wrongType(here, "a string"))
			} else if f := items.check(s); f != nil {
				bad.Add(f.At(here))
			} else if unique && slices.Contains(out[:i], s) {
				bad.Add(fault.New(fault.NotAllowedValue, "This item appears twice.").At(here))
			}
			out[i] = s
		}
		v.Set(reflect.ValueOf(out).Convert(v.Type()))
	}
	return k
}

func objectKind(tag words) kind {
	most := int(tag.integer("maxBytes", 16<<10))
	return kind{
		schema: map[string]any{"type": "object", "additionalProperties": true},
		write: func(dst []byte, v reflect.Value) []byte {
			if v.Len() == 0 {
				return append(dst, "{}"...)
			}
			return append(dst, v.Bytes()...)
		},
		tree: func(v reflect.Value) any {
			tree, err := jsondoc.Parse(v.Bytes())
			if err != nil { // only what we wrote is ever stored, so this is the zero value
				return jsondoc.NewObject()
			}
			return tree
		},
		set: func(v reflect.Value, in any, at string, bad *fault.List) {
			if _, ok := in.(*jsondoc.Object); !ok {
				bad.Add(wrongType(at, "an object"))
			} else if text := jsondoc.Append(nil, in); len(text) > most {
				bad.Add(fault.New(fault.OutOfRange, "This may take at most %d bytes as JSON; it takes %d.", most, len(text)).At(at))
			} else {
				v.SetBytes(text)
			}
		},
	}
}

func customKind(t reflect.Type) kind {
	at := func(v reflect.Value) Custom { return v.Addr().Interface().(Custom) }
	return kind{
		schema: reflect.New(t).Interface().(Custom).Schema(),
		write:  func(dst []byte, v reflect.Value) []byte { return jsondoc.Append(dst, at(v).Tree()) },
		tree:   func(v reflect.Value) any { return at(v).Tree() },
		set: func(v reflect.Value, in any, where string, bad *fault.List) {
			at(v).SetTree(in, where, bad)
		},
	}
}

// nullable adds null to a kind: a pointer that may be nil.
func nullable(inner kind) kind {
	k := inner
	k.schema = map[string]any{"anyOf": []any{inner.schema, map[string]any{"type": "null"}}}
	if t, ok := inner.schema["type"]; ok && inner.schema["enum"] == nil {
		k.schema = cloneMap(inner.schema)
		k.schema["type"] = []any{t, "null"}
	}
	k.write = func(dst []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(dst, "null"...)
		}
		return inner.write(dst, v.Elem())
	}
	k.tree = func(v reflect.Value) any {
		if v.IsNil() {
			return nil
		}
		return inner.tree(v.Elem())
	}
	k.set = func(v reflect.Value, in any, at string, bad *fault.List) {
		if in == nil {
			v.SetZero()
			return
		}
		value := reflect.New(v.Type().Elem())
		inner.set(value.Elem(), in, at, bad)
		v.Set(value)
	}
	return k
}
