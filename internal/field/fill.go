package field

import (
	"reflect"

	"verbless/internal/fault"
	"verbless/internal/jsondoc"
	"verbless/internal/stamp"
)

// Fill makes row what the document says. was is the document as it was (nil at birth): a member that is the same
// in both is left alone and not judged, so what was read can be sent back. In a patched document (patched) a member
// that is missing was removed; in a whole one it was left out.
func (m *Model) Fill(row reflect.Value, was *jsondoc.Object, doc any, at string, patched bool, bad *fault.List) {
	in, ok := doc.(*jsondoc.Object)
	if !ok {
		bad.Add(wrongType(at, "an object"))
		return
	}
	for _, member := range in.Members {
		if m.named[member.Name] == nil && !(member.Name == "links" && len(m.Links) > 0) {
			bad.Add(fault.New(fault.UnknownField, "There is no member of this name.").At(jsondoc.AppendPointer(at, member.Name)))
		}
	}
	for _, f := range m.Fields {
		m.fillField(row, f, was, in, jsondoc.AppendPointer(at, f.Name), patched, bad)
	}
	m.checkLinks(was, in, at, patched, bad)
}

func (m *Model) fillField(row reflect.Value, f *Field, was, in *jsondoc.Object, at string, patched bool, bad *fault.List) {
	value, sent := in.Get(f.Name)
	var old any
	if was != nil {
		var shown bool
		if old, shown = was.Get(f.Name); !shown && !sent {
			return // a private member of a caller who does not see it stays as it is
		}
		if sent && (jsondoc.Equal(old, value) || f.ReadOnly && f.kind.isTime && sameSecond(old, value)) {
			return
		}
	}
	switch {
	case f.ReadOnly && (sent || patched):
		bad.Add(fault.New(fault.ReadOnly, "This member cannot be changed.").At(at))
	case f.ReadOnly:
	case !sent && f.Required:
		bad.Add(fault.New(fault.Required, "This member is required.").At(at))
	case !sent && f.refers: // its place in a path says it, or the rule will miss it
	case !sent:
		if f.initial == "" {
			f.whole(row).SetZero() // a string without a default is left to the rule to complete
			return
		}
		f.kind.set(f.whole(row), f.initial, at, bad)
	default:
		f.kind.set(f.whole(row), value, at, bad)
	}
}

// checkLinks lets links be sent back as they were read.
func (m *Model) checkLinks(was, in *jsondoc.Object, at string, patched bool, bad *fault.List) {
	links, sent := in.Get("links")
	if !sent && !patched || len(m.Links) == 0 {
		return
	}
	if was != nil {
		if old, _ := was.Get("links"); jsondoc.Equal(old, links) {
			return
		}
	}
	bad.Add(fault.New(fault.ReadOnly, "Links cannot be changed.").At(jsondoc.AppendPointer(at, "links")))
}

// sameSecond tells whether two spellings name the time that is shown.
func sameSecond(shown, sent any) bool {
	text, ok := sent.(string)
	t, err := stamp.Parse(text)
	return ok && err == nil && shown == stamp.Format(t)
}
