package jsondoc

import "unicode/utf8"

// Append adds v to dst as compact JSON. It panics when v holds anything but JSON values.
func Append(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case string:
		return AppendString(dst, v)
	case Number:
		return append(dst, v...)
	case []any:
		dst = append(dst, '[')
		for i := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, v[i])
		}
		return append(dst, ']')
	case *Object:
		dst = append(dst, '{')
		for i, m := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, m.Name), ':')
			dst = Append(dst, m.Value)
		}
		return append(dst, '}')
	default:
		panic(notAValue(v))
	}
}

// AppendString adds s to dst as a JSON string with no more escapes than JSON asks for. What is not valid UTF-8
// becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if plain(s) {
		dst = append(dst, s...)
	} else {
		dst = appendEscaped(dst, s)
	}
	return append(dst, '"')
}

// plain tells whether s can stand in a JSON string as it is.
func plain(s string) bool {
	var seen byte
	for i := 0; i < len(s); i++ {
		if mustEscape[s[i]] {
			return false
		}
		seen |= s[i]
	}
	return seen < utf8.RuneSelf || utf8.ValidString(s)
}

// mustEscape is true for the bytes that JSON does not allow inside a string.
var mustEscape = func() (table [256]bool) {
	for c := range byte(' ') {
		table[c] = true
	}
	table['"'], table['\\'] = true, true
	return table
}()

func appendEscaped(dst []byte, s string) []byte {
	done := 0 // s[:done] is in dst
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = utf8.AppendRune(append(dst, s[done:i]...), utf8.RuneError)
				done = i + 1
			}
			i += size
			continue
		}
		if mustEscape[c] {
			dst = appendEscape(append(dst, s[done:i]...), c)
			done = i + 1
		}
		i++
	}
	return append(dst, s[done:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\t':
		return append(dst, `\t`...)
	case '\n':
		return append(dst, `\n`...)
	case '\f':
		return append(dst, `\f`...)
	case '\r':
		return append(dst, `\r`...)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
}
