// Package apptest runs the whole service in a test, on SQLite and on PostgreSQL, and talks to it over HTTP.
// Every answer is checked against the service's own description.
package apptest

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"verbless/internal/app"
	"verbless/internal/auth"
	"verbless/internal/change"
	"verbless/internal/config"
	"verbless/internal/db"
	"verbless/internal/db/dbtest"
	"verbless/internal/describe"
	"verbless/internal/trace/tracetest"
	"verbless/internal/transcript"
)

// Server is a running service with an admin and two members, alice and bob.
type Server struct {
	App     *app.App
	URL     string // that links begin with
	Addr    string // that it listens at
	Clock   *Clock
	Admin   string // tokens
	Alice   string
	Bob     string
	Data    string            // folder
	Vars    map[string]string // further placeholders of transcripts
	Routes  Description
	handler http.Handler

	database string
	ear      *eavesdropper
}

// Each runs fn on both engines, in parallel.
func Each(t *testing.T, fn func(t *testing.T, s *Server), change ...func(*config.Settings)) {
	t.Helper()
	for name, address := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, Start(t, address(t), change...))
		})
	}
}

// Start runs a service on a database until the test ends.
func Start(t testing.TB, database string, adjust ...func(*config.Settings)) *Server {
	t.Helper()
	s := run(t, &Server{Clock: &Clock{}}, database, adjust...)
	s.Admin = s.user(t, "admin", change.Admin)
	s.Alice, s.Bob = s.user(t, "alice", change.Member), s.user(t, "bob", change.Member)
	return s
}

// Beside runs another node on the same database, with the same clock and the same users.
func (s *Server) Beside(t testing.TB, adjust ...func(*config.Settings)) *Server {
	t.Helper()
	return run(t, &Server{Clock: s.Clock, Admin: s.Admin, Alice: s.Alice, Bob: s.Bob}, s.database, adjust...)
}

func run(t testing.TB, s *Server, database string, adjust ...func(*config.Settings)) *Server {
	t.Helper()
	s.database = database
	listener := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }))
	settings := config.Default()
	settings.WrongTokens = 0 // a test shows more of them than anybody should
	settings.Data, settings.Database, settings.Addr = t.TempDir(), database, listener.Listener.Addr().String()
	s.ear = eavesdrop(t)
	settings.OTLPEndpoint = s.ear.traces.URL
	for _, f := range adjust {
		f(&settings)
	}
	ctx := context.Background()
	a, err := app.Open(ctx, settings, slog.New(slog.NewTextHandler(s.ear, &slog.HandlerOptions{Level: slog.LevelDebug})), s.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.App, s.handler, s.URL, s.Addr, s.Data = a, a.Handler(), settings.Base(), settings.Addr, settings.Data
	listener.Start()
	t.Cleanup(func() {
		listener.Close()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Routes = read(t, describe.OpenAPI(a.API))
	return s
}

// Work does the tasks that are due by now, and tells how many there were.
func (s *Server) Work(t testing.TB) int {
	t.Helper()
	n, err := s.App.Queue.Drain(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Count is the number that a SELECT gives.
func (s *Server) Count(t testing.TB, text string, args ...any) int {
	t.Helper()
	var n int
	if err := s.App.DB.Reader(context.Background()).QueryRow(context.Background(), text, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *Server) user(t testing.TB, name, role string) string {
	ctx := context.Background()
	user, err := auth.CreateUser(ctx, s.App.DB, auth.User{Username: name, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	token, err := auth.Issue(ctx, s.App.DB, user.ID, "test", nil)
	if err != nil {
		t.Fatal(err)
	}
	return *token.Token
}

// Transcript replays a conversation; <admin>, <alice> and <bob> are tokens.
func (s *Server) Transcript(t testing.TB, file string) {
	t.Helper()
	vars := map[string]string{"admin": s.Admin, "alice": s.Alice, "bob": s.Bob}
	maps.Copy(vars, s.Vars)
	transcript.Run(t, file, transcript.Server{URL: s.URL, Vars: vars,
		Check: func(t testing.TB, r *http.Request, response *http.Response, body []byte) {
			s.Routes.Check(t, r, response, body)
			s.ear.learn(r, sent(t, r), response, body)
		}})
}

// sent is the body of a request that was sent.
func sent(t testing.TB, r *http.Request) []byte {
	t.Helper()
	if r.GetBody == nil {
		return nil
	}
	again, err := r.GetBody()
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(again)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Overheard is the log so far, and the spans that have come.
func (s *Server) Overheard() (log string, spans []tracetest.Span) {
	s.ear.mu.Lock()
	defer s.ear.mu.Unlock()
	return s.ear.log.String(), s.ear.traces.Spans()
}

// Await waits for spans that are still on their way.
func (s *Server) Await(t testing.TB, enough func([]tracetest.Span) bool) []tracetest.Span {
	t.Helper()
	return s.ear.traces.Await(t, enough)
}

// Transcripts replays every conversation of the package, on both engines.
func Transcripts(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.http")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			Each(t, func(t *testing.T, s *Server) { s.Transcript(t, file) })
		})
	}
}

// Parallel runs fn n times at once and counts the statuses.
func Parallel(n int, fn func(i int) int) map[int]int {
	var mu sync.Mutex
	var group sync.WaitGroup
	counts := map[int]int{}
	for i := range n {
		group.Go(func() {
			status := fn(i)
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	group.Wait()
	return counts
}

// Exec runs SQL in a transaction of its own, past all rules.
func Exec(s *Server, text string, args ...any) error {
	return s.App.DB.Write(context.Background(), func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, text, args...)
		return err
	})
}
