package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"verbless/internal/lite"
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

// settings hold for every connection.
var settings = []string{
	fmt.Sprintf("busy_timeout = %d", busyTimeout.Milliseconds()), // first, because the others may have to wait
	"synchronous = FULL",
	"foreign_keys = ON",
}

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

func (d *DB) openSQLite(ctx context.Context, path string) error {
	file, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	w := &writer{db: d, file: file, patience: groupTime}
	if err := w.connectPatiently(ctx); err != nil {
		return fmt.Errorf("open the database %s: %w", path, err)
	}
	d.lite, d.file = w, file
	d.readers = lite.NewPool(2*runtime.GOMAXPROCS(0), func() (*lite.Conn, error) {
		return lite.Open(file, slices.Concat(settings, []string{"query_only = ON", "cache_size = -6000"})...)
	})
	d.reader = liteReader{d.readers, &d.reads}
	if d.watch, err = lite.NewWatch(file); err != nil {
		d.log.Warn("changes of the database cannot be watched, so more is read than need be", slog.Any("error", err))
	}
	return nil
}

// connect makes sure that there is a connection.
func (w *writer) connect() error {
	if w.conn != nil {
		return nil
	}
	if w.closed {
		return lite.ErrClosed
	}
	conn, err := lite.Create(w.file, slices.Concat(settings, []string{
		"journal_mode = WAL",
		"journal_size_limit = 67108864", // a log that grew under a long read shrinks again
	})...)
	if err != nil {
		return err
	}
	w.conn = conn
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

// liteReader reads through the pool.
type liteReader struct {
	pool *lite.Pool
	run  *atomic.Int64
}

func (r liteReader) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	r.run.Add(1)
	rows, err := r.pool.Query(ctx, text, bind(args))
	if err != nil {
		return nil, Fault(err)
	}
	return rows, nil
}

func (r liteReader) QueryRow(ctx context.Context, text string, args ...any) Row {
	return only(r.Query(ctx, text, args...))
}

func (r liteReader) Exec(context.Context, string, ...any) (Result, error) {
	return nil, errWriteOutside
}

var errWriteOutside = errors.New("db: Exec outside of a transaction")
