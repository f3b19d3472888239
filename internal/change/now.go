package change

import "verbless/internal/fault"

// Now is what a rule would say to changes of a row as it is. It decides nothing: it lets a caller know beforehand.
type Now struct {
	Fixed []string        // members that cannot be changed
	Next  map[string]Next // members that can only stay as they are, or become something certain
	Kept  fault.Code      // why it cannot be removed; empty: it can be
}

// Next is what a member is, and what it may become.
type Next struct {
	Is  string
	May []string
}
