-- Mails about moves, written with the move. Each event is told to each recipient once.
CREATE TABLE notices (
	id           TEXT   PRIMARY KEY,
	invoice_id   TEXT   NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
	event        TEXT   NOT NULL,
	recipient    TEXT   NOT NULL,
	name         TEXT   NOT NULL,
	address      TEXT,
	status       TEXT   NOT NULL CHECK (status IN ('queued', 'sending', 'delivered', 'dead')),
	attempts     BIGINT NOT NULL,
	problem      TEXT,
	version      BIGINT NOT NULL,
	created_at   BIGINT NOT NULL,
	updated_at   BIGINT NOT NULL,
	delivered_at BIGINT,
	UNIQUE (invoice_id, event, recipient)
);
