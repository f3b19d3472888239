-- The history of articles. At most one revision of an article is current, by the partial index. The id is made of the
-- article's and the number, so that no two have the same number.
CREATE TABLE revisions (
	id         TEXT    PRIMARY KEY,
	article_id TEXT    NOT NULL,
	number     BIGINT  NOT NULL,
	title      TEXT    NOT NULL,
	body       TEXT    NOT NULL,
	is_current BOOLEAN NOT NULL,
	author_id  BIGINT  NOT NULL REFERENCES users (id),
	version    BIGINT  NOT NULL,
	created_at BIGINT  NOT NULL,
	UNIQUE (article_id, number, is_current)
);
CREATE UNIQUE INDEX revisions_current ON revisions (article_id) WHERE is_current;

-- An article shows what its current revision holds; title and body stand here too, so that lists need no join.
-- Together with the index above, the foreign key holds that exactly one revision is current: it leads to one that is. It is
-- checked at the end of a transaction, because both rows change together.
CREATE TABLE articles (
	id               TEXT    PRIMARY KEY,
	slug             TEXT    NOT NULL UNIQUE,
	title            TEXT    NOT NULL,
	body             TEXT    NOT NULL,
	status           TEXT    NOT NULL CHECK (status IN ('published', 'archived', 'trashed')),
	author_id        BIGINT  NOT NULL REFERENCES users (id),
	tags             TEXT    NOT NULL,
	metadata         TEXT    NOT NULL,
	current_revision BIGINT  NOT NULL,
	current_is       BOOLEAN NOT NULL DEFAULT TRUE CHECK (current_is),
	last_revision    BIGINT  NOT NULL,
	version          BIGINT  NOT NULL,
	created_at       BIGINT  NOT NULL,
	updated_at       BIGINT  NOT NULL,
	published_at     BIGINT,
	archived_at      BIGINT,
	trashed_at       BIGINT,
	FOREIGN KEY (id, current_revision, current_is) REFERENCES revisions (article_id, number, is_current) DEFERRABLE INITIALLY DEFERRED
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
