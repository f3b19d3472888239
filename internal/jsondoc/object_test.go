package jsondoc

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestObject(t *testing.T) {
	o := NewObject(Member{"a", Number("1")}, Member{"b", nil})
	o.Set("c", true)
	o.Set("a", "x")
	if got := show(o); got != `{"a":"x","b":null,"c":true}` {
		t.Error(got)
	}
	if v, ok := o.Get("b"); v != nil || !ok {
		t.Error("b is lost")
	}
	if _, ok := o.Get("B"); ok {
		t.Error("names are matched without case")
	}
	if !o.Delete("b") || o.Delete("b") || o.Len() != 2 {
		t.Error("Delete does not tell the truth")
	}
	if got := show(o); got != `{"a":"x","c":true}` {
		t.Error(got)
	}
}

func TestClone(t *testing.T) {
	v := must(t, `{"a":[{"b":1}],"c":[],"d":{}}`)
	c := Clone(v).(*Object)
	if !Equal(v, c) {
		t.Fatal(show(c))
	}
	list, _ := c.Get("a")
	list.([]any)[0].(*Object).Set("b", "changed")
	c.Set("c", nil)
	if got := show(v); got != `{"a":[{"b":1}],"c":[],"d":{}}` {
		t.Error(got)
	}
}

func TestNameSetFindsEveryTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names nameSet
		var members []Member
		seen := map[string]bool{}
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 150), 0, 300).Draw(t, "names") {
			name := fmt.Sprint(n)
			if names.add(members, name) == seen[name] {
				t.Fatalf("wrong about %s after %d members", name, len(members))
			}
			if !seen[name] {
				seen[name] = true
				members = append(members, Member{Name: name})
			}
		}
	})
}
