// Package jsondoc is the JSON document as verbless handles it: strict parsing into a small tree, pointers (RFC 6901),
// equality, JSON Patch (RFC 6902), merge patch (RFC 7396) and compact encoding.
//
// It promises that what Parse accepts is one value of valid UTF-8 without lone surrogates, repeated members or deep
// nesting, that numbers and the order of members stay as they came, and that work and memory grow with the size of the
// input and never faster. It does not know Go structs or schemas, does not round numbers and does not limit the size
// of its input: whoever reads the bytes does.
//
// A value is nil, bool, string, Number, []any (of values) or *Object. Merge, Overlay and Patch.Apply never change what
// they are given, but their result may share parts with it: Clone it before changing it in place.
package jsondoc

import "fmt"

// Number is a JSON number, as the literal that came.
type Number string

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value any
}

// Object is a JSON object that keeps its members in the order given.
type Object struct {
	Members []Member
}

// NewObject makes an object of members, whose names must differ.
func NewObject(members ...Member) *Object { return &Object{Members: members} }

// Get gives the value of the member called name, and whether there is one.
func (o *Object) Get(name string) (any, bool) {
	if i := o.find(name); i >= 0 {
		return o.Members[i].Value, true
	}
	return nil, false
}

// Set replaces the member called name where it stands, or appends one.
func (o *Object) Set(name string, v any) {
	if i := o.find(name); i >= 0 {
		o.Members[i].Value = v
		return
	}
	o.Members = append(o.Members, Member{name, v})
}

// Delete removes the member called name and tells whether there was one.
func (o *Object) Delete(name string) bool {
	i := o.find(name)
	if i < 0 {
		return false
	}
	last := len(o.Members) - 1
	copy(o.Members[i:], o.Members[i+1:])
	o.Members[last] = Member{}
	o.Members = o.Members[:last]
	return true
}

// Len is the number of members.
func (o *Object) Len() int { return len(o.Members) }

func (o *Object) find(name string) int {
	for i := range o.Members {
		if o.Members[i].Name == name {
			return i
		}
	}
	return -1
}

// Clone copies v all the way down, so that either copy can be changed alone.
func Clone(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = Clone(v[i])
		}
		return out
	case *Object:
		out := &Object{Members: make([]Member, len(v.Members))}
		for i, m := range v.Members {
			out.Members[i] = Member{m.Name, Clone(m.Value)}
		}
		return out
	default:
		return v
	}
}

// scanLimit is the number of members up to which looking at each is faster than a map.
const scanLimit = 16

// finder looks up many members of one object that does not change meanwhile. Without the map, comparing or merging
// two large objects would take the product of their sizes.
type finder struct {
	object *Object
	byName map[string]int
}

func newFinder(o *Object) finder {
	f := finder{object: o}
	if len(o.Members) > scanLimit {
		f.byName = make(map[string]int, len(o.Members))
		for i := range o.Members {
			f.byName[o.Members[i].Name] = i
		}
	}
	return f
}

func (f finder) get(name string) (any, bool) {
	if f.byName == nil {
		return f.object.Get(name)
	}
	i, ok := f.byName[name]
	if !ok {
		return nil, false
	}
	return f.object.Members[i].Value, true
}

// notAValue is the panic for a Go value that no JSON document can hold: a fault of the program, never of its input.
func notAValue(v any) string { return fmt.Sprintf("jsondoc: a %T is not a JSON value", v) }
