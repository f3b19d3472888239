package query

// Rank is a part of what a search finds.
type Rank int

// The parts. A list has the best first and then the rest, each from the highest place down.
const (
	All  Rank = iota
	Best      // those that hold the words where they count most
	Rest      // the others
)

// Bonus is added to the place of the best, so that they stand before all others.
const Bonus = 1 << 62

// Many is how many rows are too many to be found first and sorted then.
const Many = 200
