package jsondoc

// Merge applies a merge patch (RFC 7396) to target and gives the result. Members keep the place they have in target,
// new ones come after them.
func Merge(target, patch any) any {
	return merger{nullDeletes: true}.apply(target, patch)
}

// Overlay is Merge, except that null sets null instead of deleting.
func Overlay(target, patch any) any {
	return merger{}.apply(target, patch)
}

type merger struct {
	nullDeletes bool
}

func (g merger) apply(target, patch any) any {
	changes, ok := patch.(*Object)
	if !ok {
		return patch
	}
	base, ok := target.(*Object)
	if !ok {
		base = NewObject()
	}
	return g.objects(base, changes)
}

func (g merger) objects(base, changes *Object) *Object {
	inBase, inChanges := newFinder(base), newFinder(changes)
	out := &Object{Members: make([]Member, 0, max(len(base.Members), len(changes.Members)))}
	for _, m := range base.Members {
		change, ok := inChanges.get(m.Name)
		switch {
		case !ok:
			out.Members = append(out.Members, m)
		case !g.deletes(change):
			out.Members = append(out.Members, Member{m.Name, g.apply(m.Value, change)})
		}
	}
	for _, m := range changes.Members {
		if _, ok := inBase.get(m.Name); !ok && !g.deletes(m.Value) {
			out.Members = append(out.Members, Member{m.Name, g.apply(nil, m.Value)})
		}
	}
	return out
}

func (g merger) deletes(change any) bool { return g.nullDeletes && change == nil }
