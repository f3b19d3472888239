package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"verbless/internal/fault"
	"verbless/internal/lite"
)

// Fault translates an error of a driver, by its code and never by its text. Faults, ended contexts, sql.ErrNoRows and
// whatever a caller cannot act on stay as they are.
func Fault(err error) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return err
	}
	if code, ok := sqliteCode(err); ok {
		return sqliteFault(code, err)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return postgresFault(pg.Code, err)
	}
	if disconnected(err) {
		return unavailable(err)
	}
	return err
}

func unavailable(err error) error {
	return fault.New(fault.Unavailable, "The database is not available just now. Nothing was changed.").After(time.Second).Because(err)
}

func alreadyExists(err error) error {
	return fault.New(fault.AlreadyExists, "There is one already: a value that must be unique is taken.").Because(err)
}

func stillReferenced(err error) error {
	return fault.New(fault.StillReferenced, "Something else refers to this, or this refers to something that is not there.").Because(err)
}

func storageFull(err error) error {
	return fault.New(fault.StorageFull, "The disk of the database is full. Nothing was changed.").After(5 * time.Second).Because(err)
}

func outcomeUnknown(err error) error {
	return fault.New(fault.OutcomeUnknown, "The database failed at the moment of committing: it is not known whether the change was kept.").After(time.Second).Because(err)
}

func sqliteFault(code int, err error) error {
	switch code {
	case codeUnique, codePrimaryKey, codeRowID:
		return alreadyExists(err)
	case codeForeignKey, codeTrigger: // RESTRICT is a trigger inside SQLite, and no trigger of ours raises
		return stillReferenced(err)
	}
	switch code & 0xff { // the kind, without its details
	case codeBusy, codeLocked, codeProtocol, codeIOErr:
		return unavailable(err)
	case codeFull:
		return storageFull(err)
	}
	return err
}

func postgresFault(state string, err error) error {
	switch state {
	case "23505":
		return alreadyExists(err)
	case "23503", "23001": // foreign key, restrict
		return stillReferenced(err)
	case "53100":
		return storageFull(err)
	case "57014": // cancelled: by the caller, or because it took too long
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return unavailable(err)
	case "40001", "40P01", "55P03", "25006", // lost a race, lock not to be had, a standby
		"57P01", "57P02", "57P03", "57P05": // shutting down, crashed, starting up
		return unavailable(err)
	}
	if strings.HasPrefix(state, "08") || strings.HasPrefix(state, "53") { // connection, resources
		return unavailable(err)
	}
	return err
}

// disconnected tells whether the server could not be reached, or was lost. It leaves out what the caller ended itself.
func disconnected(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	var (
		connect *pgconn.ConnectError
		network net.Error
	)
	if errors.As(err, &connect) { // also when the limit is that of connecting
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	for _, lost := range []error{driver.ErrBadConn, sql.ErrConnDone, lite.ErrClosed, pgconn.ErrConnClosed, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return errors.As(err, &network)
}
