package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	postgresConnections = 20
	connectTimeout      = 5 * time.Second
	statementTimeout    = 30 * time.Second
)

func (d *DB) openPostgres(ctx context.Context, address string) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > connectTimeout {
		config.ConnectTimeout = connectTimeout
	}
	config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite // never an old primary or a standby
	setDefault(config.RuntimeParams, "statement_timeout", fmt.Sprint(statementTimeout.Milliseconds()))
	setDefault(config.RuntimeParams, "idle_in_transaction_session_timeout", fmt.Sprint(2*statementTimeout.Milliseconds()))
	setDefault(config.RuntimeParams, "application_name", "verbless")

	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(postgresConnections)
	pool.SetMaxIdleConns(postgresConnections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(time.Hour)
	if err := checkPostgres(ctx, pool); err != nil {
		return errors.Join(fmt.Errorf("open the database: %w", err), pool.Close())
	}
	texts := &placeholders{}
	d.pool, d.reader = pool, &pgReader{pool, texts, &d.reads}
	d.texts = texts
	return nil
}

func setDefault(params map[string]string, name, value string) {
	if _, ok := params[name]; !ok {
		params[name] = value
	}
}

// checkPostgres refuses a server that may forget what it has acknowledged.
func checkPostgres(ctx context.Context, pool *sql.DB) error {
	var (
		version             int
		fsync, commit, name string
	)
	err := pool.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, current_setting('fsync'),
		current_setting('synchronous_commit'), current_setting('server_version')`).Scan(&version, &fsync, &commit, &name)
	switch {
	case err != nil:
		return err
	case version < 130000:
		return fmt.Errorf("PostgreSQL %s is too old: 13 or newer is needed", name)
	case fsync == "off":
		return errors.New("PostgreSQL runs with fsync = off and would lose what it acknowledged: turn it on")
	case commit == "off":
		return errors.New("PostgreSQL has synchronous_commit = off for this user or database and would lose what it acknowledged: turn it on")
	}
	return nil
}

// pgReader reads through the pool. A read that found its connection dead is tried once more: it has changed nothing.
type pgReader struct {
	pool  *sql.DB
	texts *placeholders
	run   *atomic.Int64
}

func (r *pgReader) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	r.run.Add(1)
	text, args = r.texts.numbered(text), planned(bind(args))
	rows, err := r.pool.QueryContext(ctx, text, args...)
	if err != nil && lost(err) && ctx.Err() == nil {
		rows, err = r.pool.QueryContext(ctx, text, args...)
	}
	return pgAnswer(rows, Fault(err))
}

func (r *pgReader) QueryRow(ctx context.Context, text string, args ...any) Row {
	return only(r.Query(ctx, text, args...))
}

func (r *pgReader) Exec(context.Context, string, ...any) (Result, error) {
	return nil, errWriteOutside
}

type anew struct{}

// Anew, among the arguments of a query, has PostgreSQL plan it for these very values, where a plan for all values would suit
// some of them badly. It stands for no placeholder. It costs the planning each time, and SQLite does not know it.
var Anew any = anew{}

// planned says Anew in the driver's words: a statement that is not kept is planned for its values.
func planned(args []any) []any {
	at := slices.Index(args, Anew)
	if at < 0 {
		return args
	}
	return slices.Concat([]any{pgx.QueryExecModeExec}, args[:at], args[at+1:])
}

// lost tells whether a connection died, as seen by itself or said by a server that stopped. One that could not be made
// at all is not lost: trying again at once would only take the caller's time.
func lost(err error) bool {
	var (
		pg      *pgconn.PgError
		connect *pgconn.ConnectError
	)
	if errors.As(err, &connect) {
		return false
	}
	if errors.As(err, &pg) {
		return pg.Code == "57P01" || pg.Code == "57P02"
	}
	return disconnected(err)
}
