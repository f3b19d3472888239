-- The ledger of the built-in test gateway: what it would have charged. It forgets nothing, so a key charges once for ever.
CREATE TABLE test_charges (
	key        TEXT   PRIMARY KEY,
	invoice    TEXT   NOT NULL,
	amount     BIGINT NOT NULL,
	currency   TEXT   NOT NULL,
	status     TEXT   NOT NULL,
	created_at BIGINT NOT NULL
);
