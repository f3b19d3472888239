package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"verbless/internal/fault"
)

// TestStrictJSON: each fault of the text is a 400 that says where.
func TestStrictJSON(t *testing.T) {
	t.Parallel()
	s := serve(t)
	deep := func(n int) string {
		return `{"title":"x","extra":` + strings.Repeat(`{"a":`, n-2) + `{}` + strings.Repeat(`}`, n-2) + `}`
	}
	for _, test := range []struct{ name, body, place string }{
		{"empty", ``, ""},
		{"blank", " \n", ""},
		{"no JSON", `{"title":`, ""},
		{"single quotes", `{'title':'x'}`, ""},
		{"comment", `{"title":"x"} // so`, ""},
		{"trailing comma", `{"title":"x",}`, ""},
		{"trailing data", `{"title":"x"} {}`, ""},
		{"trailing garbage", `{"title":"x"}x`, ""},
		{"byte order mark", "\ufeff" + `{"title":"x"}`, ""},
		{"twice", `{"title":"x","title":"x"}`, "/title"},
		{"twice with escapes", `{"title":"x","\u0074itle":"y"}`, "/title"},
		{"twice inside", `{"title":"x","extra":{"a":{"b":1,"b":2}}}`, "/extra/a/b"},
		{"lone high surrogate", `{"title":"\ud800"}`, ""},
		{"lone low surrogate", `{"title":"a\udc00b"}`, ""},
		{"no UTF-8", "{\"title\":\"\xff\"}", ""},
		{"overlong", "{\"title\":\"\xc0\xaf\"}", ""},
		{"raw control character", "{\"title\":\"a\tb\"}", ""},
		{"NaN", `{"rank":NaN}`, ""},
		{"leading zero", `{"rank":01}`, ""},
		{"too deep", deep(33), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, call := range []string{"POST /notes", "PUT /notes/" + nth(1), "PATCH /notes/" + nth(1)} {
				a := s.do(t, alice, call, test.body, plainJSON)
				a.status(t, 400)
				if test.place != "" {
					a.refused(t, fault.InvalidJSON, "invalid_json "+test.place)
				} else if code := a.at(t, "code"); code != "invalid_json" {
					t.Errorf("%s: %v", call, code)
				}
				if offset := fmt.Sprint(a.at(t, "offset")); offset == "<nil>" {
					t.Errorf("%s does not say where", call)
				}
			}
		})
	}
	s.want(t, 201, alice, "POST /notes", deep(32))
}

// TestNumbersAreKept: nothing is rounded on its way through a free object.
func TestNumbersAreKept(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const extra = `{"big":123456789012345678901234567890,"long":0.1000000000000000055511151231257827,"exp":1E400,"neg":-0,"s":"\"\\/é😀"}`
	a := s.want(t, 201, alice, "POST /notes", `{"title":"x","extra":`+extra+`}`)
	if !strings.Contains(a.Body, `"extra":`+extra) {
		t.Errorf("got %s", a.Body)
	}
}
