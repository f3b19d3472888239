package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var words = strings.Fields(`a about after again air all along also an and another any around as at away back be because been
	before below between both but by came can come could day did different do does don't down each end even every few find first
	for found from get give go good great had has have he help her here him his home house how I if in into is it its just know
	large last left like line little long look made make man many may me men might more most much must my name never new next no`)

// text is made-up writing, the same in every run.
type text struct{ *rand.Rand }

func newText(seed uint64) text { return text{rand.New(rand.NewPCG(seed, 0))} }

func (t text) word() string { return words[t.IntN(len(words))] }

// title is different for each n.
func (t text) title(n int) string {
	var b strings.Builder
	for range 3 + t.IntN(4) {
		b.WriteString(t.word() + " ")
	}
	return fmt.Sprintf("%sno %d", b.String(), n)
}

// body is about one kilobyte of Markdown, with the marks that JSON must escape.
func (t text) body() string {
	var b strings.Builder
	size := 900 + t.IntN(200)
	for n := 1; b.Len() < size; n++ {
		switch {
		case n%60 == 0:
			b.WriteString(".\n\n## ")
		case n%25 == 0:
			b.WriteString(` "` + t.word() + `"`)
		default:
			b.WriteString(" " + t.word())
		}
	}
	return b.String()
}

// note is what somebody may write in a message: one or two lines.
func (t text) note() string {
	var b strings.Builder
	for size := 60 + t.IntN(120); b.Len() < size; {
		b.WriteString(t.word() + " ")
	}
	return strings.TrimSuffix(b.String(), " ")
}

// tags are up to four different ones.
func (t text) tags() []string {
	list := make([]string, 0, 4)
	for i, n := 0, t.IntN(5); i < n; i++ {
		list = append(list, fmt.Sprintf("%s-%d", t.word(), i))
	}
	return list
}

// status is published for four of five.
func (t text) status() string {
	if t.IntN(5) == 0 {
		return "archived"
	}
	return "published"
}
