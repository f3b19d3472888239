package jsondoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Each operation of these bombs doubles the document.
func TestCopyBombs(t *testing.T) {
	repeat := func(op string) string { return "[" + strings.Repeat(op+",", 39) + op + "]" }
	for _, c := range []struct{ doc, patch string }{
		{`[]`, repeat(`{"op":"copy","from":"","path":"/-"}`)},
		{`["` + strings.Repeat("x", 1000) + `"]`, repeat(`{"op":"copy","from":"","path":"/0"}`)},
		{`{"a":{"b":"` + strings.Repeat("x", 1000) + `"}}`,
			repeat(`{"op":"copy","from":"","path":"/a/c"},{"op":"copy","from":"/a","path":"/d"}`)},
	} {
		start := time.Now()
		_, err := applyText(must(t, c.doc), []byte(c.patch))
		var e *PatchError
		if !errors.As(err, &e) || e.Kind != Conflict {
			t.Errorf("%.80s: %v", c.patch, err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%.80s: took %v", c.patch, took)
		}
	}
}

// The slowest patches of 2 MiB: a long array that shifts with each operation, and a large value that moves.
func TestApplyIsNotSlow(t *testing.T) {
	long := `{"op":"add","path":"/a","value":[` + strings.Repeat("[],", 680_000) + `[]]}`
	for _, op := range []string{
		`,{"op":"add","path":"/a/0","value":1}`,
		`,{"op":"move","from":"/a","path":"/b/c"},{"op":"move","from":"/b/c","path":"/a"}`,
		`,{"op":"test","path":"/a/0","value":[]}`,
	} {
		patch := "[" + long + strings.Repeat(op, 20) + "]"
		start := time.Now()
		if _, err := applyText(must(t, `{"b":{}}`), []byte(patch)); err != nil {
			t.Error(err)
		}
		took := time.Since(start)
		t.Logf("%v for 20 times %s", took.Round(time.Millisecond), op)
		if took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

// A wide value is copied side by side, so that only the size can stop it.
func TestCopiesAreLimited(t *testing.T) {
	doc := NewObject(Member{"a", must(t, "["+strings.Repeat(`"0123456789abcdef",`, 1<<15)+"1]")})
	ops := []any{}
	for i := range MaxOperations {
		ops = append(ops, must(t, fmt.Sprintf(`{"op":"copy","from":"/a","path":"/%d"}`, i)))
	}
	patch, err := ParsePatch(ops)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := patch[:10].Apply(doc); err != nil {
		t.Errorf("ten copies of a megabyte: %v", err)
	}
	_, err = patch.Apply(doc)
	checkPatchError(t, "copies", err, PatchError{Conflict, 15, "/15/from", ""})
}

func TestDepthIsLimited(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	cases := []struct {
		doc, patch string
		ok         bool
	}{
		{`{"a":` + deep(31) + `}`, `{"op":"test","path":"/a/0","value":` + deep(30) + `}`, true},
		{`[[]]`, `{"op":"add","path":"/0/0","value":` + deep(30) + `}`, true},
		{`[[[]]]`, `{"op":"add","path":"/0/0/0","value":` + deep(30) + `}`, false},
		{`{"a":` + deep(21) + `,"b":` + deep(11) + `}`, `{"op":"move","from":"/a","path":"/b` + strings.Repeat("/0", 11) + `"}`, false},
		{deep(17), `{"op":"copy","from":"","path":"` + strings.Repeat("/0", 16) + `/0"}`, false},
		{deep(16), `{"op":"copy","from":"","path":"` + strings.Repeat("/0", 16) + `"}`, true},
		{deep(MaxDepth), `{"op":"add","path":"` + strings.Repeat("/0", MaxDepth) + `","value":1}`, true},
	}
	for _, c := range cases {
		got, err := applyText(must(t, c.doc), []byte("["+c.patch+"]"))
		if (err == nil) != c.ok {
			t.Errorf("%s on %s: %v", c.patch, c.doc, err)
		}
		if err == nil {
			must(t, show(got))
		}
	}
}
