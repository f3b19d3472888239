CREATE TABLE articles (
	id           TEXT   PRIMARY KEY,
	slug         TEXT   NOT NULL UNIQUE,
	title        TEXT   NOT NULL,
	body         TEXT   NOT NULL,
	status       TEXT   NOT NULL CHECK (status IN ('published', 'archived', 'trashed')),
	author_id    BIGINT NOT NULL REFERENCES users (id),
	tags         TEXT   NOT NULL,
	metadata     TEXT   NOT NULL,
	version      BIGINT NOT NULL,
	created_at   BIGINT NOT NULL,
	updated_at   BIGINT NOT NULL,
	published_at BIGINT,
	archived_at  BIGINT,
	trashed_at   BIGINT
);
CREATE INDEX articles_created ON articles (created_at, id);
CREATE INDEX articles_status ON articles (status, created_at, id);
CREATE INDEX articles_author ON articles (author_id, created_at, id);
CREATE INDEX articles_title ON articles (title, id);
CREATE INDEX articles_updated ON articles (updated_at, id);
CREATE INDEX articles_trashed ON articles (trashed_at) WHERE trashed_at IS NOT NULL;

-- Of an article that was removed for good only its id is kept.
CREATE TABLE articles_removed (
	id         TEXT   PRIMARY KEY,
	removed_at BIGINT NOT NULL
);
