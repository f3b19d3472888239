package lite

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// Mark stands for all that was ever committed to a database: another commit, another mark.
type Mark [12]uint32

// Watch sees whether anybody has committed, this process or another, without asking the engine. It looks at the head of the
// memory in which the processes that have a database open tell each other so, https://www.sqlite.org/walformat.html, 2.1.
type Watch struct {
	mu   sync.RWMutex
	head *[2]Mark // SQLite keeps it twice, and writes the second first
	conn *Conn    // as long as it is open, the memory stays, and stays the same
}

// NewWatch watches a file in WAL mode.
func NewWatch(file string) (*Watch, error) {
	c, err := Open(file, "query_only = ON", "cache_size = 4")
	if err != nil {
		return nil, err
	}
	err = c.Script("SELECT COUNT(*) FROM sqlite_schema") // opens the log
	w := &Watch{conn: c}
	if err == nil {
		w.head, err = walHead(c)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return w, nil
}

var errNoHead = errors.New("lite: the memory that processes share cannot be seen")

// walHead finds the memory through the methods of the open file. The driver has no word for it.
func walHead(c *Conn) (*[2]Mark, error) {
	handle := reflect.ValueOf(c.Conn).Elem().FieldByName("conn")
	if !handle.IsValid() || handle.Kind() != reflect.Uintptr {
		return nil, errNoHead // another version of the driver
	}
	tls := libc.NewTLS()
	defer tls.Close()
	found := libc.Xcalloc(tls, 1, 8)
	defer libc.Xfree(tls, found)
	if lib.Xsqlite3_file_control(tls, uintptr(handle.Uint()), 0, lib.SQLITE_FCNTL_FILE_POINTER, found) != lib.SQLITE_OK {
		return nil, errNoHead
	}
	file := *(*uintptr)(at(found))
	methods := (*lib.Tsqlite3_io_methods)(at((*lib.Tsqlite3_file)(at(file)).FpMethods))
	if methods.FiVersion < 2 || methods.FxShmMap == 0 {
		return nil, errNoHead
	}
	shmMap := *(*func(*libc.TLS, uintptr, int32, int32, int32, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{methods.FxShmMap}))
	const region = 32 << 10 // the size that SQLite maps at a time
	if shmMap(tls, file, 0, region, 0, found) != lib.SQLITE_OK || *(*uintptr)(at(found)) == 0 {
		return nil, errNoHead
	}
	return (*[2]Mark)(at(*(*uintptr)(at(found)))), nil
}

// at is an address of memory that is not Go's.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// Mark gives the mark of this moment: what is read from the database later is at least as new. ok is false while a commit
// is just being told, and when it cannot be known.
func (w *Watch) Mark() (m Mark, ok bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.head == nil {
		return m, false
	}
	first, second := &w.head[0], &w.head[1]
	for i := range first {
		m[i] = atomic.LoadUint32(&first[i])
	}
	for i := range second {
		if atomic.LoadUint32(&second[i]) != m[i] {
			return m, false
		}
	}
	return m, m[0] != 0
}

// Close ends the watch.
func (w *Watch) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.head == nil {
		return nil
	}
	w.head = nil
	return w.conn.Close()
}
