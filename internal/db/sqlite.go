package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"modernc.org/sqlite" // named in this file alone, so that another driver can take its place
)

// The result codes of SQLite that matter here, https://www.sqlite.org/rescode.html.
const (
	codeError      = 1
	codeBusy       = 5
	codeLocked     = 6
	codeIOErr      = 10
	codeFull       = 13
	codeProtocol   = 15
	codeConstraint = 19
	codeForeignKey = 787
	codePrimaryKey = 1555
	codeTrigger    = 1811
	codeUnique     = 2067
	codeRowID      = 2579
	codeIOErrNoMem = 3082 // no memory, although it is filed under I/O
)

const busyTimeout = 10 * time.Second

// sqliteCode gives the extended result code in err.
func sqliteCode(err error) (int, bool) {
	var coded interface {
		error
		Code() int
	}
	if !errors.As(err, &coded) {
		return 0, false
	}
	return coded.Code(), true
}

// sqlitePool opens the file with settings that hold for each of its connections.
func sqlitePool(file string, size int, settings map[string]string) (*sql.DB, error) {
	values := url.Values{
		"_busy_timeout": {fmt.Sprint(busyTimeout.Milliseconds())},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"1"},
		"_dqs":          {"0"}, // a misspelt "column" is an error, not a string
		"_error_rc":     {"1"},
	}
	for name, value := range settings {
		values.Set(name, value)
	}
	name := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: values.Encode()}
	connector, err := sqlite.NewConnector(name.String())
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return pool, nil
}

func (d *DB) openSQLite(ctx context.Context, path string) error {
	file, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	writing, err := sqlitePool(file, 1, map[string]string{
		"_journal_mode": "WAL",
		"_pragma":       "journal_size_limit(67108864)", // a log that grew under a long read shrinks again
	})
	if err != nil {
		return err
	}
	reading, err := sqlitePool(file, 2*runtime.GOMAXPROCS(0), map[string]string{"_query_only": "1"})
	if err != nil {
		return err
	}
	w := &writer{db: d, pool: writing, patience: groupTime}
	if err := w.connectPatiently(ctx); err != nil {
		return errors.Join(fmt.Errorf("open the database %s: %w", path, err), writing.Close(), reading.Close())
	}
	d.lite, d.pool, d.file = w, reading, file
	d.reader = &liteReader{reading, newStatements(reading.PrepareContext)}
	return nil
}

// connectPatiently waits for others that open the same file: the change to WAL mode does not wait by itself.
func (w *writer) connectPatiently(ctx context.Context) error {
	limit := time.Now().Add(busyTimeout)
	for {
		err := w.connect()
		code, _ := sqliteCode(err)
		if err == nil || code&0xff != codeBusy || time.Now().After(limit) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// liteReader reads through the pool with statements prepared once. It lets the driver watch ctx only for those who ask.
type liteReader struct {
	pool  *sql.DB
	stmts *statements
}

func (r *liteReader) Query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	st, err := r.stmts.take(text)
	if err != nil {
		return nil, Fault(err)
	}
	defer r.stmts.put(st)
	rows, err := st.QueryContext(ctx, bind(args)...)
	return rows, Fault(err)
}

func (r *liteReader) QueryRow(ctx context.Context, text string, args ...any) *sql.Row {
	st, err := r.stmts.take(text)
	if err != nil {
		return deadRow(r.pool, err)
	}
	defer r.stmts.put(st)
	return st.QueryRowContext(ctx, bind(args)...)
}

func (r *liteReader) Exec(context.Context, string, ...any) (sql.Result, error) {
	return nil, errWriteOutside
}

var errWriteOutside = errors.New("db: Exec outside of a transaction")
