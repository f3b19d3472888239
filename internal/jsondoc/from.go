package jsondoc

import (
	"maps"
	"slices"
	"strconv"
)

// From turns plain Go values into a document: integers, and slices and maps of what a document may hold.
func From(v any) any {
	switch v := v.(type) {
	case int:
		return Number(strconv.Itoa(v))
	case int64:
		return Number(strconv.FormatInt(v, 10))
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = From(list[i])
		}
		return list
	case map[string]any:
		object := NewObject()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			object.Set(name, From(v[name]))
		}
		return object
	}
	return v
}
