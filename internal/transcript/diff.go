package transcript

import (
	"fmt"
	"strings"
)

// around is how many equal lines are shown on each side of a difference.
const around = 4

// diff shows which lines of want (-) and got (+) differ, with the equal lines near them.
func diff(want, got string) string {
	edits := editScript(lines(want), lines(got))
	var b strings.Builder
	for i := 0; i < len(edits); {
		if edits[i][0] != ' ' {
			b.WriteString(edits[i] + "\n")
			i++
			continue
		}
		end := i
		for end < len(edits) && edits[end][0] == ' ' {
			end++
		}
		writeEqual(&b, edits[i:end], i == 0, end == len(edits))
		i = end
	}
	return b.String()
}

// writeEqual shortens a run of equal lines to what stands next to a difference.
func writeEqual(b *strings.Builder, run []string, first, last bool) {
	head, tail := around, around
	if first {
		head = 1 // the status line
	}
	if last {
		tail = 0
	}
	if len(run) <= head+tail+1 {
		head, tail = len(run), 0
	}
	for _, line := range run[:head] {
		b.WriteString(line + "\n")
	}
	if hidden := len(run) - head - tail; hidden > 0 {
		fmt.Fprintf(b, "  … %d equal lines\n", hidden)
	}
	for _, line := range run[len(run)-tail:] {
		b.WriteString(line + "\n")
	}
}

// editScript marks each line as kept, removed or added, by the longest common subsequence.
func editScript(want, got []string) []string {
	// longest[i][j] is the length of the longest common subsequence of want[i:] and got[j:].
	longest := make([][]int, len(want)+1)
	for i := range longest {
		longest[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			out = append(out, "  "+want[i])
			i, j = i+1, j+1
		case j == len(got) || (i < len(want) && longest[i+1][j] >= longest[i][j+1]):
			out = append(out, "- "+want[i])
			i++
		default:
			out = append(out, "+ "+got[j])
			j++
		}
	}
	return out
}
