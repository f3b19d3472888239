package rest_test

import (
	"strings"
	"sync"
	"testing"

	"verbless/internal/fault"
)

// writes are the three methods that take preconditions, with a body that each of them takes.
var writes = []struct{ method, body string }{{"PUT", `{"title":"New"}`}, {"PATCH", `{"title":"New"}`}, {"DELETE", ""}}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	for _, write := range writes {
		t.Run(write.method, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			s.note("First")
			path := "/notes/" + nth(1)
			call := write.method + " " + path
			tag := s.do(t, alice, "GET "+path, "").etag()
			state, view, _ := strings.Cut(strings.Trim(tag, `"`), ".")
			for _, match := range []string{`"x"`, "W/" + tag, `W/"x", "` + state + `x"`, `"` + view + "." + state + `"`, `""`, `".` + view + `"`} {
				s.do(t, alice, call, write.body, "If-Match: "+match).refused(t, fault.PreconditionFailed, "precondition_failed If-Match")
			}
			for _, match := range []string{"", "x", strings.Trim(tag, `"`), "*, " + tag, `"x`} {
				s.do(t, alice, call, write.body, "If-Match: "+match).refused(t, fault.InvalidHeader, "invalid_header If-Match")
				s.do(t, alice, call, write.body, "If-None-Match: "+match).refused(t, fault.InvalidHeader, "invalid_header If-None-Match")
			}
			s.do(t, alice, call, write.body, "If-Match: x", "If-None-Match: y").refused(t, fault.InvalidHeader, "invalid_header If-Match", "invalid_header If-None-Match")
			for _, match := range []string{tag, "W/" + tag, "*"} {
				s.do(t, alice, call, write.body, "If-None-Match: "+match).refused(t, fault.PreconditionFailed, "precondition_failed If-None-Match")
			}
			s.do(t, alice, call, write.body, "If-Match: "+tag, "If-None-Match: *").refused(t, fault.PreconditionFailed, "precondition_failed If-None-Match")
			if now := s.want(t, 200, alice, "GET "+path, ""); now.etag() != tag {
				t.Fatal("a refused write changed the note")
			}
			s.do(t, alice, call, write.body, `If-Match: "a,b", `+tag, `If-None-Match: "x"`).status(t, map[string]int{"PUT": 200, "PATCH": 200, "DELETE": 204}[write.method])
		})
	}
}

func TestIfMatchTakes(t *testing.T) {
	t.Parallel()
	for name, view := range map[string]string{"whole": "", "sparse": "?fields=title", "with others": "?include=lines", "star": "*"} {
		for _, write := range writes {
			t.Run(name+write.method, func(t *testing.T) {
				t.Parallel()
				s := serve(t)
				s.note("First")
				path := "/notes/" + nth(1)
				match := view
				if view != "*" {
					match = s.want(t, 200, alice, "GET "+path+view, "").etag()
				}
				a := s.do(t, alice, write.method+" "+path, write.body, "If-Match: "+match)
				a.status(t, map[string]int{"PUT": 200, "PATCH": 200, "DELETE": 204}[write.method])
				if view == "*" || write.method == "DELETE" {
					return
				}
				s.do(t, alice, write.method+" "+path, `{"title":"Newer"}`, "If-Match: "+match).refused(t, fault.PreconditionFailed, "precondition_failed If-Match")
			})
		}
	}
}

// TestPrecedence: preconditions come after everything that would be refused anyway.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.note("First")
	const stale = `If-Match: "stale"`
	one, none := "/notes/"+nth(1), "/notes/"+nth(9)
	for _, write := range writes {
		s.do(t, "", write.method+" "+one, write.body, stale).refused(t, fault.Unauthenticated, "unauthenticated Authorization")
		s.do(t, "nobody", write.method+" "+one, write.body, stale).refused(t, fault.InvalidToken)
		s.do(t, alice, write.method+" "+none, write.body, stale).refused(t, fault.NotFoundCode)
		s.do(t, alice, write.method+" "+none, write.body, "If-Match: *").refused(t, fault.NotFoundCode)
		s.do(t, alice, write.method+" "+none, write.body, "If-None-Match: *").refused(t, fault.NotFoundCode)
		s.do(t, bob, write.method+" "+one, write.body, stale).refused(t, fault.ForbiddenCode)
		s.do(t, alice, write.method+" /notes", write.body, stale).refused(t, fault.MethodNotAllowed)
		s.do(t, alice, write.method+" "+one, write.body, stale, "Accept: text/plain").refused(t, fault.NotAcceptable)
		s.do(t, alice, write.method+" "+one+"?x=1", write.body, stale).refused(t, fault.UnknownParameter, "unknown_parameter x")
		s.do(t, alice, write.method+" "+one, write.body, stale).refused(t, fault.PreconditionFailed, "precondition_failed If-Match")
		if write.body == "" {
			continue
		}
		s.do(t, alice, write.method+" "+one, write.body, stale, "Content-Type: text/plain").refused(t, fault.UnsupportedMediaType, "unsupported_media_type Content-Type")
		s.do(t, alice, write.method+" "+one, strings.Repeat(" ", 5000), stale).refused(t, fault.BodyTooLarge)
		if code := s.do(t, alice, write.method+" "+one, `{`, stale).at(t, "code"); code != "invalid_json" {
			t.Errorf("%s: %v", write.method, code)
		}
	}
	s.want(t, 200, alice, "OPTIONS "+one, "", stale, "If-None-Match: *")
}

// TestOneWriterWins: of many writers with one tag, exactly one.
func TestOneWriterWins(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.note("First")
	path := "/notes/" + nth(1)
	tag := s.do(t, alice, "GET "+path, "").etag()
	const writers = 20
	var (
		start   = make(chan struct{})
		results = make(chan int, writers)
		done    sync.WaitGroup
	)
	for i := range writers {
		done.Go(func() {
			<-start
			results <- s.do(t, alice, "PATCH "+path, `{"title":"Writer `+string(rune('a'+i))+`"}`, "If-Match: "+tag).Status
		})
	}
	close(start)
	done.Wait()
	close(results)
	count := map[int]int{}
	for status := range results {
		count[status]++
	}
	if count[200] != 1 || count[412] != writers-1 {
		t.Errorf("answers: %v", count)
	}
	if s.notes.rows[0].Version != 2 {
		t.Errorf("version %d", s.notes.rows[0].Version)
	}
}
