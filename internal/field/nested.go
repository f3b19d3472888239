package field

import (
	"reflect"
	"strconv"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// Seer is a value that looks different depending on other members of its row, as an amount does on its currency.
// See is given a pointer to the row before the value is shown.
type Seer interface{ See(row any) }

var seerType = reflect.TypeFor[Seer]()

// nestedKind is an object with members of its own: a struct with the same tags as a resource.
func nestedKind(t reflect.Type) kind {
	m := &Model{Name: t.Name(), typ: t, named: map[string]*Field{}, column: map[string]*Field{}}
	m.read(t, nil)
	return kind{
		nested: true,
		schema: m.Schema(Body, func(string) bool { return false }),
		write: func(dst []byte, v reflect.Value) []byte {
			dst = append(dst, '{')
			for i, f := range m.Fields {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = f.kind.write(append(dst, f.quoted...), f.Of(v))
			}
			return append(dst, '}')
		},
		tree: func(v reflect.Value) any { return m.Tree(v, true) },
		set: func(v reflect.Value, in any, at string, bad *fault.List) {
			m.Fill(v, nil, in, at, false, bad)
		},
	}
}

// nestedListKind is an array of such objects.
func nestedListKind(t reflect.Type, tag words) kind {
	item, most := nestedKind(t.Elem()), tag.integer("maxItems", 1000)
	return kind{
		schema: map[string]any{"type": "array", "items": item.schema, "maxItems": most},
		write: func(dst []byte, v reflect.Value) []byte {
			dst = append(dst, '[')
			for i := range v.Len() {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = item.write(dst, v.Index(i))
			}
			return append(dst, ']')
		},
		tree: func(v reflect.Value) any {
			list := make([]any, v.Len())
			for i := range list {
				list[i] = item.tree(v.Index(i))
			}
			return list
		},
		set: func(v reflect.Value, in any, at string, bad *fault.List) {
			list, ok := in.([]any)
			if !ok {
				bad.Add(wrongType(at, "an array of objects"))
				return
			}
			if int64(len(list)) > most {
				bad.Add(fault.New(fault.OutOfRange, "At most %d items fit here.", most).At(at))
				return
			}
			out := reflect.MakeSlice(v.Type(), len(list), len(list))
			for i, doc := range list {
				item.set(out.Index(i), doc, jsondoc.AppendPointer(at, strconv.Itoa(i)), bad)
			}
			v.Set(out)
		},
	}
}
