package rest_test

import (
	"testing"
	"time"

	"verbless/internal/rest"
)

// TestWrongDeclarationsPanic, at start-up and not at the first request.
func TestWrongDeclarationsPanic(t *testing.T) {
	t.Parallel()
	type Untagged struct {
		ID string `json:"id"`
	}
	type Typo struct {
		ID string `json:"id" db:"id,key" readonly:"true"`
	}
	options := func() rest.Options {
		return rest.Options{Base: base, Policy: rest.Policy{"things": {}, "notes": {}, "theirs": {List: rest.Owners, Read: rest.Owners}}}
	}
	w := &world{clock: time.Now()}
	for name, resources := range map[string]func() []rest.Resource{
		"no policy": func() []rest.Resource { return []rest.Resource{rest.Collection[Line]{Name: "lines", One: "line"}} },
		"no key": func() []rest.Resource {
			return []rest.Resource{rest.Collection[Untagged]{Name: "things", One: "thing"}}
		},
		"an unknown word": func() []rest.Resource { return []rest.Resource{rest.Collection[Typo]{Name: "things", One: "thing"}} },
		"one name for two": func() []rest.Resource {
			c := rest.Collection[Line]{Name: "things", One: "thing"}
			return []rest.Resource{c, c}
		},
		"a store without batches": func() []rest.Resource {
			return []rest.Resource{rest.Collection[Letter]{Name: "things", One: "thing", Store: newMemory[Letter](w, "letter"), Batch: &rest.Batch{}}}
		},
		"batches in a shape": func() []rest.Resource {
			return []rest.Resource{rest.Collection[Letter]{Name: "things", One: "thing", Shape: rest.Keyed("a", "b"), Store: postbox{newMemory[Letter](w, "letter")}, Batch: &rest.Batch{}}}
		},
		"a name of two kinds": func() []rest.Resource {
			return []rest.Resource{rest.Collection[Line]{Name: "things", One: "thing"}, rest.Collection[Note]{Name: "notes", One: "thing"}}
		},
		"a list of several owners": func() []rest.Resource {
			return []rest.Resource{rest.Collection[Letter]{Name: "theirs", One: "letter", Store: newMemory[Letter](w, "letter")}}
		},
		"a relation to several owners": func() []rest.Resource {
			return []rest.Resource{related(w, "theirs", "note_id", "to_id"), rest.Collection[Letter]{Name: "theirs", One: "letter", Mine: "from_id"}}
		},
		"a lost relation":   func() []rest.Resource { return []rest.Resource{related(w, "nothing", "note_id", "id")} },
		"no such column":    func() []rest.Resource { return []rest.Resource{related(w, "things", "nope", "id")} },
		"no column over it": func() []rest.Resource { return []rest.Resource{related(w, "things", "note_id", "nope")} },
	} {
		mustPanic(t, name, func() { rest.New(options(), resources()...) })
	}
	rest.New(options(), related(w, "things", "note_id", "id"))
}

func related(w *world, to, via, at string) rest.Resource {
	return rest.Collection[Line]{Name: "things", One: "thing", Store: newMemory[Line](w, "thing"), Relations: []rest.Relation{{Name: "other", To: to, Via: via, At: at}}}
}
