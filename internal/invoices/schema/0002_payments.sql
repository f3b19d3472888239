-- Attempts to pay. At most one of an invoice is open or has succeeded, whatever the code says.
CREATE TABLE payment_attempts (
	id             TEXT   PRIMARY KEY,
	invoice_id     TEXT   NOT NULL REFERENCES invoices (id),
	invoice_number TEXT   NOT NULL,
	amount         BIGINT NOT NULL CHECK (amount > 0),
	currency       TEXT   NOT NULL,
	payment_token  TEXT   NOT NULL,
	status         TEXT   NOT NULL CHECK (status IN ('pending', 'succeeded', 'declined')),
	reason         TEXT,
	reference      TEXT,
	user_id        BIGINT NOT NULL,
	version        BIGINT NOT NULL,
	created_at     BIGINT NOT NULL,
	settled_at     BIGINT
);
CREATE UNIQUE INDEX payment_attempts_once ON payment_attempts (invoice_id) WHERE status IN ('pending', 'succeeded');
CREATE INDEX payment_attempts_invoice ON payment_attempts (invoice_id, created_at, id);
