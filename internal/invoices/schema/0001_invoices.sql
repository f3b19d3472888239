-- Amounts are minor units. Numbers are given once, at the first publishing, and never taken away.
CREATE TABLE invoices (
	id                  TEXT   PRIMARY KEY,
	number              TEXT   UNIQUE,
	status              TEXT   NOT NULL CHECK (status IN ('draft', 'published', 'sent', 'failed', 'paid')),
	amount              BIGINT NOT NULL CHECK (amount > 0),
	currency            TEXT   NOT NULL,
	description         TEXT   NOT NULL,
	contact_info        TEXT,
	line_items          TEXT   NOT NULL,
	due_on              TEXT,
	metadata            TEXT   NOT NULL,
	owner_id            BIGINT NOT NULL REFERENCES users (id),
	paying              TEXT,
	version             BIGINT NOT NULL,
	created_at          BIGINT NOT NULL,
	updated_at          BIGINT NOT NULL,
	published_at        BIGINT,
	sent_at             BIGINT,
	paid_at             BIGINT,
	failed_at           BIGINT,
	payment_received_at BIGINT,
	CHECK (status = 'draft' OR number IS NOT NULL),
	CHECK ((status = 'paid') = (paid_at IS NOT NULL))
);
CREATE INDEX invoices_created ON invoices (created_at, id);
CREATE INDEX invoices_status ON invoices (status, created_at, id);
CREATE INDEX invoices_owner ON invoices (owner_id, created_at, id);
CREATE INDEX invoices_owner_status ON invoices (owner_id, status, created_at, id);

-- The history of an invoice's status: a row for each move, written with the move.
CREATE TABLE transitions (
	id                 TEXT   PRIMARY KEY,
	invoice_id         TEXT   NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
	from_status        TEXT   NOT NULL,
	to_status          TEXT   NOT NULL,
	why                TEXT   NOT NULL,
	payment_attempt_id TEXT,
	user_id            BIGINT,
	version            BIGINT NOT NULL,
	created_at         BIGINT NOT NULL
);
CREATE INDEX transitions_invoice ON transitions (invoice_id, created_at, id);
