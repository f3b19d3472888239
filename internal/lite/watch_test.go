package lite

import (
	"fmt"
	"sync"
	"testing"
)

// Every commit changes the mark, whoever makes it; reads, rollbacks and checkpoints do not.
func TestWatch(t *testing.T) {
	t.Parallel()
	name := file(t)
	c, err := Create(name, "journal_mode = WAL", "synchronous = OFF")
	ok(t, err)
	w, err := NewWatch(name)
	ok(t, err)
	mark := func() Mark {
		t.Helper()
		m, seen := w.Mark()
		if !seen {
			t.Fatal("no mark")
		}
		return m
	}
	seen := map[Mark]string{mark(): "nothing"}
	changes := []string{"CREATE TABLE a (b TEXT)"}
	for i := range 50 {
		changes = append(changes, fmt.Sprintf("INSERT INTO a VALUES ('%d')", i%2), "DELETE FROM a")
	}
	for i, change := range changes {
		ok(t, c.Script(change))
		if before, again := seen[mark()]; again {
			t.Fatalf("%s left the mark of %s", change, before)
		}
		seen[mark()] = change
		if i%10 == 0 { // the log begins anew
			ok(t, c.Script("PRAGMA wal_checkpoint(TRUNCATE)"))
			seen[mark()] = "a checkpoint"
		}
		if i%17 == 0 { // another connection, as of another process; the watch keeps the memory while there is no other
			ok(t, c.Close())
			c, err = Open(name)
			ok(t, err)
		}
	}
	before := mark()
	ok(t, c.Script("BEGIN; INSERT INTO a VALUES ('x'); SELECT * FROM a; ROLLBACK; SELECT * FROM a"))
	if mark() != before {
		t.Error("nothing was committed, but the mark has changed")
	}
	ok(t, c.Close())
	ok(t, w.Close())
	ok(t, w.Close())
	if _, seen := w.Mark(); seen {
		t.Error("a mark after the end")
	}
}

// Whoever finds the mark as it was reads what was read before, while others write.
func TestWatchWhileWriting(t *testing.T) {
	t.Parallel()
	name := file(t)
	c, err := Create(name, "journal_mode = WAL", "synchronous = OFF")
	ok(t, err)
	ok(t, c.Script("CREATE TABLE a (n INT); INSERT INTO a VALUES (0)"))
	w, err := NewWatch(name)
	ok(t, err)
	var reading sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		reading.Go(func() {
			r, err := Open(name)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			read := func() (n int64) {
				rows, err := r.Query(t.Context(), "SELECT n FROM a", nil)
				if err != nil {
					t.Error(err)
					return 0
				}
				return all(rows)[0]
			}
			for ended := false; !ended; {
				select {
				case <-done:
					ended = true
				default:
				}
				first, ok := w.Mark()
				was := read()
				is := read()
				if second, still := w.Mark(); ok && still && first == second && was != is {
					t.Errorf("%d became %d under one mark", was, is)
				}
			}
		})
	}
	for range 500 {
		ok(t, c.Script("UPDATE a SET n = n + 1"))
	}
	close(done)
	reading.Wait()
	ok(t, w.Close())
	ok(t, c.Close())
}

func TestWatchRefuses(t *testing.T) {
	t.Parallel()
	if _, err := NewWatch(file(t)); err == nil {
		t.Error("there is no such file")
	}
	name := file(t)
	c, err := Create(name)
	ok(t, err)
	ok(t, c.Script("CREATE TABLE a (b TEXT)"))
	defer c.Close()
	if w, err := NewWatch(name); err == nil {
		w.Close()
		t.Error("the file has no log")
	}
}
