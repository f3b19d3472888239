package field

import (
	"reflect"
	"testing"
)

// TestAlso: the same value under a second name, to read; and an id that is not the key.
func TestAlso(t *testing.T) {
	t.Parallel()
	type numbered struct {
		Row    string `json:"-" db:"row,key"`
		Number int64  `json:"id" also:"number" db:"number" api:"id,sort,filter"`
	}
	m := NewModel("numbered", reflect.TypeFor[numbered]())
	if m.Key != m.ByColumn("row") || m.ID != m.Named("id") || m.ByColumn("number") != m.Named("id") || things.ID != things.Key {
		t.Error("key and id are not those of the tags")
	}
	if len(m.Sorts()) != 1 || len(m.Filters()) != 1 {
		t.Errorf("asked by %q and %v", m.Sorts(), m.Filters())
	}
	row := numbered{Row: "r", Number: 7}
	value := reflect.ValueOf(&row).Elem()
	was := m.Tree(value, true)
	if text(was) != `{"id":7,"number":7}` {
		t.Errorf("shown as %s", text(was))
	}
	if err := fill(m, value, was, must(t, `{"id":8,"number":7}`), "", false); err != nil || row.Number != 8 {
		t.Errorf("%v, %d", err, row.Number)
	}
	if got := faults(fill(m, value, m.Tree(value, true), must(t, `{"id":8,"number":7}`), "", false)); got != "read_only /number" {
		t.Errorf("the second name was written: %s", got)
	}
}
