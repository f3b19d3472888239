-- Numbers without gaps: one row per counter, locked by whoever takes the next number.
CREATE TABLE counters (
	name  TEXT PRIMARY KEY,
	value BIGINT NOT NULL
);

-- Random keys that every node must share.
CREATE TABLE secrets (
	name       TEXT PRIMARY KEY,
	value      TEXT NOT NULL,
	created_at BIGINT NOT NULL
);
