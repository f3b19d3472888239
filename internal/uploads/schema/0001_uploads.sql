-- A file that somebody sends, with what they say of it. content is NULL until all of it is here.
CREATE TABLE uploads (
	id         TEXT   PRIMARY KEY,
	owner_id   BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	snippet    TEXT   NOT NULL,
	status     TEXT   NOT NULL,
	content    TEXT,
	metadata   TEXT   NOT NULL,
	file       TEXT   NOT NULL UNIQUE,
	version    BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL
);
CREATE INDEX uploads_created ON uploads (created_at, id);
CREATE INDEX uploads_owner ON uploads (owner_id, created_at, id);

-- How far the sending of one has come. It outlives the upload, so that whoever asks again is told how it ended.
CREATE TABLE upload_sessions (
	upload_id  TEXT   PRIMARY KEY,
	secret     TEXT   NOT NULL,              -- hash of the capability in its address
	state      TEXT   NOT NULL CHECK (state IN ('open', 'done', 'cancelled', 'ended')),
	file       TEXT   NOT NULL,
	parts      TEXT   NOT NULL,              -- what the last answer shows
	media_type TEXT,                         -- as announced
	total      BIGINT,                       -- as announced, or as a later request told
	holder     TEXT   NOT NULL,              -- the process that may add to it
	progress   TEXT   NOT NULL,              -- what is durable, as package blob says it
	answer     TEXT,                         -- the last answer, to be given again
	expires_at BIGINT NOT NULL
);
CREATE INDEX upload_sessions_expiry ON upload_sessions (expires_at);
