package db

import (
	"container/list"
	"context"
	"database/sql"
	"sync"
)

// statements keeps the most recently used prepared statements, by text. A statement in use is closed only when it is put back.
type statements struct {
	prepare func(ctx context.Context, text string) (*sql.Stmt, error)
	max     int
	later   bool // trim is called from outside: on a single connection, closing a statement would end rows still open

	mu     sync.Mutex
	byText map[string]*list.Element
	recent *list.List // of *statement, the latest in front
}

type statement struct {
	*sql.Stmt
	text    string
	users   int
	evicted bool
}

const statementsKept = 256

func newStatements(prepare func(ctx context.Context, text string) (*sql.Stmt, error)) *statements {
	return &statements{prepare: prepare, max: statementsKept, byText: map[string]*list.Element{}, recent: list.New()}
}

// take gives the statement for text, to be put back after use.
func (s *statements) take(text string) (*statement, error) {
	s.mu.Lock()
	if e, ok := s.byText[text]; ok {
		st := e.Value.(*statement)
		st.users++
		s.recent.MoveToFront(e)
		s.mu.Unlock()
		return st, nil
	}
	s.mu.Unlock()

	prepared, err := s.prepare(context.Background(), text)
	if err != nil {
		return nil, err
	}
	st, surplus := s.keep(text, prepared)
	closeAll(surplus)
	return st, nil
}

// keep enters a statement, and gives those that have to be closed for it.
func (s *statements) keep(text string, prepared *sql.Stmt) (*statement, []*sql.Stmt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.byText[text]; ok { // another was faster
		st := e.Value.(*statement)
		st.users++
		return st, []*sql.Stmt{prepared}
	}
	st := &statement{Stmt: prepared, text: text, users: 1}
	s.byText[text] = s.recent.PushFront(st)
	if s.later {
		return st, nil
	}
	return st, s.trim(s.max)
}

func (s *statements) put(st *statement) {
	s.mu.Lock()
	st.users--
	unused := st.evicted && st.users == 0
	s.mu.Unlock()
	if unused {
		st.Close()
	}
}

// trim forgets all but the n most recent, and gives those that nobody uses; mu must be held, or nobody else be there.
func (s *statements) trim(n int) (unused []*sql.Stmt) {
	for s.recent.Len() > n {
		st := s.recent.Remove(s.recent.Back()).(*statement)
		delete(s.byText, st.text)
		st.evicted = true
		if st.users == 0 {
			unused = append(unused, st.Stmt)
		}
	}
	return unused
}

// closeAll is not for those who hold mu: closing waits for the connection, and with it for whatever runs there.
func closeAll(stmts []*sql.Stmt) {
	for _, st := range stmts {
		st.Close()
	}
}
