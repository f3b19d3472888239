package ident

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// TestNewIDs: version 7, all different, and later ones sort later.
func TestNewIDs(t *testing.T) {
	t.Parallel()
	ids := make([]string, 10_000)
	for i := range ids {
		ids[i] = New()
		if !Valid(ids[i]) || uuid.MustParse(ids[i]).Version() != 7 {
			t.Fatalf("%s is no id", ids[i])
		}
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("ids are not in the order they were made")
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	id := New()
	for text, want := range map[string]bool{
		id: true, "00000000-0000-0000-0000-000000000000": true, "": false, "x": false, strings.ToUpper("a" + id[1:]): false, strings.ReplaceAll(id, "-", ""): false, "{" + id + "}": false,
		"urn:uuid:" + id: false, id + " ": false, " " + id[1:]: false, id[:35]: false, id + "0": false, id[:35] + "g": false, strings.Repeat("-", 36): false, id[:35] + "\x00": false,
		strings.Replace(id, "-", "0", 1): false,
	} {
		if Valid(text) != want {
			t.Errorf("Valid(%q) is %v", text, !want)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"1": 1, "42": 42, "9223372036854775807": 9223372036854775807, "0": 0, "-1": 0, "+1": 0, "01": 0, "1.0": 0, " 1": 0, "1 ": 0, "": 0, "x": 0, "1e3": 0, "0x1": 0,
		"1_000": 0, "9223372036854775808": 0, "١": 0, "１": 0} {
		if n, ok := Number(text); ok != (want > 0) || ok && n != want {
			t.Errorf("Number(%q) is %d, %v", text, n, ok)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	one, two := NewToken(), NewToken()
	if one == two || !strings.HasPrefix(one, TokenPrefix) || len(one) != len(TokenPrefix)+43 {
		t.Errorf("tokens %q and %q", one, two)
	}
	if HashToken(one) != HashToken(one) || HashToken(one) == HashToken(two) || strings.Contains(HashToken(one), one[len(TokenPrefix):]) || len(HashToken("")) != 43 {
		t.Error("hashes do not tell tokens apart")
	}
}

func TestUsernames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"alice": true, "A": true, "a1": true, "1a": true, "_": true, "-": true, "a.b-c_d": true, "mee": true, ".me": true, strings.Repeat("a", 64): true,
		"": false, "42": false, "0": false, "me": false, "Me": false, "ME": false, ".": false, "..": false, "...": false, "a b": false, "a/b": false, "é": false, "аlice": false, "a\n": false, "\na": false,
		"a\x00": false, strings.Repeat("a", 65): false, "a@b": false, "%61": false,
		"jos\u00e9": false, "jose\u0301": false, "ｂｏｂ": false, "bo\u200db": false, "\u202ebob": false, "İ": false, "ı": false, "\u212a": false, "ﬁ": false, "𝐛": false, "bob\u00ad": false, "١a": false,
	} {
		if Username(name) != want {
			t.Errorf("Username(%q) is %v", name, !want)
		}
	}
}

// TestNoNameIsANumber: {user} is one or the other, and folding changes neither.
func TestNoNameIsANumber(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[0-9A-Za-z_.-]{1,5}`), rapid.StringMatching(`[0-9]{1,20}`), rapid.String()).Draw(t, "text")
		if _, number := Number(text); number && Username(text) {
			t.Fatalf("%q is both", text)
		}
		if Username(text) && (!Username(FoldUsername(text)) || FoldUsername(FoldUsername(text)) != FoldUsername(text)) {
			t.Fatalf("%q does not fold", text)
		}
	})
}
