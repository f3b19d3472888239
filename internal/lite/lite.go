// Package lite runs SQL on SQLite, close to the engine: connections that keep their prepared statements, rows whose
// columns are read one by one, and a pool of connections to read with.
//
// It is the only place that names the driver, so that another can take its place. It knows nothing of transactions,
// of what a column means or of what an error says to a caller: package db does.
package lite

import (
	"errors"
	"reflect"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
	"zombiezen.com/go/sqlite"
)

// Create opens a file, which it makes if need be, with settings as PRAGMA takes them.
func Create(file string, settings ...string) (*Conn, error) {
	return open(file, sqlite.OpenReadWrite|sqlite.OpenCreate, settings)
}

// Open opens a file that is there.
func Open(file string, settings ...string) (*Conn, error) {
	return open(file, sqlite.OpenReadWrite, settings)
}

func open(file string, flags sqlite.OpenFlags, settings []string) (*Conn, error) {
	raw, err := sqlite.OpenConn(file, flags) // it also makes a misspelt "column" an error, not a string
	if err != nil {
		return nil, failure(err)
	}
	c := &Conn{Conn: raw, stmts: map[string]*statement{}}
	err = keepPlans(raw, 1)
	for _, setting := range settings {
		if err == nil {
			err = c.Script("PRAGMA " + setting)
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close ends the connection; rows of it must have been closed.
func (c *Conn) Close() error {
	c.trim(0)
	return failure(c.Conn.Close())
}

// Error is an error of SQLite: the driver's own type cannot be told from any other.
type Error struct{ error }

// Code is the extended result code, https://www.sqlite.org/rescode.html.
func (e Error) Code() int { return int(sqlite.ErrCode(e.error)) }

// Unwrap gives what the driver said.
func (e Error) Unwrap() error { return e.error }

func failure(err error) error {
	if err == nil {
		return nil
	}
	return Error{err}
}

// keepPlans with 1 makes a plan hold for every value of its arguments. Otherwise SQLite, as it is compiled here, makes a
// new plan whenever a join is run with another value. The driver has no word for this setting, so it is made beside it.
func keepPlans(raw *sqlite.Conn, on int32) error {
	handle := reflect.ValueOf(raw).Elem().FieldByName("conn")
	if !handle.IsValid() || handle.Kind() != reflect.Uintptr {
		return nil // another version of the driver: slower, and a test tells
	}
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.NewVaList(on, uintptr(0))
	defer libc.Xfree(tls, args)
	code := lib.Xsqlite3_db_config(tls, uintptr(handle.Uint()), lib.SQLITE_DBCONFIG_ENABLE_QPSG, args)
	return failure(sqlite.ResultCode(code).ToError())
}
