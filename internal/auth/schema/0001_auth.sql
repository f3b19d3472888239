CREATE TABLE users (
	id           BIGINT PRIMARY KEY,
	username     TEXT   NOT NULL,
	username_key TEXT   NOT NULL UNIQUE,
	name         TEXT   NOT NULL,
	email        TEXT,
	role         TEXT   NOT NULL CHECK (role IN ('admin', 'member')),
	metadata     TEXT   NOT NULL,
	version      BIGINT NOT NULL,
	created_at   BIGINT NOT NULL,
	updated_at   BIGINT NOT NULL
);
CREATE INDEX users_created ON users (created_at, id);

-- Of a token only its hash is kept.
CREATE TABLE tokens (
	id         TEXT PRIMARY KEY,
	user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name       TEXT   NOT NULL,
	hash       TEXT   NOT NULL UNIQUE,
	expires_at BIGINT,
	version    BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id, created_at, id);
