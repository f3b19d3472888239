package jsondoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

var refused = []struct {
	text, pointer string
	offset        int64
	reason        string
}{
	{``, "", 0, "The text is empty."},
	{"  \n", "", 3, "The text is empty."},
	{`[1`, "", 2, "The text ends before the JSON value does."},
	{`{"a":{"b":"x`, "/a/b", 12, "The text ends before the JSON value does."},
	{`tru`, "", 3, "The text ends before the JSON value does."},
	{`{"a":1} x`, "", 8, "There is something after the end of the JSON value."},
	{`1 2`, "", 2, "There is something after the end of the JSON value."},
	{`[]]`, "", 2, "There is something after the end of the JSON value."},
	{"\ufeff{}", "", 0, "The text starts with a byte order mark, which JSON does not have."},
	{"\xff\xfe{\x00}\x00", "", 0, "The text is not valid UTF-8."},
	{"{\x00}\x00", "", 1, "The control character U+0000 is out of place; inside a string it has to be escaped."},
	{"{\"a\":\"\xff\"}", "/a", 6, "The text is not valid UTF-8."},
	{"{\"\xc3\":1}", "", 2, "The text is not valid UTF-8."},
	{"[\"\xed\xa0\x80\"]", "/0", 2, "The text is not valid UTF-8."},
	{"[\"\xc0\x80\"]", "/0", 2, "The text is not valid UTF-8."},
	{`["\ud800"]`, "/0", 2, "A string holds half of a surrogate pair."},
	{`["a\uDC00"]`, "/0", 3, "A string holds half of a surrogate pair."},
	{`["\ud800\u0041"]`, "/0", 2, "A string holds half of a surrogate pair."},
	{`{"\udfff":1}`, "", 2, "A string holds half of a surrogate pair."},
	{`["\x41"]`, "/0", 2, "A string holds an escape that JSON does not have."},
	{`["\u12G4"]`, "/0", 2, "A string holds an escape that JSON does not have."},
	{"[\"a\nb\"]", "/0", 3, "The control character U+000A is out of place; inside a string it has to be escaped."},
	{"[\"\x00\"]", "/0", 2, "The control character U+0000 is out of place; inside a string it has to be escaped."},
	{`{"a":1,"a":2}`, "/a", 7, `The member "a" appears twice.`},
	{`{"a":{"x/y":1,"b":2,"x\u002fy":3}}`, "/a/x~1y", 20, `The member "x/y" appears twice.`},
	{`{1:2}`, "", 1, "The name of a member has to be a string."},
	{`{"a":1,}`, "", 6, `The character "," is out of place.`},
	{`[1,]`, "", 2, `The character "," is out of place.`},
	{`{"a" 1}`, "/a", 5, `The character "1" is out of place.`},
	{`[01]`, "", 2, `The character "1" is out of place.`},
	{`[+1]`, "/0", 1, `The character "+" is out of place.`},
	{`[1.]`, "/0", 3, `The character "]" is out of place.`},
	{`[NaN]`, "/0", 1, `The character "N" is out of place.`},
	{`{'a':1}`, "", 1, `The character "'" is out of place.`},
	{`[1}`, "", 2, `The character "}" is out of place.`},
	{"[\u200b]", "/0", 1, "The character U+200B is out of place."},
	{strings.Repeat("[", 33), strings.Repeat("/0", 32), 32, "There are more than 32 arrays and objects inside each other."},
	{`{"a":` + strings.Repeat("[", 32), "/a" + strings.Repeat("/0", 31), 36, "There are more than 32 arrays and objects inside each other."},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range refused {
		v, err := Parse([]byte(c.text))
		var e *SyntaxError
		if !errors.As(err, &e) || v != nil {
			t.Errorf("%q: got %v and %v, want a *SyntaxError", c.text, v, err)
			continue
		}
		if e.Pointer != c.pointer || e.Offset != c.offset || e.Reason != c.reason {
			t.Errorf("%q:\n got %q %d %s\nwant %q %d %s", c.text, e.Pointer, e.Offset, e.Reason, c.pointer, c.offset, c.reason)
		}
		if !strings.Contains(e.Error(), c.reason) {
			t.Errorf("%q: Error() is %q", c.text, e.Error())
		}
	}
}

func TestReasonStaysShort(t *testing.T) {
	name := strings.Repeat("é", 1<<20)
	_, err := Parse(fmt.Appendf(nil, `{"%s":1,"%s":2}`, name, name))
	var e *SyntaxError
	if !errors.As(err, &e) || len(e.Reason) > 120 {
		t.Fatalf("the reason has %d bytes", len(e.Reason))
	}
}
