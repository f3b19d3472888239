package field

import (
	"reflect"
	"slices"
	"testing"
	"time"
)

// TestWrongTagsPanic, at start-up.
func TestWrongTagsPanic(t *testing.T) {
	t.Parallel()
	const key = `json:"id" db:"id,key"`
	for name, f := range map[string]reflect.StructField{
		"unknown word":         {Type: reflect.TypeFor[string](), Tag: `json:"x" maxlength:"5"`},
		"misspelt case":        {Type: reflect.TypeFor[string](), Tag: `json:"x" readonly:"true"`},
		"unknown api word":     {Type: reflect.TypeFor[string](), Tag: `json:"x" db:"x" api:"sorted"`},
		"space in api":         {Type: reflect.TypeFor[string](), Tag: `json:"x" db:"x" api:"sort, filter"`},
		"length is no number":  {Type: reflect.TypeFor[string](), Tag: `json:"x" maxLength:"five"`},
		"minimum is no number": {Type: reflect.TypeFor[int64](), Tag: `json:"x" minimum:"1.5"`},
		"bad pattern":          {Type: reflect.TypeFor[string](), Tag: `json:"x" pattern:"("`},
		"unknown format":       {Type: reflect.TypeFor[string](), Tag: `json:"x" format:"date-time"`},
		"filter, no column":    {Type: reflect.TypeFor[string](), Tag: `json:"x" api:"filter"`},
		"sort by null":         {Type: reflect.TypeFor[*string](), Tag: `json:"x" db:"x" api:"sort"`},
		"no JSON kind":         {Type: reflect.TypeFor[float64](), Tag: `json:"x" db:"x"`},
		"no kind inside":       {Type: reflect.TypeFor[*[]int](), Tag: `json:"x" db:"x"`},
		"a map":                {Type: reflect.TypeFor[map[string]string](), Tag: `json:"x" db:"x"`},
	} {
		f.Name = "X"
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", f.Tag)
				}
			}()
			NewModel("x", reflect.StructOf([]reflect.StructField{{Name: "ID", Type: reflect.TypeFor[string](), Tag: key}, f}))
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("a type without a key did not panic")
		}
	}()
	NewModel("x", reflect.TypeFor[struct {
		Name string `json:"name" db:"name"`
	}]())
}

func TestModel(t *testing.T) {
	t.Parallel()
	if things.Key != things.Named("id") || things.Version != things.ByColumn("version") || !slices.Equal(things.Owners, []*Field{things.ByColumn("owner_id")}) || things.Parent != nil {
		t.Error("key, version, owner and parent are not those of the tags")
	}
	if things.Named("owner_id") != nil || things.Named("Name") != nil || things.ByColumn("name") != things.Named("name") || things.ByColumn("nope") != nil {
		t.Error("fields are not found by their names")
	}
	want := []string{"name", "size", "at"}
	if got := things.Sorts(); !reflect.DeepEqual(got, want) {
		t.Errorf("sorts %q", got)
	}
	filters := things.Filters()
	for _, name := range []string{"name", "nick", "color", "size", "on", "at", "until", "owner"} {
		if filters[name] == nil {
			t.Errorf("%s is no filter", name)
		}
	}
	if len(filters) != 8 || filters["owner"].Column != "owner_id" || !filters["until"].IsTime() || filters["name"].IsTime() {
		t.Errorf("filters %v", filters)
	}
}

// TestEmbedded: a field that has the name of an embedded one takes its place.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	type inner struct {
		ID    string `json:"id" db:"id,key"`
		State string `json:"state" db:"state" enum:"a,b"`
		Last  bool   `json:"last" db:"last"`
	}
	type outer struct {
		inner
		State string    `json:"state" db:"state" enum:"c"`
		Time  time.Time `json:"time" db:"time"`
	}
	m := NewModel("outer", reflect.TypeFor[outer]())
	var names []string
	for _, f := range m.Fields {
		names = append(names, f.Name)
	}
	if want := []string{"id", "state", "last", "time"}; !reflect.DeepEqual(names, want) {
		t.Errorf("fields %q", names)
	}
	if _, err := m.Named("state").Parse("a"); err == nil {
		t.Error("the embedded field won")
	}
}

func TestParseFilters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		member, text string
		want         any
	}{
		{"name", "x", "x"}, {"name", "", ""}, {"name", "far too long for it", "far too long for it"}, {"nick", "A", "A"}, {"color", "red", "red"}, {"color", "green", nil}, {"color", "", nil},
		{"size", "7", int64(7)}, {"size", "-999", int64(-999)}, {"size", "7.0", nil}, {"size", "", nil}, {"size", "9223372036854775808", nil},
		{"on", "true", true}, {"on", "false", false}, {"on", "1", nil}, {"on", "True", nil},
		{"at", "1970-01-01 00:00:01Z", int64(1_000_000)}, {"until", "1970-01-01T00:00:00.000002Z", int64(2)}, {"at", "1970-01-01", nil}, {"at", "", nil},
	} {
		got, err := things.Named(test.member).Parse(test.text)
		if got != test.want || (err == nil) != (test.want != nil) {
			t.Errorf("%s=%s: %v %v", test.member, test.text, got, err)
		}
	}
}
