-- A picture of a user. Equal pictures share one file; the last row that names it takes it along.
CREATE TABLE avatars (
	id         TEXT   PRIMARY KEY,
	user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	hash       TEXT   NOT NULL,
	file       TEXT   NOT NULL,
	version    BIGINT NOT NULL,
	created_at BIGINT NOT NULL
);
CREATE INDEX avatars_created ON avatars (created_at, id);
CREATE INDEX avatars_user ON avatars (user_id, created_at, id);
CREATE INDEX avatars_hash ON avatars (hash);
CREATE INDEX avatars_file ON avatars (file);
