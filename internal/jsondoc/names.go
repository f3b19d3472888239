package jsondoc

import "hash/maphash"

// nameSet finds repeated names among the members of an object that is being read. It holds positions instead of
// strings and so takes a fifth of the memory of a map; the random seed keeps names from being made to collide.
type nameSet struct {
	slots []uint32 // position+1 of a member, 0 for none; the length is a power of two, at most half of it in use
}

var nameSeed = maphash.MakeSeed()

// add tells whether name is new after members, and if so takes it that name becomes the next of them.
func (s *nameSet) add(members []Member, name string) bool {
	if len(members) < scanLimit {
		for i := range members {
			if members[i].Name == name {
				return false
			}
		}
		return true
	}
	if 2*len(members) >= len(s.slots) {
		s.slots = make([]uint32, max(4*scanLimit, 2*len(s.slots)))
		for i := range members {
			s.slots[s.slot(members, members[i].Name)] = uint32(i + 1)
		}
	}
	i := s.slot(members, name)
	if s.slots[i] != 0 {
		return false
	}
	s.slots[i] = uint32(len(members) + 1)
	return true
}

// slot is where name is, or else where it belongs.
func (s *nameSet) slot(members []Member, name string) uint64 {
	mask := uint64(len(s.slots) - 1)
	i := maphash.String(nameSeed, name) & mask
	for s.slots[i] != 0 && members[s.slots[i]-1].Name != name {
		i = (i + 1) & mask
	}
	return i
}
