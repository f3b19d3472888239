package jsondoc

import (
	"errors"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	cases := []struct{ doc, patch, want string }{
		{`{"a":1}`, `[]`, `{"a":1}`},
		{`{"a":1}`, `[{"op":"add","path":"","value":[2]}]`, `[2]`},
		{`{"a":1}`, `[{"op":"replace","path":"","value":null}]`, `null`},
		{`{"a":1}`, `[{"op":"test","path":"","value":{"a":1e0}}]`, `{"a":1}`},
		{`{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null,"b":2}`},
		{`{"":{"":1}}`, `[{"op":"replace","path":"//","value":2}]`, `{"":{"":2}}`},
		{`{"01":1,"-":2}`, `[{"op":"remove","path":"/01"},{"op":"remove","path":"/-"}]`, `{}`},
		{`[1,2]`, `[{"op":"add","path":"/2","value":3}]`, `[1,2,3]`},
		{`[1,2]`, `[{"op":"add","path":"/0","value":0},{"op":"add","path":"/-","value":3}]`, `[0,1,2,3]`},
		{`[[]]`, `[{"op":"add","path":"/0/-","value":1},{"op":"copy","from":"/0","path":"/0/-"}]`, `[[1,[1]]]`},
		{`[1,2,3]`, `[{"op":"move","from":"/0","path":"/2"}]`, `[2,3,1]`},
		{`[1,2,3]`, `[{"op":"move","from":"/2","path":"/-"}]`, `[1,2,3]`},
		{`[1,2]`, `[{"op":"move","from":"/1","path":"/1"}]`, `[1,2]`},
		{`{"a":1}`, `[{"op":"move","from":"","path":""}]`, `{"a":1}`},
		{`{"a":1}`, `[{"op":"copy","from":"/a","path":"/a"}]`, `{"a":1}`},
		{`[1]`, `[{"op":"copy","from":"/0","path":"/0"}]`, `[1,1]`},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a/b","path":"/a"}]`, `{"a":1}`},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a","path":""}]`, `{"b":1}`},
		{`{"a":1}`, `[{"op":"copy","from":"","path":"/b"}]`, `{"a":1,"b":{"a":1}}`},
		{`{"a":1,"ab":2}`, `[{"op":"move","from":"/a","path":"/ab"}]`, `{"ab":1}`},
		{`{"a":1}`, `[{"op":"test","path":"/a","value":1,"comment":"unknown members are ignored"}]`, `{"a":1}`},
		{`{"a":null}`, `[{"op":"test","path":"/a","value":null}]`, `{"a":null}`},
		// A copy does not follow its original, and neither follows the copy.
		{`{"a":[1]}`, `[{"op":"add","path":"/a/-","value":2},{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/a/0","value":9}]`,
			`{"a":[9,2],"b":[1,2]}`},
		{`{"a":{}}`, `[{"op":"add","path":"/a/x","value":1},{"op":"copy","from":"/a","path":"/b"},{"op":"remove","path":"/b/x"}]`,
			`{"a":{"x":1},"b":{}}`},
		{`{"a":[0]}`, `[{"op":"remove","path":"/a/0"},{"op":"copy","from":"/a","path":"/b"},
			{"op":"add","path":"/a/-","value":1},{"op":"add","path":"/b/-","value":2}]`, `{"a":[1],"b":[2]}`},
	}
	for _, c := range cases {
		doc := must(t, c.doc)
		got, err := applyText(doc, []byte(c.patch))
		if err != nil || show(got) != c.want {
			t.Errorf("%s on %s gives %s and %v, want %s", c.patch, c.doc, show(got), err, c.want)
		}
		if show(doc) != c.doc {
			t.Errorf("%s changed its document from %s to %s", c.patch, c.doc, show(doc))
		}
	}
}

func TestMalformedPatches(t *testing.T) {
	many := "[" + strings.Repeat(`{"op":"test","path":"","value":1},`, MaxOperations) + `{"op":"test","path":"","value":1}]`
	cases := []struct {
		patch, pointer string
		operation      int
	}{
		{`{}`, "", -1},
		{`null`, "", -1},
		{many, "", -1},
		{`[1]`, "/0", 0},
		{`[{"path":""}]`, "/0", 0},
		{`[{"op":"Add","path":"","value":1}]`, "/0/op", 0},
		{`[{"op":null,"path":"","value":1}]`, "/0/op", 0},
		{`[{"op":"add","value":1}]`, "/0", 0},
		{`[{"op":"add","path":"/a"}]`, "/0", 0},
		{`[{"op":"replace","path":"/a"}]`, "/0", 0},
		{`[{"op":"test","path":"","value":1},{"op":"test","path":""}]`, "/1", 1},
		{`[{"op":"remove","path":0}]`, "/0/path", 0},
		{`[{"op":"remove","path":null}]`, "/0/path", 0},
		{`[{"op":"remove","path":"a"}]`, "/0/path", 0},
		{`[{"op":"remove","path":"/~2"}]`, "/0/path", 0},
		{`[{"op":"remove","path":""}]`, "/0/path", 0},
		{`[{"op":"copy","path":"/a"}]`, "/0", 0},
		{`[{"op":"copy","path":"/a","from":[]}]`, "/0/from", 0},
		{`[{"op":"move","path":"/a","from":"b"}]`, "/0/from", 0},
		{`[{"op":"move","path":"/a/b","from":"/a"}]`, "/0/path", 0},
		{`[{"op":"move","path":"/a","from":""}]`, "/0/path", 0},
		{`[{"op":"add","path":"` + strings.Repeat("/a", MaxDepth+1) + `","value":1}]`, "/0/path", 0},
	}
	for _, c := range cases {
		_, err := ParsePatch(must(t, c.patch))
		checkPatchError(t, c.patch, err, PatchError{Malformed, c.operation, c.pointer, ""})
	}
}

func TestApplyFails(t *testing.T) {
	const doc = `{"a":{"b":[1,2]},"s":"x","n":null}`
	cases := []struct {
		patch, pointer string
		kind           PatchKind
	}{
		{`{"op":"remove","path":"/x"}`, "/path", Conflict},
		{`{"op":"replace","path":"/x","value":1}`, "/path", Conflict},
		{`{"op":"test","path":"/x","value":null}`, "/path", Conflict},
		{`{"op":"add","path":"/x/y","value":1}`, "/path", Conflict},
		{`{"op":"add","path":"/s/y","value":1}`, "/path", Conflict},
		{`{"op":"add","path":"/n/y","value":1}`, "/path", Conflict},
		{`{"op":"copy","from":"/x","path":"/y"}`, "/from", Conflict},
		{`{"op":"move","from":"/x","path":"/x"}`, "/from", Conflict},
		{`{"op":"move","from":"/a/b/0","path":"/a/b/2"}`, "/path", Conflict},
		{`{"op":"add","path":"/a/b/3","value":1}`, "/path", Conflict},
		{`{"op":"replace","path":"/a/b/2","value":1}`, "/path", Conflict},
		{`{"op":"remove","path":"/a/b/-"}`, "/path", Conflict},
		{`{"op":"replace","path":"/a/b/-","value":1}`, "/path", Conflict},
		{`{"op":"test","path":"/a/b/-","value":1}`, "/path", Conflict},
		{`{"op":"copy","from":"/a/b/-","path":"/y"}`, "/from", Conflict},
		{`{"op":"add","path":"/a/b/-/c","value":1}`, "/path", Conflict},
		{`{"op":"add","path":"/a/b/01","value":1}`, "/path", Conflict},
		{`{"op":"add","path":"/a/b/+1","value":1}`, "/path", Conflict},
		{`{"op":"add","path":"/a/b/-1","value":1}`, "/path", Conflict},
		{`{"op":"add","path":"/a/b/1e0","value":1}`, "/path", Conflict},
		{`{"op":"add","path":"/a/b/","value":1}`, "/path", Conflict},
		{`{"op":"add","path":"/a/b/١","value":1}`, "/path", Conflict},
		{`{"op":"remove","path":"/a/b/18446744073709551616"}`, "/path", Conflict},
		{`{"op":"test","path":"/s","value":"X"}`, "/value", TestFailed},
		{`{"op":"test","path":"/n","value":false}`, "/value", TestFailed},
		{`{"op":"test","path":"","value":{}}`, "/value", TestFailed},
	}
	for _, c := range cases {
		v := must(t, doc)
		// The operation before shows that all or nothing is applied.
		got, err := applyText(v, []byte(`[{"op":"add","path":"/first","value":1},`+c.patch+`]`))
		checkPatchError(t, c.patch, err, PatchError{c.kind, 1, "/1" + c.pointer, ""})
		if got != nil || show(v) != doc {
			t.Errorf("%s gives %s and leaves %s", c.patch, show(got), show(v))
		}
	}
}

func checkPatchError(t *testing.T, patch string, err error, want PatchError) {
	t.Helper()
	var e *PatchError
	if !errors.As(err, &e) {
		t.Errorf("%.200s: got %v, want a *PatchError", patch, err)
		return
	}
	if e.Kind != want.Kind || e.Operation != want.Operation || e.Pointer != want.Pointer {
		t.Errorf("%.200s: got %d %d %q, want %d %d %q", patch, e.Kind, e.Operation, e.Pointer, want.Kind, want.Operation, want.Pointer)
	}
	if !strings.HasSuffix(e.Reason, ".") || len(e.Reason) > 300 || !strings.Contains(e.Error(), e.Reason) {
		t.Errorf("%.200s: reason %q", patch, e.Reason)
	}
}

func FuzzPatch(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, `[{"op":"add","path":"/a/-","value":{"x":1}},{"op":"move","from":"/a/1/b","path":"/c"}]`)
	f.Add(`[1,2]`, `[{"op":"copy","from":"","path":"/0"},{"op":"copy","from":"","path":"/0"},{"op":"remove","path":"/2"}]`)
	f.Add(`{"":{"~":1}}`, `[{"op":"test","path":"//~0","value":1.0},{"op":"replace","path":"/","value":[]}]`)
	f.Add(`"x"`, `[{"op":"replace","path":"","value":1},{"op":"remove","path":"/01"}]`)
	f.Fuzz(func(t *testing.T, doc, patch string) {
		v, err := Parse([]byte(doc))
		if err != nil {
			return
		}
		before := show(v)
		got, err := applyText(v, []byte(patch))
		if show(v) != before {
			t.Fatalf("%s changed %s to %s", patch, before, show(v))
		}
		var wrong *PatchError
		var syntax *SyntaxError
		switch {
		case err == nil:
			must(t, show(got)) // what comes out is as strict as what went in
		case !errors.As(err, &wrong) && !errors.As(err, &syntax):
			t.Fatalf("%T: %v", err, err)
		}
	})
}
