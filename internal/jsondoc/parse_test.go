package jsondoc

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAccepts(t *testing.T) {
	nested := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	cases := []struct{ text, want string }{
		{`null`, `null`},
		{" \t\r\n true \n", `true`},
		{`""`, `""`},
		{`-0`, `-0`},
		{`1.50E+2`, `1.50E+2`},
		{`1e400`, `1e400`},
		{`9007199254740993`, `9007199254740993`},
		{strings.Repeat("7", 1<<20), strings.Repeat("7", 1<<20)},
		{`[ ]`, `[]`},
		{`{ }`, `{}`},
		{`{"b":1,"a":[{},[],null]}`, `{"b":1,"a":[{},[],null]}`},
		{`{"a":1,"A":2}`, `{"a":1,"A":2}`},
		{`{"":0}`, `{"":0}`},
		{`"\u0000"`, `"\u0000"`},
		{`"\ud83d\ude00 \u00e9 \/"`, `"😀 é /"`},
		{"\"\ufeff\u2028\u007f\"", "\"\ufeff\u2028\u007f\""},
		{nested, nested},
	}
	for _, c := range cases {
		if got := show(must(t, c.text)); got != c.want {
			t.Errorf("%.60q gives %.60s, want %.60s", c.text, got, c.want)
		}
	}
}

func TestParseKeepsNothingOfItsInput(t *testing.T) {
	data := []byte(`{"name":["text",12345,"é\n"]}`)
	v, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = '#'
	}
	must(t, `["another","document","in","the","same","parser"]`)
	if got := show(v); got != `{"name":["text",12345,"é\n"]}` {
		t.Fatal(got)
	}
}

func TestParsersDoNotMix(t *testing.T) {
	for range 50 {
		if _, err := Parse([]byte(`[1,{"a":[2,3,{"b":`)); err == nil {
			t.Fatal("no error")
		}
		if got := show(must(t, `[{"x":[4]},5]`)); got != `[{"x":[4]},5]` {
			t.Fatal(got)
		}
	}
}

func TestParseReadsWhatAppendWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue().Draw(t, "value")
		text := Append(nil, v)
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !Equal(got, v) || !reflect.DeepEqual(got, v) {
			t.Fatalf("%s came back as %s", text, show(got))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00",null,true,{}]}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", "\ufeff1",
		"[[[[", `[1,]`, `1e400`, "{\x00}", ` [ "\n" ] x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		if err != nil {
			var e *SyntaxError
			if !errors.As(err, &e) || e.Reason == "" || e.Offset < 0 || e.Offset > int64(len(data)) {
				t.Fatalf("%q: %#v", data, err)
			}
			if _, err := ParsePointer(e.Pointer); err != nil && strings.Count(e.Pointer, "/") <= MaxDepth {
				t.Fatalf("%q: pointer %q: %v", data, e.Pointer, err)
			}
			return
		}
		again := must(t, show(v))
		if !reflect.DeepEqual(v, again) || !Equal(v, again) || !Equal(v, Clone(v)) {
			t.Fatalf("%q came back as %s", data, show(again))
		}
	})
}

func BenchmarkParse(b *testing.B) {
	article := []byte(benchArticle())
	b.SetBytes(int64(len(article)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(article); err != nil {
			b.Fatal(err)
		}
	}
}

// benchArticle is an article of 2 KB as a client sends it.
func benchArticle() string {
	body := strings.Repeat(`The quick brown fox jumps over the lazy dog.\n\nAnd the dog, who is “lazy”, lets it be. `, 17)
	return `{"id":"01890a5d-ac96-774b-bcce-b302099a8057","slug":"the-fox","title":"The fox and the dog","body":"` + body +
		`","status":"published","author":{"id":42,"username":"ada","links":{"self":"/users/42"}},"tags":["fox","dog","animals"],` +
		`"metadata":{"words":312,"score":0.75,"reviewed":true,"source":null},"created_at":"2025-01-02 03:04:05Z",` +
		`"updated_at":"2025-01-02 03:04:05Z","links":{"self":"/articles/the-fox","author":"/users/42"}}`
}
