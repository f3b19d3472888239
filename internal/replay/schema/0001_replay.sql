-- Answers to requests that had an Idempotency-Key. The key is kept as a keyed hash, the answer sealed with the key itself.
CREATE TABLE idempotency_keys (
	user_id     BIGINT NOT NULL,
	key         TEXT   NOT NULL,
	fingerprint TEXT   NOT NULL,
	answer      TEXT,
	created_at  BIGINT NOT NULL,
	PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
