package lite

import (
	"context"
	"errors"

	"zombiezen.com/go/sqlite"
)

// Rows are the rows of a running statement. At the end, at an error and at Close they give back the statement, and the
// connection if it came from a pool.
type Rows struct {
	conn    *Conn
	st      *statement // nil when it was given back
	pool    *Pool      // nil when the connection is the caller's
	ctx     context.Context
	unwatch func() bool // nil when ctx is not watched
	ahead   bool        // the first row was read already, by Query
	err     error
}

// Next goes to the next row, and tells whether there is one.
func (r *Rows) Next() bool {
	if r.ahead {
		r.ahead = false
		return r.st != nil
	}
	return r.st != nil && r.step()
}

func (r *Rows) step() bool {
	more, err := r.st.Step()
	if err != nil {
		r.err = failure(err)
		if ended := r.ctx.Err(); ended != nil && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultInterrupt {
			r.err = ended
		}
	}
	if !more {
		r.Close()
	}
	return more
}

// Close may be called any number of times.
func (r *Rows) Close() error {
	if r.st == nil {
		return nil
	}
	err := r.conn.giveBack(r.st, r.unwatch)
	r.st = nil
	if r.err == nil {
		r.err = err
	}
	if r.pool != nil {
		r.pool.put(r.conn)
	}
	return err
}

// Over tells whether everything was given back.
func (r *Rows) Over() bool { return r.st == nil }

// Err is what ended the rows before their end.
func (r *Rows) Err() error { return r.err }

// Scan copies the columns, with the conversions that database/sql makes.
func (r *Rows) Scan(dest ...any) error {
	if r.st == nil || r.ahead {
		return errors.New("lite: Scan without a row")
	}
	return r.scan(dest)
}

// Null tells whether a column holds nothing.
func (r *Rows) Null(i int) bool { return r.st.ColumnType(i) == sqlite.TypeNull }

// Int gives a column that holds an integer.
func (r *Rows) Int(i int) (int64, bool) {
	if r.st.ColumnType(i) != sqlite.TypeInteger {
		return 0, false
	}
	return r.st.ColumnInt64(i), true
}

// Text gives a column that holds text, or bytes.
func (r *Rows) Text(i int) (string, bool) {
	if kind := r.st.ColumnType(i); kind != sqlite.TypeText && kind != sqlite.TypeBlob {
		return "", false
	}
	return r.st.ColumnText(i), true
}

// Value gives a column as nil, int64, float64, string or []byte.
func (r *Rows) Value(i int) any {
	switch r.st.ColumnType(i) {
	case sqlite.TypeInteger:
		return r.st.ColumnInt64(i)
	case sqlite.TypeFloat:
		return r.st.ColumnFloat(i)
	case sqlite.TypeText:
		return r.st.ColumnText(i)
	case sqlite.TypeBlob:
		return []byte(r.st.ColumnText(i))
	}
	return nil
}
