package describe

import (
	"slices"

	"verbless/internal/stamp"
)

// Limits that are no rules of ours, but that nothing passes: a description without limits makes cautious clients reserve for the worst.
const (
	maxAddress = 1 << 20   // characters of an address, or of a text that only we write: no request has a longer one
	maxStamp   = 35        // of a time, with nine digits of fraction and a zone
	maxText    = 2 << 20   // of any text that is sent: a body has no more
	maxMany    = 1_000_000 // items of what is included, and of anything else that has no limit of its own
	maxInt     = 1<<63 - 1
)

// lengths are the most characters that a format takes.
var lengths = map[any]int{"date": 10, "uuid": 36, "uri": maxAddress}

// bounded is v with every schema inside it given the limits that it has anyway. Nothing of v is changed: what serves shares parts of it.
func bounded(v any) any {
	switch whole := v.(type) {
	case map[string]any:
		v := make(map[string]any, len(whole))
		for name, inner := range whole {
			v[name] = bounded(inner)
		}
		if isOf(v, "string") && v["maxLength"] == nil && v["enum"] == nil && v["const"] == nil {
			v["maxLength"] = maxLength(v)
		}
		if isOf(v, "array") && v["maxItems"] == nil {
			v["maxItems"] = maxMany
		}
		if isOf(v, "integer") && v["enum"] == nil {
			orElse(v, "format", "int64")
			orElse(v, "minimum", -maxInt-1)
			orElse(v, "maximum", maxInt)
		}
		return v
	case []any:
		list := make([]any, len(whole))
		for i, inner := range whole {
			list[i] = bounded(inner)
		}
		return list
	}
	return v
}

func orElse(m map[string]any, name string, value any) {
	if m[name] == nil {
		m[name] = value
	}
}

func maxLength(schema map[string]any) int {
	switch {
	case lengths[schema["format"]] > 0:
		return lengths[schema["format"]]
	case schema["pattern"] == stamp.Pattern:
		return maxStamp
	case schema["readOnly"] == true:
		return maxAddress
	}
	return maxText
}

// isOf tells whether a schema is of the type, null or not.
func isOf(schema map[string]any, name string) bool {
	switch t := schema["type"].(type) {
	case string:
		return t == name
	case []string:
		return slices.Contains(t, name)
	case []any:
		return slices.Contains(t, any(name))
	}
	return false
}
