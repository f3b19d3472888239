// Package dbtest runs tests on SQLite and on a real PostgreSQL, each test with a database of its own.
//
// PostgreSQL is the cluster that VERBLESS_TEST_POSTGRES names (a URL whose user may create databases), or else one
// that the test process starts from the binaries it finds and takes down again. Without either, tests of PostgreSQL are
// skipped loudly; with VERBLESS_TEST_REQUIRE=1 they fail instead.
package dbtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that makes and drops databases

	"verbless/internal/db"
)

// Opener opens the database of a test, migrated with the sets. Every call of one test opens the same database.
type Opener = func(sets ...db.Migrations) *db.DB

// Each runs fn on SQLite and on PostgreSQL, in parallel.
func Each(t *testing.T, fn func(t *testing.T, open Opener)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, opener(t, SQLite(t)))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, opener(t, Postgres(t)))
	})
}

func opener(t testing.TB, address string) Opener {
	return func(sets ...db.Migrations) *db.DB {
		t.Helper()
		return Open(t, address, sets...)
	}
}

// Open opens a database by its URL, migrates it with the sets, and closes it when the test ends.
func Open(t testing.TB, address string, sets ...db.Migrations) *db.DB {
	t.Helper()
	d, err := db.Open(context.Background(), db.Options{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := d.Migrate(context.Background(), sets...); err != nil {
		t.Fatal(err)
	}
	return d
}

// SQLite gives the URL of a fresh SQLite file.
func SQLite(t testing.TB) string { return "sqlite:" + t.TempDir() + "/verbless.db" }

// Postgres gives the URL of a fresh database, dropped when the test ends.
func Postgres(t testing.TB) string {
	t.Helper()
	admin, err := shared()
	if err != nil {
		if os.Getenv("VERBLESS_TEST_REQUIRE") == "1" {
			t.Fatal("PostgreSQL is required: ", err)
		}
		t.Skip("NOT TESTED ON POSTGRESQL: ", err)
	}
	name := "vbl_" + strings.ToLower(rand.Text()[:16])
	if err := execute(admin, "CREATE DATABASE "+name); err != nil {
		t.Fatal("create a database: ", err)
	}
	t.Cleanup(func() {
		if err := execute(admin, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			t.Log("drop a database: ", err)
		}
	})
	address, err := withDatabase(admin, name)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Main is for TestMain: it runs the tests and takes down the cluster they started.
func Main(m *testing.M) {
	code := m.Run()
	if own != nil {
		own.Stop()
	}
	os.Exit(code)
}

var own *Cluster

// shared is the address of the cluster of this process, started by whoever needs it first.
var shared = sync.OnceValues(func() (string, error) {
	if address := os.Getenv(AddressVariable); address != "" {
		return address, nil
	}
	cluster, err := Start()
	if err != nil {
		return "", err
	}
	own = cluster
	return cluster.URL, nil
})

func execute(address, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	pool, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	defer pool.Close()
	_, err = pool.ExecContext(ctx, text)
	return err
}

func withDatabase(address, name string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%s: %w", AddressVariable, err)
	}
	u.Path = "/" + name
	return u.String(), nil
}
