package auth

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"

	"verbless/internal/change"
	"verbless/internal/db"
)

// holder is whom a token belongs to.
type holder struct {
	by      change.Actor
	expires sql.NullInt64
}

// holders are those who were found since the last commit: after it anything may be otherwise, so they are forgotten.
type holders struct {
	mark   db.Mark
	byHash sync.Map // to *holder
	count  atomic.Int32
}

// mostHolders bounds the memory.
const mostHolders = 10_000

// holder reads who holds a token, unless nothing was committed since it was last read: what is revoked is revoked at once,
// whichever process did it.
func (g *Gate) holder(ctx context.Context, hash string) (*holder, error) {
	mark, watched := g.db.Mark(ctx) // before the read, which may see more
	known := g.known.Load()
	if watched && known != nil && known.mark == mark {
		if found, ok := known.byHash.Load(hash); ok {
			return found.(*holder), nil
		}
	}
	var found holder
	err := g.db.Reader(ctx).QueryRow(g.db.Quick(ctx), `SELECT u.id, u.username, u.role, t.expires_at
		FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.hash = ?`, hash).Scan(&found.by.ID, &found.by.Username, &found.by.Role, &found.expires)
	if err != nil || !watched {
		return &found, err
	}
	if known == nil || known.mark != mark {
		known = &holders{mark: mark}
		g.known.Store(known)
	}
	if known.count.Add(1) <= mostHolders {
		known.byHash.Store(hash, &found)
	}
	return &found, nil
}
