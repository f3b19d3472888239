package rest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"verbless/internal/fault"
)

// The types of a PATCH, as headers.
const (
	plainJSON  = "Content-Type: application/json"
	mergePatch = "Content-Type: application/merge-patch+json"
	jsonPatch  = "Content-Type: application/json-patch+json"
)

// full makes a note of alice's with something in every member.
func full(t *testing.T) (s *toy, path, tag string) {
	t.Helper()
	s = serve(t)
	return s, "/notes/" + nth(1), s.want(t, 201, alice, "POST /notes", fullNote).etag()
}

func TestPatchChangesOnlyWhatWasSent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, kind, body string }{
		{"json", plainJSON, `{"title":"New","extra":{"z":2}}`},
		{"charset", "Content-Type: application/json; charset=UTF-8", `{"title":"New","extra":{"z":2}}`},
		{"vendor", "Content-Type: application/vnd.verbless+v1+json", `{"title":"New","extra":{"z":2}}`},
		{"merge", mergePatch, `{"title":"New","extra":{"z":2}}`},
		{"merge charset", mergePatch + "; charset=utf-8", `{"title":"New","extra":{"z":2}}`},
		{"patch", jsonPatch, `[{"op":"replace","path":"/title","value":"New"},{"op":"replace","path":"/extra/z","value":2}]`},
		{"test and add", jsonPatch, `[{"op":"test","path":"/rank","value":7.0},{"op":"add","path":"/title","value":"New"},{"op":"add","path":"/extra/z","value":2}]`},
		{"copy", jsonPatch, `[{"op":"copy","from":"/subtitle","path":"/title"},{"op":"replace","path":"/title","value":"New"},{"op":"replace","path":"/extra/z","value":2}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, path, tag := full(t)
			want := strings.NewReplacer("Zoë & co", "New", `"z":1.50`, `"z":2`, `"updated_at":"2026-01-31 09:30:00Z"`, `"updated_at":"2026-01-31 09:30:01Z"`).
				Replace(strings.TrimSpace(s.do(t, alice, "GET "+path, "").Body))
			a := s.want(t, 200, alice, "PATCH "+path, test.body, test.kind)
			a.is(t, want)
			if a.etag() == tag || a.etag() != s.do(t, alice, "GET "+path, "").etag() {
				t.Errorf("the tag went from %s to %s", tag, a.etag())
			}
		})
	}
}

// TestPatchNull: what null means in each type, and what a removed member becomes.
func TestPatchNull(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, body, member, want string }{
		{plainJSON, `{"subtitle":null}`, "subtitle", "null"},
		{plainJSON, `{"done_at":null}`, "done_at", "null"},
		{plainJSON, `{"extra":{"z":null}}`, "extra", `{"a":[null,{"b":"c"}],"z":null}`},
		{mergePatch, `{"subtitle":null}`, "subtitle", "null"},
		{mergePatch, `{"done_at":null}`, "done_at", "null"},
		{mergePatch, `{"extra":{"z":null}}`, "extra", `{"a":[null,{"b":"c"}]}`},
		{mergePatch, `{"extra":null}`, "extra", `{}`},
		{mergePatch, `{"rank":null}`, "rank", "5"},
		{mergePatch, `{"pinned":null}`, "pinned", "false"},
		{mergePatch, `{"tags":null}`, "tags", "[]"},
		{mergePatch, `{"kind":null}`, "kind", `"plain"`},
		{mergePatch, `{"due_at":null}`, "due_at", `"2030-01-01 00:00:00Z"`},
		{mergePatch, `{"secret":null}`, "secret", `""`},
		{jsonPatch, `[{"op":"remove","path":"/subtitle"}]`, "subtitle", "null"},
		{jsonPatch, `[{"op":"replace","path":"/subtitle","value":null}]`, "subtitle", "null"},
		{jsonPatch, `[{"op":"remove","path":"/rank"}]`, "rank", "5"},
		{jsonPatch, `[{"op":"remove","path":"/extra/z"}]`, "extra", `{"a":[null,{"b":"c"}]}`},
		{jsonPatch, `[{"op":"remove","path":"/tags/0"}]`, "tags", `["b"]`},
		{jsonPatch, `[{"op":"add","path":"/tags/-","value":"c"}]`, "tags", `["a","b","c"]`},
		{jsonPatch, `[{"op":"move","from":"/tags/0","path":"/tags/1"}]`, "tags", `["b","a"]`},
	} {
		t.Run(test.kind[14:]+test.body, func(t *testing.T) {
			t.Parallel()
			s, path, _ := full(t)
			got, err := json.Marshal(s.want(t, 200, alice, "PATCH "+path, test.body, test.kind).at(t, test.member))
			if err != nil || string(got) != test.want {
				t.Errorf("%s is %s, want %s", test.member, got, test.want)
			}
		})
	}
}

func TestPatchRefused(t *testing.T) {
	t.Parallel()
	s, path, tag := full(t)
	for _, test := range []struct {
		kind, body string
		faults     []string
	}{
		{plainJSON, `{"rank":null}`, []string{"wrong_type /rank"}},
		{plainJSON, `{"title":null,"tags":null,"kind":null,"pinned":null,"due_at":null,"extra":null,"secret":null}`, []string{"wrong_type /title", "wrong_type /kind", "wrong_type /pinned",
			"wrong_type /due_at", "wrong_type /tags", "wrong_type /extra", "wrong_type /secret"}},
		{plainJSON, `{"id":null,"links":null}`, []string{"read_only /id", "read_only /links"}},
		{plainJSON, `{"id":"x","Title":"x","nope":1}`, []string{"unknown_field /Title", "unknown_field /nope", "read_only /id"}},
		{plainJSON, `[]`, []string{"wrong_type "}},
		{plainJSON, `7`, []string{"wrong_type "}},
		{mergePatch, `{"title":null}`, []string{"required /title"}},
		{mergePatch, `{"id":null}`, []string{"read_only /id"}},
		{mergePatch, `{"links":{"owner":"3"},"created_at":null}`, []string{"read_only /created_at", "read_only /links"}},
		{mergePatch, `[]`, []string{"wrong_type "}},
		{mergePatch, `null`, []string{"wrong_type "}},
		{jsonPatch, `[{"op":"remove","path":"/title"}]`, []string{"required /title"}},
		{jsonPatch, `[{"op":"replace","path":"/id","value":"x"}]`, []string{"read_only /id"}},
		{jsonPatch, `[{"op":"remove","path":"/created_at"}]`, []string{"read_only /created_at"}},
		{jsonPatch, `[{"op":"move","from":"/id","path":"/title"}]`, []string{"read_only /id", "out_of_range /title"}},
		{jsonPatch, `[{"op":"replace","path":"/links/owner","value":"3"}]`, []string{"read_only /links"}},
		{jsonPatch, `[{"op":"add","path":"/nope","value":1},{"op":"add","path":"/rank","value":1.5},{"op":"add","path":"/tags/-","value":"a"}]`,
			[]string{"unknown_field /nope", "wrong_type /rank", "not_allowed_value /tags/2"}},
		{jsonPatch, `[{"op":"replace","path":"","value":[]}]`, []string{"wrong_type "}},
	} {
		s.want(t, 400, alice, "PATCH "+path, test.body, test.kind).refused(t, fault.ValidationFailed, test.faults...)
	}
	if now := s.do(t, alice, "GET "+path, "").etag(); now != tag {
		t.Errorf("refused patches changed the tag from %s to %s", tag, now)
	}
}

func TestJSONPatchFaults(t *testing.T) {
	t.Parallel()
	s, path, tag := full(t)
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/rank","value":7},`, 101), ",") + "]"
	for _, test := range []struct {
		body   string
		code   fault.Code
		faults []string
		index  string
	}{
		{`[{"op":"replace","path":"/title","value":"x"},{"op":"test","path":"/rank","value":8}]`, fault.PatchTestFailed, []string{"patch_test_failed /1/value"}, "1"},
		{`[{"op":"test","path":"/links/owner","value":2}]`, fault.PatchTestFailed, []string{"patch_test_failed /0/value"}, "0"},
		{`[{"op":"test","path":"/nope","value":null}]`, fault.PatchConflict, []string{"patch_conflict /0/path"}, "0"},
		{`[{"op":"add","path":"/title","value":"x"},{"op":"add","path":"/a/b","value":1}]`, fault.PatchConflict, []string{"patch_conflict /1/path"}, "1"},
		{`[{"op":"remove","path":"/tags/2"}]`, fault.PatchConflict, []string{"patch_conflict /0/path"}, "0"},
		{`[{"op":"remove","path":"/tags/00"}]`, fault.PatchConflict, []string{"patch_conflict /0/path"}, "0"},
		{`[{"op":"copy","from":"/nope","path":"/title"}]`, fault.PatchConflict, []string{"patch_conflict /0/from"}, "0"},
		{`[{"op":"test","path":"/rank","value":7},{"op":"jump","path":"/rank"}]`, fault.InvalidPatch, []string{"invalid_patch /1/op"}, "1"},
		{`[{"op":"add","path":"title","value":1}]`, fault.InvalidPatch, []string{"invalid_patch /0/path"}, "0"},
		{`[{"op":"test","path":"/rank"}]`, fault.InvalidPatch, []string{"invalid_patch /0"}, "0"},
		{`[{"op":"remove","path":""}]`, fault.InvalidPatch, []string{"invalid_patch /0/path"}, "0"},
		{`[{"op":"move","from":"/extra","path":"/extra/a"}]`, fault.InvalidPatch, []string{"invalid_patch /0/path"}, "0"},
		{`[1]`, fault.InvalidPatch, []string{"invalid_patch /0"}, "0"},
		{`{"title":"x"}`, fault.InvalidPatch, nil, "-1"},
		{many, fault.InvalidPatch, nil, "-1"},
	} {
		a := s.do(t, alice, "PATCH "+path, test.body, jsonPatch)
		a.refused(t, test.code, test.faults...)
		if index := fmt.Sprint(a.at(t, "operation")); index != test.index {
			t.Errorf("%s: operation %s, want %s", test.body, index, test.index)
		}
	}
	if now := s.do(t, alice, "GET "+path, "").etag(); now != tag {
		t.Errorf("refused patches changed the tag from %s to %s", tag, now)
	}
	s.want(t, 200, alice, "PATCH "+path, strings.Replace(many, `{"op":"test","path":"/rank","value":7},`, "", 1), jsonPatch)
}

func TestPatchThatChangesNothing(t *testing.T) {
	t.Parallel()
	s, path, tag := full(t)
	whole := s.do(t, alice, "GET "+path, "").Body
	for _, test := range [][2]string{
		{plainJSON, `{}`}, {plainJSON, `{"title":"Zoë & co"}`}, {plainJSON, whole}, {mergePatch, `{}`}, {mergePatch, whole}, {mergePatch, `{"extra":{"q":null}}`}, {jsonPatch, `[]`},
		{jsonPatch, `[{"op":"test","path":"/title","value":"Zoë & co"}]`}, {jsonPatch, `[{"op":"remove","path":"/tags/0"},{"op":"add","path":"/tags/0","value":"a"}]`},
		{plainJSON, `{"rank":7.0}`}, {plainJSON, `{"extra":{"z":1.5}}`},
	} {
		a := s.want(t, 200, alice, "PATCH "+path, test[1], test[0])
		a.is(t, strings.TrimSpace(whole))
		a.has(t, "ETag", tag)
	}
}

func TestBodyTypes(t *testing.T) {
	t.Parallel()
	s, path, _ := full(t)
	const all = "application/json, application/merge-patch+json, application/json-patch+json"
	for _, kind := range []string{"text/plain", "application/xml", "application/vnd.verbless+v3+json", "application/json; charset=latin1", "application/json; charset", "json", "", "*/*", "application/x-www-form-urlencoded"} {
		a := s.do(t, alice, "PATCH "+path, `{"title":"x"}`, "Content-Type: "+kind)
		a.refused(t, fault.UnsupportedMediaType, "unsupported_media_type Content-Type")
		a.has(t, "Accept-Patch", all)
		a = s.do(t, alice, "POST /notes", `{"title":"x"}`, "Content-Type: "+kind)
		a.refused(t, fault.UnsupportedMediaType, "unsupported_media_type Content-Type")
		a.has(t, "Accept-Post", "application/json")
		a = s.do(t, alice, "PUT "+path, `{"title":"x"}`, "Content-Type: "+kind)
		a.refused(t, fault.UnsupportedMediaType, "unsupported_media_type Content-Type")
		a.has(t, "Accept", "application/json")
	}
	for _, encoding := range []string{"gzip", "br", "gzip, identity"} {
		a := s.do(t, alice, "PATCH "+path, `{"title":"x"}`, "Content-Encoding: "+encoding)
		a.refused(t, fault.UnsupportedMediaType, "unsupported_media_type Content-Encoding")
		a.has(t, "Accept-Patch", all)
		a.has(t, "Accept-Encoding", "identity")
	}
	s.want(t, 200, alice, "PATCH "+path, `{"title":"x"}`, "Content-Encoding: Identity")
	s.want(t, 415, alice, "PUT "+path, `{"title":"x"}`, mergePatch)
}
