package docs

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verbless/internal/auth"
	"verbless/internal/rest"
)

var policyTable = regexp.MustCompile(`(?s)<!-- policy -->\n(.*?)\n\n`)

// TestPolicy: the table of security.md is the one that the service goes by.
func TestPolicy(t *testing.T) {
	who := map[rest.Who]string{rest.Nobody: "–", rest.Admins: "admins", rest.Owners: "owners", rest.Everyone: "everybody"}
	table := "| | list | read | create | change | remove |\n|---|---|---|---|---|---|"
	policy := auth.Policy()
	for _, name := range slices.Sorted(maps.Keys(policy)) {
		r := policy[name]
		table += fmt.Sprintf("\n| %s | %s | %s | %s | %s | %s |", strings.ReplaceAll(name, "_", " "), who[r.List], who[r.Read], who[r.Create], who[r.Change], who[r.Remove])
	}
	old, err := os.ReadFile("security.md")
	if err != nil {
		t.Fatal(err)
	}
	found := policyTable.FindSubmatchIndex(old)
	switch {
	case found == nil:
		t.Fatal("security.md has no table of who may do what")
	case string(old[found[2]:found[3]]) == table:
	case !*update:
		t.Error("the table in security.md is stale; run go test ./docs -update")
	default:
		fresh := string(old[:found[2]]) + table + string(old[found[3]:])
		if err := os.WriteFile("security.md", []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
