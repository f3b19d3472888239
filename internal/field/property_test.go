package field

import (
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"verbless/internal/jsondoc"
)

// right draws values that each member takes.
func right() map[string]*rapid.Generator[any] {
	whole := func(low, high int64) *rapid.Generator[any] {
		return rapid.Map(rapid.Int64Range(low, high), func(n int64) any { return jsondoc.Number(strconv.FormatInt(n, 10)) })
	}
	one := func(list ...any) *rapid.Generator[any] { return rapid.SampledFrom(list) }
	word := func(letters string, low, high int) *rapid.Generator[any] {
		return rapid.StringOfN(rapid.RuneFrom([]rune(letters)), low, high, -1).AsAny()
	}
	list := func(item *rapid.Generator[any], most int, same func(any) any) *rapid.Generator[any] {
		return rapid.Map(rapid.SliceOfNDistinct(item, 0, most, same), func(items []any) any { return append([]any{}, items...) })
	}
	moment := rapid.Custom(func(t *rapid.T) any {
		at := time.Unix(rapid.Int64Range(-62_135_596_800, 253_402_300_799).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nano")).UTC()
		return at.Format(rapid.SampledFrom([]string{"2006-01-02 15:04:05Z", time.RFC3339, time.RFC3339Nano, "2006-01-02 15:04:05.000Z"}).Draw(t, "layout"))
	})
	free := rapid.Map(rapid.MapOfN(rapid.StringN(0, 2, -1), rapid.OneOf(whole(-9, 9), word("aé😀", 0, 3), one(nil, true)), 0, 2), func(m map[string]any) any {
		o := jsondoc.NewObject()
		for name, value := range m {
			o.Set(name, value)
		}
		return o
	})
	maybe := func(g *rapid.Generator[any]) *rapid.Generator[any] { return rapid.OneOf(g, g, rapid.Just[any](nil)) }
	return map[string]*rapid.Generator[any]{
		"name": word("abé😀", 1, 5), "nick": maybe(word("abé", 0, 7)), "color": one("red", "blue"), "shade": one("light", "dark", nil), "size": whole(-5, 50), "count": whole(math.MinInt64, math.MaxInt64),
		"weight": maybe(whole(1, math.MaxInt64)), "on": one(true, false), "off": one(true, false, nil), "at": moment, "until": maybe(moment), "tags": list(word("ab", 1, 3), 3, rapid.ID),
		"words": list(one("one", "two"), 2, rapid.ID), "free": free, "mood": one("good", "bad"), "secret": word("a\"\\é", 0, 9),
		"mail": one("x@y.z"), // format only tells; what is an address, Fill decides
	}
}

// odd draws values that are wrong for most members, or nearly right.
func odd() *rapid.Generator[any] {
	texts := []any{"", "a", "A", "abcd", "123456", "green", "a\x00", "2026-02-30 00:00:00Z", "2026-01-31T09:30:00Z", "2026-01-31", "0000-01-01 00:00:00Z", "2026-01-31 24:00:00Z", "2026-01-31T09:30:00"}
	numbers := []any{jsondoc.Number("-6"), jsondoc.Number("51"), jsondoc.Number("0"), jsondoc.Number("1.0"), jsondoc.Number("1e1"), jsondoc.Number("1.5"), jsondoc.Number("-0"), jsondoc.Number("9223372036854775808")}
	others := []any{nil, true, []any{}, []any{"a", "a"}, []any{""}, []any{"abcd"}, []any{"a", "b", "c", "d"}, []any{nil}, []any{"a\x00"}, []any{jsondoc.Number("1")}, jsondoc.NewObject(),
		jsondoc.NewObject(jsondoc.Member{Name: "x", Value: strings.Repeat("y", 60)})}
	return rapid.OneOf(rapid.SampledFrom(slices.Concat(texts, numbers, others)), rapid.String().AsAny(), rapid.Map(rapid.Int64(), func(n int64) any { return jsondoc.Number(strconv.FormatInt(n, 10)) }))
}

// anyDocument draws what somebody may send: half of them all right, the others with one or two members that may not be.
func anyDocument() *rapid.Generator[*jsondoc.Object] {
	kinds := right()
	names := slices.Sorted(maps.Keys(kinds))
	return rapid.Custom(func(t *rapid.T) *jsondoc.Object {
		doc := jsondoc.NewObject(jsondoc.Member{Name: "name", Value: kinds["name"].Draw(t, "name")})
		for _, name := range names {
			if rapid.Bool().Draw(t, "sent") {
				doc.Set(name, kinds[name].Draw(t, name))
			}
		}
		for range rapid.IntRange(-2, 2).Draw(t, "flaws") {
			name := rapid.SampledFrom(append(names, "Name", "", "owner_id", "nope")).Draw(t, "flaw")
			if rapid.IntRange(0, 3).Draw(t, "removed") == 0 {
				doc.Delete(name)
			} else if name != "mail" {
				doc.Set(name, odd().Draw(t, "odd"))
			}
		}
		return doc
	})
}

// deliberate tells whether the document holds something that the schema takes and Fill does not, on purpose:
// a whole number written with fraction or exponent, or beyond 64 bits; a NUL; a day that no calendar has;
// a free object that is too long.
func deliberate(doc any) bool {
	switch v := doc.(type) {
	case jsondoc.Number:
		n, ok := new(big.Int).SetString(string(v), 10)
		return !ok || !n.IsInt64()
	case string:
		return strings.ContainsRune(v, 0) || impossible(v)
	case []any:
		for _, item := range v {
			if deliberate(item) {
				return true
			}
		}
	case *jsondoc.Object:
		for _, m := range v.Members {
			if inner, free := m.Value.(*jsondoc.Object); free && len(text(inner)) > 60 || !free && deliberate(m.Value) {
				return true
			}
		}
	}
	return false
}

// impossible is a day such as the 31st of February.
func impossible(s string) bool {
	if len(s) < 19 || s[4] != '-' {
		return false
	}
	_, err := time.Parse("2006-01-02 15:04:05", s[:10]+" "+s[11:19])
	return err != nil || strings.HasPrefix(s, "0000")
}

// TestSchemaSaysWhatIsEnforced: what the schema of a body takes, Fill takes, and the other way round.
func TestSchemaSaysWhatIsEnforced(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := anyDocument().Draw(t, "doc")
		var row thing
		filled := fill(things, reflect.ValueOf(&row).Elem(), nil, doc, "", false)
		agree(t, filled, validates(t, Body, doc), doc)
		if filled != nil {
			return
		}
		tree := things.Tree(reflect.ValueOf(&row).Elem(), true)
		if err := validates(t, Answer, tree); err != nil {
			t.Fatalf("the answer %s is not as described: %v", text(tree), err)
		}
	})
}

// TestPatchSchemaSaysWhatIsEnforced: the same for the members of a PATCH.
func TestPatchSchemaSaysWhatIsEnforced(t *testing.T) {
	t.Parallel()
	start := sample(t)
	rapid.Check(t, func(t *rapid.T) {
		row := *start
		value := reflect.ValueOf(&row).Elem()
		was := things.Tree(value, true)
		doc := anyDocument().Draw(t, "doc")
		doc.Delete("free") // it is merged, so its length is that of the whole
		filled := fill(things, value, was, jsondoc.Overlay(was, doc), "", true)
		agree(t, filled, validates(t, Patch, doc), doc)
	})
}

func agree(t *rapid.T, filled, validated error, doc any) {
	switch {
	case filled == nil && validated != nil:
		t.Fatalf("Fill takes %s, the schema does not: %v", text(doc), validated)
	case filled != nil && validated == nil && !deliberate(doc):
		t.Fatalf("the schema takes %s, Fill does not: %v", text(doc), filled)
	}
}

// TestFillTreeFill: what was filled and shown fills another row with the same.
func TestFillTreeFill(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var one, two thing
		if fill(things, reflect.ValueOf(&one).Elem(), nil, anyDocument().Draw(t, "doc"), "", false) != nil {
			t.Skip("not one to be filled from")
		}
		tree := things.Tree(reflect.ValueOf(&one).Elem(), true)
		sent := jsondoc.Clone(tree).(*jsondoc.Object)
		for _, name := range []string{"id", "made_at", "links"} {
			sent.Delete(name)
		}
		if err := fill(things, reflect.ValueOf(&two).Elem(), nil, sent, "", false); err != nil {
			t.Fatalf("%s cannot be sent back: %v", text(sent), err)
		}
		if again := things.Tree(reflect.ValueOf(&two).Elem(), true); !jsondoc.Equal(tree, again) {
			t.Fatalf("%s became %s", text(tree), text(again))
		}
		for _, f := range things.Fields {
			member, _ := tree.Get(f.Name)
			if got := string(f.Write(nil, reflect.ValueOf(&one).Elem())); got != text(f.Name)+":"+text(member) {
				t.Fatalf("%s is written %s", f.Name, got)
			}
		}
	})
}
