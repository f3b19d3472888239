-- Work that comes back by the clock. Whoever moves next_at on has the turn.
CREATE TABLE periodic_jobs (
	name    TEXT PRIMARY KEY,
	next_at BIGINT NOT NULL
);
