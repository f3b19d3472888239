package field

import (
	"reflect"
	"testing"

	"verbless/internal/jsondoc"
)

func TestBorn(t *testing.T) {
	t.Parallel()
	row, err := born(t, must(t, `{"name":"Box"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"","name":"Box","nick":null,"color":"red","shade":null,"mail":"a@b.c","size":0,"count":3,"weight":null,"on":false,"off":null,"at":"2030-01-01 00:00:00Z",` +
		`"until":null,"tags":[],"words":["one"],"free":{},"mood":"good","secret":"","made_at":"0001-01-01 00:00:00Z","links":{"owner":"0","other":null}}`
	if got := text(things.Tree(reflect.ValueOf(row).Elem(), true)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestRoundTrip: the tree of a row, what is written of it, and what fills the next row are the same.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	row := sample(t)
	value := reflect.ValueOf(row).Elem()
	tree := things.Tree(value, true)
	if got := text(tree); got != sampleText {
		t.Errorf("got %s\nwant %s", got, sampleText)
	}
	for _, f := range things.Fields {
		member, _ := tree.Get(f.Name)
		if want := text(f.Name) + ":" + text(member); string(f.Write(nil, value)) != want {
			t.Errorf("%s is written %s, want %s", f.Name, f.Write(nil, value), want)
		}
	}
	again := *row
	if err := fill(things, reflect.ValueOf(&again).Elem(), tree, must(t, sampleText), "", false); err != nil || !reflect.DeepEqual(&again, row) {
		t.Errorf("sent back: %v\n%+v\n%+v", err, again, *row)
	}
	if hidden, shown := things.Tree(value, false).Get("secret"); shown {
		t.Errorf("the private member is shown: %v", hidden)
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, doc string
		patched   bool
		faults    string
	}{
		{"same", sampleText, false, ""},
		{"only what is required", `{"name":"x"}`, false, ""},
		{"nothing", `{}`, false, "required /at/name"},
		{"nothing is left", `{}`, true, "read_only /at/id, required /at/name, read_only /at/made_at, read_only /at/links"},
		{"no object", `[]`, false, "wrong_type /at"},
		{"null", `null`, true, "wrong_type /at"},
		{"read-only", `{"name":"x","id":"other","made_at":null}`, false, "read_only /at/id, read_only /at/made_at"},
		{"the same number", `{"name":"x","size":7.0,"count":-9e0}`, false, ""},
		{"another number", `{"name":"x","size":8.0,"count":1e1}`, false, "wrong_type /at/size, wrong_type /at/count"},
		{"links", `{"name":"x","links":{"other":null,"owner":"7"}}`, false, ""},
		{"other links", `{"name":"x","links":{"other":null,"owner":"8"}}`, false, "read_only /at/links"},
		{"fewer links", `{"name":"x","links":{"owner":"7"}}`, false, "read_only /at/links"},
		{"null links", `{"name":"x","links":null}`, false, "read_only /at/links"},
		{"unknown", `{"name":"x","a~b/c":1,"NAME":2,"":3}`, false, "unknown_field /at/a~0b~1c, unknown_field /at/NAME, unknown_field /at/"},
		{"items", `{"name":"x","tags":["a","a","",4],"words":["three","one"]}`, false, "out_of_range /at/tags, not_allowed_value /at/words/0"},
		{"repeated", `{"name":"x","tags":["a","b","a"],"words":["one","one"]}`, false, "not_allowed_value /at/tags/2"},
		{"null where it may be", `{"name":"x","nick":null,"shade":null,"weight":null,"off":null,"until":null}`, false, ""},
		{"null where it may not", `{"name":null,"color":null,"size":null,"on":null,"at":null,"tags":null,"free":null,"mood":null}`, false,
			"wrong_type /at/name, wrong_type /at/color, wrong_type /at/size, wrong_type /at/on, wrong_type /at/at, wrong_type /at/tags, wrong_type /at/free, not_allowed_value /at/mood"},
		{"too large", `{"name":"123456","size":51,"weight":0,"free":{"a":"12345678901234567890123456789012345678901234567890123"}}`, false,
			"out_of_range /at/name, out_of_range /at/size, out_of_range /at/weight, out_of_range /at/free"},
		{"formats", `{"name":"x","nick":"A","mail":"x","at":"2026-02-29 00:00:00Z","until":"now"}`, false, "bad_format /at/nick, bad_format /at/mail, bad_format /at/at, bad_format /at/until"},
		{"a named address", `{"name":"x","mail":"A <x@y.z>"}`, false, "bad_format /at/mail"},
		{"values", `{"name":"x","color":"green","shade":"","mood":"so-so"}`, false, "not_allowed_value /at/color, not_allowed_value /at/shade, not_allowed_value /at/mood"},
		{"NUL", `{"name":"a\u0000","tags":["\u0000"],"nick":"\u0000"}`, false, "bad_format /at/name, bad_format /at/nick, bad_format /at/tags/0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			row := reflect.ValueOf(sample(t)).Elem()
			if got := faults(fill(things, row, things.Tree(row, true), must(t, test.doc), "/at", test.patched)); got != test.faults {
				t.Errorf("got  %s\nwant %s", got, test.faults)
			}
		})
	}
}

// TestUnchangedIsNotJudged: what was stored under older rules can be sent back.
func TestUnchangedIsNotJudged(t *testing.T) {
	t.Parallel()
	row := sample(t)
	row.Name, row.Color, row.Size = "far too long", "green", 1000
	value := reflect.ValueOf(row).Elem()
	was := things.Tree(value, true)
	if err := fill(things, value, was, jsondoc.Clone(was), "", false); err != nil {
		t.Error(err)
	}
	if row.At.Nanosecond() != 123456000 {
		t.Errorf("the time lost its fraction: %v", row.At)
	}
}

// TestUnseenStays: a private member stays as it is when the caller neither sees nor sends it.
func TestUnseenStays(t *testing.T) {
	t.Parallel()
	for _, patched := range []bool{false, true} {
		row := sample(t)
		value := reflect.ValueOf(row).Elem()
		was := things.Tree(value, false)
		if err := fill(things, value, was, jsondoc.Clone(was), "", patched); err != nil || row.Hidden != "s" {
			t.Errorf("patched %v: %v, %q", patched, err, row.Hidden)
		}
	}
}

// TestRemovedMembers: what a patch removes becomes what it is when nobody says.
func TestRemovedMembers(t *testing.T) {
	t.Parallel()
	row := sample(t)
	value := reflect.ValueOf(row).Elem()
	was := things.Tree(value, true)
	doc := jsondoc.Clone(was).(*jsondoc.Object)
	for _, name := range []string{"nick", "color", "size", "count", "on", "at", "until", "tags", "words", "free", "mood", "secret"} {
		doc.Delete(name)
	}
	if err := fill(things, value, was, doc, "", true); err != nil {
		t.Fatal(err)
	}
	fresh, err := born(t, must(t, `{"name":"Box","shade":"dark","mail":"x@y.z","weight":2,"off":false}`))
	if err != nil {
		t.Fatal(err)
	}
	fresh.ID, fresh.Owner, fresh.Version, fresh.Made = row.ID, row.Owner, row.Version, row.Made
	if !reflect.DeepEqual(row, fresh) {
		t.Errorf("got %+v\nwant %+v", row, fresh)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	word, none := "w", (*string)(nil)
	for _, test := range []struct{ value, want any }{{int64(7), "7"}, {"x", "x"}, {&word, "w"}, {none, nil}} {
		if got := LinkValue(reflect.ValueOf(test.value)); got != test.want {
			t.Errorf("%v: %v", test.value, got)
		}
	}
	row := sample(t)
	value := reflect.ValueOf(row).Elem()
	copied := things.Copy(value)
	copied.FieldByName("Name").SetString("Bag")
	if row.Name != "Box" || Text(things.Key.Of(copied)) != "id" {
		t.Error("a copy is not one of its own")
	}
}
