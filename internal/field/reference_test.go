package field

import (
	"reflect"
	"testing"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
)

// friend stands for a person by number. A body may say a name, which somebody else has to look up.
type friend struct {
	number int64
	asked  string
}

func (f *friend) Number() *int64 { return &f.number }

func (f *friend) Tree() any { return jsondoc.Number(Text(reflect.ValueOf(f.number))) }

func (f *friend) SetTree(in any, at string, bad *fault.List) {
	name, ok := in.(string)
	if f.asked = name; !ok {
		bad.Add(wrongType(at, "a name"))
	}
}

func (f *friend) Schema() map[string]any { return map[string]any{"type": []any{"string", "integer"}} }

type card struct {
	ID   string `json:"id" db:"id,key"`
	To   friend `json:"to" db:"to_id" api:"owner,parent"`
	From int64  `json:"-" db:"from_id" link:"from" api:"owner,filter"`
}

// reply shadows an owner of the card.
type reply struct {
	card
	From int64 `json:"-" db:"from_id" api:"owner"`
}

var cards = NewModel("card", reflect.TypeFor[card]())

// TestReference: everybody else sees the number, JSON sees the whole.
func TestReference(t *testing.T) {
	t.Parallel()
	row := cards.New()
	cards.Parent.Of(row).Set(reflect.ValueOf(int64(7)))
	cards.Owners[1].Of(row).SetInt(8)
	if err := fill(cards, row, nil, must(t, `{"id":"a"}`), "", false); err != nil {
		t.Fatal(err)
	}
	if got := text(cards.Tree(row, true)); got != `{"id":"a","to":7,"links":{"from":"8"}}` || cards.ByColumn("to_id").Of(row).Int() != 7 {
		t.Errorf("what was not sent did not stay: %s", got)
	}
	was := cards.Tree(row, true)
	if err := fill(cards, row, was, must(t, `{"id":"a","to":"bob"}`), "", false); err != nil {
		t.Fatal(err)
	}
	if got := row.Interface().(card).To; got != (friend{7, "bob"}) {
		t.Errorf("got %+v", got)
	}
	if err := fill(cards, row, was, must(t, `{"id":"a","to":8,"links":{"from":"8"}}`), "", true); faults(err) != "wrong_type /to" {
		t.Errorf("got %v", err)
	}
}

func TestSeveralOwners(t *testing.T) {
	t.Parallel()
	columns := func(m *Model) (list []string) {
		for _, f := range m.Owners {
			list = append(list, f.Column)
		}
		return list
	}
	if got := columns(cards); !reflect.DeepEqual(got, []string{"to_id", "from_id"}) || cards.Parent != cards.Owners[0] {
		t.Errorf("got %v", got)
	}
	replies := NewModel("reply", reflect.TypeFor[reply]())
	if got := columns(replies); !reflect.DeepEqual(got, []string{"to_id", "from_id"}) || replies.Owners[1] != replies.ByColumn("from_id") || !replies.Same(replies) || replies.Same(cards) {
		t.Errorf("shadowed: got %v", got)
	}
}

// TestOneFormOfANumber: a filter takes a number only as it is written out.
func TestOneFormOfANumber(t *testing.T) {
	t.Parallel()
	from := cards.Filters()["from"]
	for text, want := range map[string]bool{"1": true, "0": true, "-5": true, "01": false, "+1": false, "1.0": false, "-0": false, "1e3": false, "١": false, "１": false, "": false, " 1": false} {
		if n, err := from.Parse(text); (err == nil) != want {
			t.Errorf("%q gives %v, %v", text, n, err)
		}
	}
}
