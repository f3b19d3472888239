package shape

import "verbless/internal/jsondoc"

// Warning says what is missing from an answer that is otherwise good.
type Warning struct{ Code, Message string }

// AppendWarnings writes the member warnings between two texts, or nothing when there are none.
func AppendWarnings(dst []byte, before string, warnings []Warning, after string) []byte {
	if len(warnings) == 0 {
		return dst
	}
	dst = append(append(dst, before...), `"warnings":[`...)
	for i, w := range warnings {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsondoc.AppendString(append(dst, `{"code":`...), w.Code)
		dst = append(jsondoc.AppendString(append(dst, `,"message":`...), w.Message), '}')
	}
	return append(append(dst, ']'), after...)
}
