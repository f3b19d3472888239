package jsondoc

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// RFC 7396, appendix A.
func TestMergeVectors(t *testing.T) {
	cases := []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	}
	if len(cases) != 15 {
		t.Fatalf("the appendix has 15 cases, not %d", len(cases))
	}
	for _, c := range cases {
		if got := show(Merge(must(t, c.target), must(t, c.patch))); got != c.want {
			t.Errorf("%s with %s gives %s, want %s", c.target, c.patch, got, c.want)
		}
	}
}

func TestOverlay(t *testing.T) {
	cases := []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":null}`, `{"a":null}`},
		{`{"a":"b"}`, `{"b":null}`, `{"a":"b","b":null}`},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":null}}`, `{"a":{"b":null,"c":2}}`},
		{`{"a":1}`, `{"a":{"b":{"c":null}}}`, `{"a":{"b":{"c":null}}}`},
		{`{"a":[1,2]}`, `{"a":[null]}`, `{"a":[null]}`},
		{`{"a":1}`, `null`, `null`},
	}
	for _, c := range cases {
		if got := show(Overlay(must(t, c.target), must(t, c.patch))); got != c.want {
			t.Errorf("%s with %s gives %s, want %s", c.target, c.patch, got, c.want)
		}
	}
}

func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target, patch := anyValue().Draw(t, "target"), anyValue().Draw(t, "patch")
		before := show(target) + show(patch)
		merged, laid := Merge(target, patch), Overlay(target, patch)
		if after := show(target) + show(patch); after != before {
			t.Fatalf("the inputs were changed: %s", after)
		}
		if again := Merge(merged, patch); !Equal(again, merged) {
			t.Fatalf("twice gives %s, once %s", show(again), show(merged))
		}
		if again := Overlay(laid, patch); !Equal(again, laid) {
			t.Fatalf("overlay twice gives %s, once %s", show(again), show(laid))
		}
		if _, ok := patch.(*Object); !ok && !Equal(merged, patch) {
			t.Fatalf("a patch that is no object does not replace: %s", show(merged))
		}
		if _, ok := target.(*Object); ok && !Equal(Merge(target, NewObject()), target) {
			t.Fatal("an empty patch changes something")
		}
		if holdsNull(Merge(nil, patch)) && patch != nil {
			t.Fatalf("a member is null: %s", show(Merge(nil, patch)))
		}
		if !holdsNull(patch) && !Equal(merged, laid) {
			t.Fatalf("without null, merge gives %s and overlay %s", show(merged), show(laid))
		}
	})
}

// holdsNull tells whether v, outside arrays, holds a null.
func holdsNull(v any) bool {
	o, ok := v.(*Object)
	if !ok {
		return v == nil
	}
	for _, m := range o.Members {
		if holdsNull(m.Value) {
			return true
		}
	}
	return false
}

func TestMergeIsLinear(t *testing.T) {
	target, patch, gone := NewObject(), NewObject(), NewObject()
	for i := range 100_000 {
		target.Members = append(target.Members, Member{fmt.Sprint(i), true})
		patch.Members = append(patch.Members, Member{fmt.Sprint(150_000 - i), false})
		gone.Members = append(gone.Members, Member{fmt.Sprint(i), nil})
	}
	start := time.Now()
	if got := Merge(target, patch).(*Object).Len(); got != 150_001 {
		t.Errorf("%d members", got)
	}
	if got := Merge(target, gone).(*Object).Len(); got != 0 {
		t.Errorf("%d members left", got)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}
