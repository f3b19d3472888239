package rest_test

import (
	"strings"
	"testing"

	"verbless/internal/fault"
)

// TestAllFaultsAtOnce: every fault of a body is reported, with its pointer.
func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, test := range []struct {
		body   string
		faults []string
	}{
		{`{}`, []string{"required /title"}},
		{`[]`, []string{"wrong_type "}},
		{`null`, []string{"wrong_type "}},
		{`"title"`, []string{"wrong_type "}},
		{`{"TITLE":"x"}`, []string{"unknown_field /TITLE", "required /title"}},
		{`{"title":"x","a/b~c":1}`, []string{"unknown_field /a~1b~0c"}},
		{`{"title":7,"subtitle":7,"kind":"other","rank":"7","pinned":"true","due_at":7,"done_at":"yesterday","tags":"a","extra":[],"secret":null,"folder_id":false}`, []string{
			"wrong_type /title", "wrong_type /subtitle", "not_allowed_value /kind", "wrong_type /rank", "wrong_type /pinned", "wrong_type /due_at", "bad_format /done_at",
			"wrong_type /tags", "wrong_type /extra", "wrong_type /secret", "wrong_type /folder_id"}},
		{`{"title":"","subtitle":"123456789012345678901","rank":101,"tags":["",7,"a","a","b"]}`, []string{
			"out_of_range /title", "out_of_range /subtitle", "out_of_range /rank", "out_of_range /tags"}},
		{`{"title":"x","tags":["",7,"a"]}`, []string{"out_of_range /tags/0", "wrong_type /tags/1"}},
		{`{"title":"x","tags":["a","b","a"]}`, []string{"not_allowed_value /tags/2"}},
		{`{"title":"x","rank":-1}`, []string{"out_of_range /rank"}},
		{`{"title":"x","rank":99999999999999999999}`, []string{"out_of_range /rank"}},
		{`{"title":"x","rank":7.0}`, []string{"wrong_type /rank"}},
		{`{"title":"x","rank":7e0}`, []string{"wrong_type /rank"}},
		{`{"title":"a\u0000b"}`, []string{"bad_format /title"}},
		{`{"title":"x","due_at":"2026-02-30 00:00:00Z"}`, []string{"bad_format /due_at"}},
		{`{"title":"x","due_at":"2026-02-03 00:00:00"}`, []string{"bad_format /due_at"}},
		{`{"title":"x","extra":{"a":"` + strings.Repeat("b", 200) + `"}}`, []string{"out_of_range /extra"}},
		{`{"id":"x","title":"x","created_at":"2026-01-31 09:30:00Z","links":{}}`, []string{"read_only /id", "read_only /created_at", "read_only /links"}},
		{`{"id":null,"title":"x","owner_id":3,"version":9}`, []string{"unknown_field /owner_id", "unknown_field /version", "read_only /id"}},
	} {
		s.want(t, 400, alice, "POST /notes", test.body).refused(t, fault.ValidationFailed, test.faults...)
	}
	if len(s.notes.rows) != 0 {
		t.Errorf("%d notes were made", len(s.notes.rows))
	}
}

// TestLengthsCountCharacters, not bytes.
func TestLengthsCountCharacters(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.want(t, 201, alice, "POST /notes", `{"title":"`+strings.Repeat("😀", 20)+`"}`)
	s.want(t, 400, alice, "POST /notes", `{"title":"`+strings.Repeat("😀", 21)+`"}`)
}

// TestPutBack: what a GET returned can be sent back.
func TestPutBack(t *testing.T) {
	t.Parallel()
	s, path, tag := full(t)
	got := s.want(t, 200, alice, "GET "+path, "")
	for range 2 {
		a := s.want(t, 200, alice, "PUT "+path, got.Body)
		a.is(t, strings.TrimSpace(got.Body))
		a.has(t, "ETag", "")
	}
	if now := s.do(t, alice, "GET "+path, "").etag(); now != tag {
		t.Errorf("the tag went from %s to %s", tag, now)
	}
}

func TestPutReplaces(t *testing.T) {
	t.Parallel()
	s, path, tag := full(t)
	want := strings.Replace(plainNote("New"), `"updated_at":"2026-01-31 09:30:00Z"`, `"updated_at":"2026-01-31 09:30:01Z"`, 1)
	a := s.want(t, 200, alice, "PUT "+path, `{"title":"New"}`)
	a.is(t, want)
	a.has(t, "ETag", "")
	changed := s.do(t, alice, "GET "+path, "")
	if changed.etag() == tag {
		t.Error("the tag is still the old one")
	}
	s.want(t, 200, alice, "PUT "+path, `{"title":"New"}`).is(t, want)
	if again := s.do(t, alice, "GET "+path, ""); again.etag() != changed.etag() {
		t.Error("repeating a PUT changed the tag")
	}
}

func TestPutRefused(t *testing.T) {
	t.Parallel()
	s, path, _ := full(t)
	got := s.do(t, alice, "GET "+path, "").Body
	for _, test := range []struct {
		body   string
		faults []string
	}{
		{`{}`, []string{"required /title"}},
		{strings.Replace(got, nth(1), nth(2), 1), []string{"read_only /id"}},
		{strings.Replace(got, `"created_at":"2026`, `"created_at":"2025`, 1), []string{"read_only /created_at"}},
		{strings.Replace(got, `{"owner":"2"}`, `{"owner":"3"}`, 1), []string{"read_only /links"}},
		{strings.Replace(got, `{"owner":"2"}`, `{"owner":"2","x":1}`, 1), []string{"read_only /links"}},
		{strings.Replace(got, `"rank"`, `"Rank"`, 1), []string{"unknown_field /Rank"}},
		{`[` + got + `]`, []string{"wrong_type "}},
	} {
		s.want(t, 400, alice, "PUT "+path, test.body).refused(t, fault.ValidationFailed, test.faults...)
	}
	s.do(t, alice, "PUT /notes/"+nth(9), `{"title":"x"}`).refused(t, fault.NotFoundCode)
	s.do(t, alice, "PUT /notes/"+nth(9), `{"title":"x"}`, "If-Match: *").refused(t, fault.NotFoundCode)
}
