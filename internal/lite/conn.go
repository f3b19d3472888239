package lite

import (
	"context"

	"zombiezen.com/go/sqlite"
)

// Conn is one connection with the statements it has prepared. One goroutine at a time may use it.
type Conn struct {
	*sqlite.Conn
	stmts map[string]*statement // the most recently used
	clock int64                 // counts uses, to know which are recent

	interrupt func()        // stops what runs, once
	stopped   chan struct{} // closed by interrupt; nil before the first that may be interrupted
}

type statement struct {
	*sqlite.Stmt
	used    int64
	columns int
	busy    bool // its rows are being read
	kept    bool // it is in stmts
}

const statementsKept = 256

// Query starts a statement and reads its first row, so that most errors come at once. The end of ctx interrupts it.
func (c *Conn) Query(ctx context.Context, text string, args []any) (*Rows, error) {
	st, err := c.take(text)
	if err != nil {
		return nil, err
	}
	rows := &Rows{conn: c, st: st, ctx: ctx}
	if err := st.bind(args); err != nil {
		rows.Close()
		return nil, err
	}
	rows.unwatch = c.watch(ctx)
	if rows.ahead = rows.step(); rows.err != nil {
		return nil, rows.err
	}
	return rows, nil
}

// Exec runs a statement to its end, and gives the number of rows that it changed.
func (c *Conn) Exec(ctx context.Context, text string, args []any) (int64, error) {
	rows, err := c.Query(ctx, text, args)
	if err != nil {
		return 0, err
	}
	for rows.Next() {
	}
	return int64(c.Changes()), rows.Err()
}

// take gives the statement for text, to be given back after use.
func (c *Conn) take(text string) (*statement, error) {
	st := c.stmts[text]
	if st == nil || st.busy {
		var err error
		if st, err = c.prepare(text, st == nil); err != nil {
			return nil, failure(err)
		}
		st.columns = st.ColumnCount()
	}
	c.clock++
	st.used, st.busy = c.clock, true
	return st, nil
}

// prepare keeps the statement, unless one of the same text is in use.
func (c *Conn) prepare(text string, keep bool) (*statement, error) {
	if !keep {
		raw, _, err := c.PrepareTransient(text)
		return &statement{Stmt: raw}, err
	}
	c.trim(statementsKept - 1)
	raw, err := c.Prepare(text)
	if err != nil {
		return nil, err
	}
	st := &statement{Stmt: raw, kept: true}
	c.stmts[text] = st
	return st, nil
}

// trim forgets the statements used longest ago, except those in use.
func (c *Conn) trim(most int) {
	for len(c.stmts) > most {
		var oldest *statement
		var text string
		for t, st := range c.stmts {
			if !st.busy && (oldest == nil || st.used < oldest.used) {
				oldest, text = st, t
			}
		}
		if oldest == nil {
			return
		}
		delete(c.stmts, text)
		oldest.Finalize()
	}
}

// giveBack ends a statement and what watches over it. Its error is that of work which SQLite does at the very end.
func (c *Conn) giveBack(st *statement, unwatch func() bool) error {
	err := st.Reset()
	if unwatch != nil && !unwatch() {
		<-c.stopped // it runs, or has run
		c.arm()
	}
	st.busy = false
	if st.kept {
		st.ClearBindings() // they may be large
	} else {
		st.Finalize()
	}
	return failure(err)
}

// watch lets the end of ctx interrupt what runs. The driver's own way would start a goroutine for every statement.
func (c *Conn) watch(ctx context.Context) (unwatch func() bool) {
	if ctx.Done() == nil {
		return nil
	}
	if c.stopped == nil {
		c.arm()
	}
	return context.AfterFunc(ctx, c.interrupt)
}

// arm makes a new interrupt: an old one, once used, would stop everything that follows.
func (c *Conn) arm() {
	stopped := make(chan struct{})
	c.stopped, c.interrupt = stopped, func() { close(stopped) }
	c.SetInterrupt(stopped)
}
