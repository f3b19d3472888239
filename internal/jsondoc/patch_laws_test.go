package jsondoc

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestAddThenRemoveIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inner, value := anyValue().Draw(t, "inner"), anyValue().Draw(t, "value")
		doc := NewObject(Member{"a/b", inner}, Member{"z", Number("1")})
		token := "new~/name"
		switch inner := inner.(type) {
		case []any:
			token = fmt.Sprint(rapid.IntRange(0, len(inner)).Draw(t, "index"))
		case *Object:
			inner.Delete(token)
		default:
			return
		}
		before := show(doc)
		path := AppendPointer(AppendPointer("", "a/b"), token)
		added := apply(t, doc, NewObject(Member{"op", "add"}, Member{"path", path}, Member{"value", value}))
		if v, err := find(added, []string{"a/b", token}); err != nil || !Equal(v, value) {
			t.Fatalf("%s: %v", show(added), err)
		}
		removed := apply(t, added, NewObject(Member{"op", "remove"}, Member{"path", path}))
		if show(removed) != before || show(doc) != before {
			t.Fatalf("from %s came %s, and the input is now %s", before, show(removed), show(doc))
		}
	})
}

func apply(t *rapid.T, doc any, ops ...any) any {
	patch, err := ParsePatch(ops)
	if err != nil {
		t.Fatal(err)
	}
	out, err := patch.Apply(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestApplyLeavesItsInput(t *testing.T) {
	pointer := rapid.StringMatching(`(/([a-c]|[0-3]|-|~0|~1)?){0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		doc := anyValue().Draw(t, "doc")
		ops := []any{}
		for range rapid.IntRange(1, 6).Draw(t, "count") {
			ops = append(ops, NewObject(
				Member{"op", rapid.SampledFrom([]string{"add", "remove", "replace", "move", "copy", "test"}).Draw(t, "op")},
				Member{"path", pointer.Draw(t, "path")}, Member{"from", pointer.Draw(t, "from")},
				Member{"value", valueOf(1).Draw(t, "value")}))
		}
		before, asked := show(doc), show(ops)
		patch, err := ParsePatch(ops)
		if err == nil {
			patch.Apply(doc)
		}
		if show(doc) != before || show(ops) != asked {
			t.Fatalf("%s became %s by %s", before, show(doc), asked)
		}
	})
}

// Within one Apply, arrays and objects are changed in place once they were copied. That must not show.
func TestApplyAllAtOnceIsApplyOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := NewObject(Member{"a", valueOf(2).Draw(t, "a")}, Member{"b", []any{Number("1"), []any{}, NewObject()}})
		var now any = doc
		ops := []any{}
		for range rapid.IntRange(1, 15).Draw(t, "count") {
			op := rapid.SampledFrom([]string{"add", "add", "remove", "replace", "move", "copy", "copy"}).Draw(t, "op")
			next := NewObject(Member{"op", op}, Member{"path", pointerInto(t, now)}, Member{"from", pointerInto(t, now)},
				Member{"value", rapid.SampledFrom([]any{true, []any{}, []any{Number("7")}, NewObject()}).Draw(t, "value")})
			patch, err := ParsePatch([]any{next})
			if err != nil {
				continue
			}
			if out, err := patch.Apply(Clone(now)); err == nil {
				ops, now = append(ops, next), out
			}
		}
		before := show(doc)
		if got := apply(t, doc, ops...); show(got) != show(now) || show(doc) != before {
			t.Fatalf("%s on %s gives %s, one by one %s", show(ops), before, show(got), show(now))
		}
	})
}

// pointerInto draws a place in v, or one where something could be added.
func pointerInto(t *rapid.T, v any) string {
	at := ""
	for {
		tokens := []string{}
		switch v := v.(type) {
		case *Object:
			for _, m := range v.Members {
				tokens = append(tokens, m.Name)
			}
			tokens = append(tokens, "new")
		case []any:
			for i := range v {
				tokens = append(tokens, fmt.Sprint(i))
			}
			tokens = append(tokens, "-")
		default:
			return at
		}
		token := rapid.SampledFrom(tokens).Draw(t, "token")
		at = AppendPointer(at, token)
		inner, err := child(v, token)
		if err != nil || rapid.Bool().Draw(t, "stop") {
			return at
		}
		v = inner
	}
}
